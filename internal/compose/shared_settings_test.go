package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// madeServer is a server of a cluster with its user-data.
func madeServer(name, config string) (proxmox.ObservedVM, proxmox.ObservedFile) {
	vm, file := proxmox.ObservedVM{}, proxmox.ObservedFile{}
	vm.Spec.ForProvider.Name = name
	vm.Spec.ForProvider.Initialization = []proxmox.Initialization{{UserDataFileID: "local:snippets/" + name + ".yaml"}}
	file.Spec.ForProvider.DatastoreID, file.Spec.ForProvider.ContentType = "local", "snippets"
	file.Spec.ForProvider.SourceRaw = []proxmox.SourceRaw{{
		FileName: name + ".yaml",
		Data:     proxmox.Literal("#cloud-config\nwrite_files:\n- path: /etc/rancher/k3s/config.yaml\n  content: '" + config + "'\n"),
	}}

	return vm, file
}

func TestSharedOfBirth(t *testing.T) {
	cases := map[string]struct {
		reason  string
		servers map[string]string
		k3s     machine.K3s
		force   string
		exists  bool
		want    []string
	}{
		"Same": {reason: "A default that is written out is the same value.", servers: map[string]string{"s0": "flannel-backend: vxlan"}, k3s: machine.K3s{Role: v1alpha1.K3sServer}},
		"Other": {
			reason: "It would never join.", servers: map[string]string{"s0": "{}"},
			k3s: machine.K3s{Role: v1alpha1.K3sServer, Config: map[string]any{"flannel-backend": "host-gw"}, Disable: []string{"servicelb"}},
			want: []string{
				`spec.k3s.disable: Invalid value: "with servicelb": the servers of the cluster were made with another value (s0: without servicelb), and K3s lets no server join ` +
					`that differs from them. Write what they have; or, where you have changed it in /etc/rancher/k3s/config.yaml on all of them, set lifecycle.force of the new server`,
				`spec.k3s.config[flannel-backend]: Invalid value: "host-gw": the servers of the cluster were made with another value (s0: vxlan), and K3s lets no server join ` +
					`that differs from them. Write what they have; or, where you have changed it in /etc/rancher/k3s/config.yaml on all of them, set lifecycle.force of the new server`,
			},
		},
		"OneHasIt": {
			reason: "Another server was made with the value.", servers: map[string]string{"s0": "{}", "s1": "flannel-backend: host-gw"},
			k3s: machine.K3s{Role: v1alpha1.K3sServer, Config: map[string]any{"flannel-backend": "host-gw"}},
		},
		"NoServers": {reason: "Nobody has another value.", k3s: machine.K3s{Role: v1alpha1.K3sServer, Config: map[string]any{"flannel-backend": "host-gw"}}},
		"Agent": {
			reason: "The settings are the servers'.", servers: map[string]string{"s0": "{}"},
			k3s: machine.K3s{Role: v1alpha1.K3sAgent, Config: map[string]any{"flannel-backend": "host-gw"}},
		},
		"Exists": {
			reason: "A VM that exists is never frozen.", servers: map[string]string{"s0": "{}"}, exists: true,
			k3s: machine.K3s{Role: v1alpha1.K3sServer, Config: map[string]any{"flannel-backend": "host-gw"}},
		},
		"Forced": {
			reason: "A person has changed the servers.", servers: map[string]string{"s0": "{}"}, force: "2026-11-20",
			k3s: machine.K3s{Role: v1alpha1.K3sServer, Config: map[string]any{"flannel-backend": "host-gw"}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &call{claim: claim.Claim{K3sNode: &v1alpha1.K3sNodeSpec{K3s: v1alpha1.K3s{Config: tc.k3s.Config, Disable: tc.k3s.Disable}}}}
			c.claim.K3sNode.Lifecycle.Force = tc.force

			for server, config := range tc.servers {
				vm, file := madeServer(server, config)
				c.otherServerVMs, c.otherServerFiles = append(c.otherServerVMs, vm), append(c.otherServerFiles, file)
			}

			if tc.exists {
				c.facts.Observed.VMs = map[string]proxmox.ObservedVM{"vm": {}}
			}

			var got []string
			for _, err := range sharedOfBirth(c, &machine.Machine{K3s: &tc.k3s}, catalog.Catalog{}) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nsharedOfBirth(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSharedOfReplacement: a refused replacement names where the setting stands, and both values, without a secret.
func TestSharedOfReplacement(t *testing.T) {
	const says = ", and K3s lets no server join that differs from its cluster: write what the cluster has (/etc/rancher/k3s/config.yaml on the VM)"

	cases := map[string]struct {
		reason, made string
		claim        v1alpha1.K3s
		config       map[string]any // Of claim and catalogue together.
		disable      []string
		force        string
		want         []string
	}{
		"Same": {reason: "The usual case.", made: "{}"},
		"OfClaim": {
			reason: "The claim says it.", made: "flannel-backend: host-gw", claim: v1alpha1.K3s{Config: map[string]any{"flannel-backend": "vxlan"}}, config: map[string]any{"flannel-backend": "vxlan"},
			want: []string{`spec.k3s.config[flannel-backend]: Invalid value: "vxlan": differs from what the server was made with (host-gw)` + says},
		},
		"OfCatalogue": {
			reason: "The catalogue says it.", made: "{}", claim: v1alpha1.K3s{Cluster: "home"}, config: map[string]any{"flannel-backend": "host-gw"},
			want: []string{`data.clusters.home.config[flannel-backend]: Invalid value: "host-gw": differs from what the server was made with (vxlan)` + says},
		},
		"Component": {
			reason: "A component is no value of the config.", made: "{}", claim: v1alpha1.K3s{Disable: []string{"servicelb"}}, disable: []string{"servicelb"},
			want: []string{`spec.k3s.disable: Invalid value: "with servicelb": differs from what the server was made with (without servicelb)` + says},
		},
		"Secret": {
			reason: "A token is in no message.", made: "agent-token: before", claim: v1alpha1.K3s{Config: map[string]any{"agent-token": "after"}}, config: map[string]any{"agent-token": "after"},
			want: []string{`spec.k3s.config[agent-token]: Invalid value: "another value": differs from what the server was made with (another value)` + says},
		},
		"Forced": {
			reason: "A person has changed the servers.", made: "flannel-backend: host-gw", force: "2026-11-20",
			claim: v1alpha1.K3s{Config: map[string]any{"flannel-backend": "vxlan"}}, config: map[string]any{"flannel-backend": "vxlan"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := &call{claim: claim.Claim{K3sNode: &v1alpha1.K3sNodeSpec{K3s: tc.claim}}}
			c.claim.K3sNode.Lifecycle.Replace, c.claim.K3sNode.Lifecycle.Force = "2026-11-20", tc.force
			c.facts.Roles = lifecycle.Roles{Active: lifecycle.FirstVM, Candidate: "vm-2", Trigger: "2026-11-20"}

			vm, file := madeServer("s0", tc.made)
			c.facts.Observed.VMs, c.facts.Observed.Files = map[string]proxmox.ObservedVM{lifecycle.FirstVM: vm}, map[string]proxmox.ObservedFile{"file": file}

			m := &machine.Machine{K3s: &machine.K3s{Role: v1alpha1.K3sServer, Config: tc.config, Disable: tc.disable}}
			cat := catalog.Catalog{Clusters: map[string]catalog.Cluster{"home": {From: "data.clusters.home"}}}

			var got []string
			for _, err := range sharedOfReplacement(c, m, cat) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
