package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRemains: a VM stays what it was made as in its cluster, and nobody counts it as something else.
func TestRemains(t *testing.T) {
	const (
		entry    = `server: "https://k3s:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}`
		clusters = "clusters:\n  home: {" + entry + "}\n  other: {" + entry + "}\n  alone: {" + entry + ", config: {disable-etcd: true}}\n  outside: {" + entry + ", config: {datastore-cafile: /x}}\n"
		named    = `role: server, server: "https://k3s:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}`
	)

	type k3s struct {
		Former string
		Etcd   proxmox.Etcd
	}

	server := Member{Role: v1alpha1.K3sServer, Cluster: "home", Etcd: proxmox.EtcdMember}
	without := Member{Role: v1alpha1.K3sServer, Cluster: "home", Etcd: proxmox.EtcdNone}
	undated := Member{Role: v1alpha1.K3sServer, Cluster: "home"}
	agent := Member{Role: v1alpha1.K3sAgent, Cluster: "home"}
	of := func(cluster string, etcd proxmox.Etcd) Member {
		return Member{Role: v1alpha1.K3sServer, Cluster: cluster, Etcd: etcd}
	}

	cases := map[string]struct {
		reason string
		k3s    string
		was    Member
		want   k3s
		fault  string // Its field and a part of its sentence, with a colon between them.
	}{
		"NoVM":          {reason: "Before there is a VM, the claim says it.", k3s: `cluster: home, role: server, config: {disable-etcd: true}`, want: k3s{Etcd: proxmox.EtcdNone}},
		"NoAgentVM":     {reason: "An agent has no etcd.", k3s: `cluster: home, role: agent`},
		"Same":          {reason: "Nothing changed.", k3s: `cluster: home, role: server`, was: server, want: k3s{Etcd: proxmox.EtcdMember}},
		"SaidAgain":     {reason: "False is what it was.", k3s: `cluster: home, role: server, config: {disable-etcd: false}`, was: server, want: k3s{Etcd: proxmox.EtcdMember}},
		"ToAgent":       {reason: "Its vote stays.", k3s: `cluster: home, role: agent`, was: server, fault: "spec.k3s.role: the VM was made as a server"},
		"ToServer":      {reason: "It would be counted as a vote that it is not.", k3s: `cluster: home, role: server`, was: agent, fault: "spec.k3s.role: the VM was made as an agent"},
		"GivesUp":       {reason: "So is one that gives its vote up only in words.", k3s: `cluster: home, role: server, config: {disable-etcd: true}`, was: server, fault: "spec.k3s.config[disable-etcd]: count its vote"},
		"GoesOutside":   {reason: "Its state is in etcd.", k3s: `cluster: home, role: server, config: {datastore-cafile: /x}`, was: server, fault: "spec.k3s.config[datastore-cafile]: made with a member of etcd"},
		"TakesUp":       {reason: "A server without etcd would count.", k3s: `cluster: home, role: server`, was: without, fault: "spec.k3s.config[disable-etcd]: do not count it"},
		"ByCatalogue":   {reason: "The entry's edit is named where it was typed.", k3s: `cluster: alone, role: server`, was: of("alone", proxmox.EtcdMember), fault: "data.clusters.alone.config[disable-etcd]: count its vote"},
		"DatastoreOf":   {reason: "Also that of a datastore.", k3s: `cluster: outside, role: server`, was: of("outside", proxmox.EtcdMember), fault: "data.clusters.outside.config[datastore-cafile]: made with a member of etcd"},
		"Undated":       {reason: "What no release noted is noted now.", k3s: `cluster: home, role: server, config: {disable-etcd: true}`, was: undated, want: k3s{Etcd: proxmox.EtcdNone}},
		"OtherEntry":    {reason: "The others count it where it is.", k3s: `cluster: other, role: server`, was: server, fault: "spec.k3s.cluster: of cluster home"},
		"OtherForAgent": {reason: "An agent has joined, too.", k3s: `cluster: other, role: agent`, was: agent, fault: "spec.k3s.cluster: a node of cluster home"},
		"NoEntry":       {reason: "Nor does it leave by saying nothing.", k3s: named, was: server, fault: "spec.k3s.cluster: of cluster home"},
		"FirstName":     {reason: "A server that nobody knew gets a name.", k3s: named + `, clusterName: home`, was: of("", proxmox.EtcdMember), want: k3s{Etcd: proxmox.EtcdMember}},
		"OtherName":     {reason: "Whether it may is for who knows the others.", k3s: named + `, clusterName: home`, was: of("hmoe.0123456789", proxmox.EtcdMember), want: k3s{Former: "hmoe.0123456789", Etcd: proxmox.EtcdMember}},
		"BackToEntry":   {reason: "An agent has no vote, and an edit is taken back.", k3s: `cluster: home, role: agent`, was: Member{Role: v1alpha1.K3sAgent, Cluster: "lab.0123456789"}, want: k3s{Former: "lab.0123456789"}},
		"ServerToEntry": {reason: "Its servers would count a vote that they do not have.", k3s: `cluster: home, role: server`, was: of("lab.0123456789", proxmox.EtcdMember), fault: "spec.k3s.cluster: of cluster lab, and"},
		"LostEntry":     {reason: "An entry that is lost says nothing of the vote.", k3s: `cluster: gone, role: server`, was: of("gone", proxmox.EtcdNone), want: k3s{Etcd: proxmox.EtcdNone}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			existing := Existing{Member: tc.was}
			if tc.was != (Member{}) {
				existing.Node, existing.Has, existing.BuiltIn = "pve", &Entries{}, defaults()
			}

			m, errs := Claim(aClaim(t, kindNode, `{proxmox: {node: pve}, class: medium, image: debian, k3s: {`+tc.k3s+`}}`), aCatalog(t, clusters+`
images: {debian: {url: "https://x/y.qcow2", os: debian}}`), existing)

			field, sentence, _ := strings.Cut(tc.fault, ": ")

			switch {
			case tc.fault == "" && len(errs) > 0:
				t.Fatalf("%s\n%v", tc.reason, errs.ToAggregate())
			case tc.fault == "":
				if diff := cmp.Diff(tc.want, k3s{m.K3s.Former, m.K3s.Etcd}); diff != "" {
					t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
				}
			case len(errs) != 1 || errs[0].Field != field || !strings.Contains(errs[0].Detail, sentence):
				t.Errorf("%s\nwant one fault, %q, got: %v", tc.reason, tc.fault, errs.ToAggregate())
			}
		})
	}
}

// TestMemberOf: the labels that the function writes are those that it reads.
func TestMemberOf(t *testing.T) {
	var vm proxmox.ObservedVM

	if got := MemberOf(vm); got != (Member{}) {
		t.Errorf("A VM that is no node: %+v", got)
	}

	vm.Metadata.Labels = map[string]string{proxmox.K3sRoleLabel: "server", proxmox.ClusterLabel: "home", proxmox.EtcdLabel: "none"}

	if diff := cmp.Diff(Member{Role: v1alpha1.K3sServer, Cluster: "home", Etcd: proxmox.EtcdNone}, MemberOf(vm)); diff != "" {
		t.Errorf("MemberOf(...): -want, +got:\n%s", diff)
	}

	if (machine.K3s{}).Etcd.Votes() != true {
		t.Error("A server of which nobody noted anything counts.")
	}
}
