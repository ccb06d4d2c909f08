package compose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
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
