package preview

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func aNamed(t *testing.T, kind, namespace, name, spec string) Named {
	t.Helper()

	o := unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(`{apiVersion: homelab.io/v1alpha1, kind: `+kind+`, metadata: {name: `+name+`, namespace: `+namespace+`}, spec: {`+spec+`}}`), &o.Object); err != nil {
		t.Fatal(err)
	}

	return Named{Name: kind + " " + namespace + "/" + name, Composite: o}
}

func TestRenames(t *testing.T) {
	named := func(kind, name, spec string) Named { return aNamed(t, kind, "infra", name, spec) }

	cases := map[string]struct {
		reason string
		gone   []Named
		born   []Named
		want   []Rename
	}{
		"Nothing": {reason: "Without a deletion there is no rename.", born: []Named{named("Machine", "b", "proxmox: {vmId: 160}")}},
		"Others": {
			reason: "Machines of one class, each with its own address, are two machines.",
			gone:   []Named{named("Machine", "a", "class: small, network: {ip: 192.168.4.60}")}, born: []Named{named("Machine", "b", "class: small, network: {ip: 192.168.4.61}")},
		},
		"VMID": {
			reason: "One number is one VM.",
			gone:   []Named{named("Machine", "a", "class: small, proxmox: {vmId: 160}")}, born: []Named{named("Machine", "b", "class: large, proxmox: {vmId: 160}")},
			want: []Rename{{From: "Machine infra/a", To: "Machine infra/b", Shares: "the VMID"}},
		},
		"Address": {
			reason: "One address is one machine, of whatever kind.",
			gone:   []Named{named("Machine", "a", "network: {ip: 192.168.4.60}")}, born: []Named{named("Container", "b", "network: {ip: 192.168.4.60}")},
			want: []Rename{{From: "Machine infra/a", To: "Container infra/b", Shares: "the address"}},
		},
		"MAC": {
			reason: "A router knows it by that.",
			gone:   []Named{named("Machine", "a", `network: {dhcp: true, mac: "BC:24:11:00:00:60"}`)}, born: []Named{named("Machine", "b", `class: x, network: {dhcp: true, mac: "BC:24:11:00:00:60"}`)},
			want: []Rename{{From: "Machine infra/a", To: "Machine infra/b", Shares: "the MAC address"}},
		},
		"Cluster": {
			reason: "The nodes of a cluster have their addresses, whatever the cluster is called.",
			gone:   []Named{named("K3sCluster", "a", "cluster: x, nodes: [{name: server-0, ip: 192.168.4.211}]")},
			born:   []Named{named("K3sCluster", "b", "cluster: y, nodes: [{name: server-0, ip: 192.168.4.210}, {name: server-1, ip: 192.168.4.211}]")},
			want:   []Rename{{From: "K3sCluster infra/a", To: "K3sCluster infra/b", Shares: "the address"}},
		},
		"ClusterOfOneName": {
			reason: "One cluster of the catalogue is one K3s cluster.",
			gone:   []Named{named("K3sCluster", "a", "cluster: home")}, born: []Named{named("K3sCluster", "b", "cluster: home")},
			want: []Rename{{From: "K3sCluster infra/a", To: "K3sCluster infra/b", Shares: "the K3s cluster"}},
		},
		"Clusters": {
			reason: "Two clusters are two.",
			gone:   []Named{named("K3sCluster", "a", "cluster: x, nodes: [{name: server-0, ip: 192.168.4.211}]")},
			born:   []Named{named("K3sCluster", "b", "cluster: y, nodes: [{name: server-0, ip: 192.168.4.221}]")},
		},
		"NodeAsMachine": {
			reason: "A node that becomes a machine of its own.",
			gone:   []Named{named("K3sCluster", "a", "cluster: x, nodes: [{name: server-0, vmId: 160}]")}, born: []Named{named("K3sNode", "b", "proxmox: {vmId: 160}")},
			want: []Rename{{From: "K3sCluster infra/a", To: "K3sNode infra/b", Shares: "the VMID"}},
		},
		"HostName": {
			reason: "The former name as the new host name.",
			gone:   []Named{named("K3sNode", "a", "class: small")}, born: []Named{named("K3sNode", "b", "class: large, hostname: a")},
			want: []Rename{{From: "K3sNode infra/a", To: "K3sNode infra/b", Shares: "the host name"}},
		},
		"OtherKind": {
			reason: "A K3sNode under the name of a Machine is another machine, too.",
			gone:   []Named{named("Machine", "a", "class: small")}, born: []Named{named("K3sNode", "a", "class: large")},
			want: []Rename{{From: "Machine infra/a", To: "K3sNode infra/a", Shares: "the host name"}},
		},
		"AllSettings": {
			reason: "Only the name was edited; what Crossplane writes into a spec is no setting.",
			gone:   []Named{named("XMachine", "a-x7f2k", "claimRef: {name: a}, class: small, network: {dhcp: true}")}, born: []Named{named("XMachine", "b-24567", "class: small, network: {dhcp: true}")},
			want: []Rename{{From: "XMachine infra/a-x7f2k", To: "XMachine infra/b-24567", Shares: "all settings"}},
		},
		"Adopts": {
			reason: "Who adopts the VM has read how.",
			gone:   []Named{named("Machine", "a", "deletionPolicy: Orphan, network: {ip: 192.168.4.60}")}, born: []Named{named("Machine", "b", "adopt: {vmId: 160}, network: {ip: 192.168.4.60}")},
		},
		"Site": {
			reason: "What a site has is on its hosts, and a cluster's name is in its nodes' names.",
			gone:   []Named{named("ProxmoxSite", "a", "site: home"), named("K3sCluster", "a", "x: 1")}, born: []Named{named("ProxmoxSite", "b", "site: home"), named("K3sCluster", "b", "x: 1")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Renames(tc.gone, tc.born)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestMoves(t *testing.T) {
	cases := map[string]struct {
		reason     string
		left, born []Named
		want       []Move
	}{
		"Nothing": {reason: "Nobody is left, and nobody is born."},
		"Moved": {
			reason: "Its file has another namespace.", left: []Named{aNamed(t, "Machine", "infra", "a", "")}, born: []Named{aNamed(t, "Machine", "other", "a", "")},
			want: []Move{{From: "Machine infra/a", To: "Machine other/a"}},
		},
		"Cluster": {
			reason: "All of its nodes are made anew.", left: []Named{aNamed(t, "K3sCluster", "infra", "a", "")}, born: []Named{aNamed(t, "K3sCluster", "other", "a", "")},
			want: []Move{{From: "K3sCluster infra/a", To: "K3sCluster other/a"}},
		},
		"Site":   {reason: "What a site has is on its hosts.", left: []Named{aNamed(t, "ProxmoxSite", "infra", "a", "")}, born: []Named{aNamed(t, "ProxmoxSite", "other", "a", "")}},
		"Other":  {reason: "Another name is another machine, and no move.", left: []Named{aNamed(t, "Machine", "infra", "a", "")}, born: []Named{aNamed(t, "Machine", "other", "b", "")}},
		"Kind":   {reason: "So is another kind.", left: []Named{aNamed(t, "Container", "infra", "a", "")}, born: []Named{aNamed(t, "Machine", "other", "a", "")}},
		"Adopts": {reason: "Who adopts the VM has read how.", left: []Named{aNamed(t, "Machine", "infra", "a", "")}, born: []Named{aNamed(t, "Machine", "other", "a", "adopt: {vmId: 160}")}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Moves(tc.left, tc.born)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
