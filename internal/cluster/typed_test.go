package cluster

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestTyped: a person reads the fields that they can edit.
func TestTyped(t *testing.T) {
	cases := map[string]struct {
		reason, node, text, want string
		role                     v1alpha1.K3sRole
	}{
		"Lifecycle":  {"Actions are requested of single nodes.", "server-1", "set spec.lifecycle.force to a new value.", "set spec.nodes[server-1].lifecycle.force to a new value.", v1alpha1.K3sServer},
		"Drain":      {"Drains are the rollout's.", "server-1", "set spec.k3s.drain to false, or spec.lifecycle.force to a new value", "set spec.rollout.drain to false, or spec.nodes[server-1].lifecycle.force to a new value", v1alpha1.K3sServer},
		"Reboots":    {"So is whether nodes are restarted, although it is among a node's actions.", "server-1", "spec.lifecycle.rebootPolicy: WhenNeeded", "spec.rollout.rebootPolicy: WhenNeeded", v1alpha1.K3sServer},
		"Either":     {"A turn asks for what a person may ask, too.", "server-1", "is being power-cycled, as spec.lifecycle requests.", "is being power-cycled, as spec.rollout or spec.nodes[server-1].lifecycle requests.", v1alpha1.K3sServer},
		"Replaces":   {"So it does of a new VM.", "server-1", "spec.lifecycle.replace requests a new VM. Set spec.lifecycle.replace", "spec.rollout or spec.nodes[server-1].lifecycle.replace requests a new VM. Set spec.nodes[server-1].lifecycle.replace", v1alpha1.K3sServer},
		"OfAnother":  {"What is said of another node is that one's.", "server-1", "(was replaced, and its spec.lifecycle.joined does not say `a`)", "(was replaced, and its lifecycle.joined does not say `a`)", v1alpha1.K3sServer},
		"Cluster":    {"Some fields are the whole cluster's.", "worker-0", "spec.k3s.version must be", "spec.version must be", v1alpha1.K3sAgent},
		"OfNode":     {"Some are a node's, by other names.", "worker-0", "change spec.proxmox.vmId, spec.network.ip.", "change spec.nodes[worker-0].vmId, spec.nodes[worker-0].ip.", v1alpha1.K3sAgent},
		"Pool":       {"Some are the pool's.", "gpu-node-0", "a larger spec.class", "a larger spec.agents[gpu-node].class", v1alpha1.K3sAgent},
		"Servers":    {"Servers are a pool without a name.", "server-0", "spec.disks[data].size: 10Gi", "spec.servers.disks[data].size: 10Gi", v1alpha1.K3sServer},
		"Template":   {"And all others are in its template.", "worker-1", "spec.network.pool, spec.bootstrap.secrets[0].path", "spec.agents[worker].template.network.pool, spec.agents[worker].template.bootstrap.secrets[0].path", v1alpha1.K3sAgent},
		"NotAField":  {"Words that look alike are none.", "server-1", "the spec. A spec is this; myspec.lifecycle.x", "the spec. A spec is this; myspec.lifecycle.x", v1alpha1.K3sServer},
		"Refused":    {"What no template can have is no remedy.", "server-0", "set spec.k3s.init", "the first server starts the cluster by itself", v1alpha1.K3sServer},
		"RefusedOne": {"Nor is it among others.", "worker-0", "has the machine's name; set spec.hostname; set spec.k3s.server.", "has the machine's name; the names of the nodes are those of cluster and pool; set spec.endpoint.", v1alpha1.K3sAgent},
		"Prefix":     {"Nor is a field that begins alike.", "server-1", "spec.classes", "spec.servers.template.classes", v1alpha1.K3sServer},
		"EndOfWords": {"A full stop ends a sentence, not a field.", "server-1", "see spec.lifecycle.reboot.", "see spec.nodes[server-1].lifecycle.reboot.", v1alpha1.K3sServer},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := typed(tc.node, tc.role, tc.text); got != tc.want {
				t.Errorf("%s\ngot:  %s\nwant: %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestTypedOfComposite: only of a node that a cluster made the fields are the cluster's.
func TestTypedOfComposite(t *testing.T) {
	node := func(prefix, ownerKind string) map[string]any {
		return map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": prefix + "K3sNode",
			"metadata": map[string]any{
				"annotations":     map[string]any{"crossplane.io/composition-resource-name": "worker-0"},
				"ownerReferences": []any{map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": ownerKind, "controller": true}},
			},
			"spec": map[string]any{"k3s": map[string]any{"role": "agent"}},
		}
	}

	cases := map[string]struct {
		reason    string
		composite map[string]any
		want      string
	}{
		"OfClaim":    {"The nodes of a claim's cluster are composites.", node("X", "XK3sCluster"), "spec.nodes[worker-0].vmId, spec.agents[worker].class"},
		"Namespaced": {"Those of a namespaced cluster are namespaced.", node("", "K3sCluster"), "spec.nodes[worker-0].vmId, spec.agents[worker].class"},
		"Other":      {"What something else made has its own fields.", node("", "Kustomization"), "spec.proxmox.vmId, spec.class"},
		"Nothing":    {"So has one of which nothing is known.", nil, "spec.proxmox.vmId, spec.class"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Typed(tc.composite, "spec.proxmox.vmId, spec.class"); got != tc.want {
				t.Errorf("%s\ngot:  %s\nwant: %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestTold: a fault of a node is one of its cluster's claim, at the place that the claim has.
func TestTold(t *testing.T) {
	three := int64(3)
	spec := v1alpha1.K3sClusterSpec{
		Servers: v1alpha1.ServerPool{Count: &three},
		Agents:  []v1alpha1.AgentPool{{Name: "worker", Count: 1}, {Name: "gpu", Count: 1}},
		Nodes:   []v1alpha1.ClusterNode{{Name: "server-0"}, {Name: "gpu-0", IP: "192.168.4.300"}},
	}

	members, err := Members(machine.Identity{Name: "home", Namespace: "infra"}, spec, false)
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct{ reason, node, fault, want string }{
		"Token":    {"The token is the whole cluster's.", "server-1", "spec.k3s.token.secretRef: is shorter", "spec.token.secretRef: is shorter"},
		"Node":     {"A node has an entry.", "gpu-0", `spec.network.ip: "192.168.4.300": must be`, `spec.nodes[1].ip: "192.168.4.300": must be`},
		"NoEntry":  {"A node without one has what its pool has.", "worker-0", "spec.network.ip: must be", "spec.agents[0].template.network.ip: must be"},
		"Pool":     {"A pool has an index.", "gpu-0", "spec.bootstrap.secrets[0].secretRef: there is none", "spec.agents[1].template.bootstrap.secrets[0].secretRef: there is none"},
		"Role":     {"Nobody types it: the pool says it.", "server-2", `spec.k3s.role: "server": is no role`, `spec.servers: "server": is no role`},
		"OfAgent":  {"A pool of agents has an index.", "gpu-0", `spec.k3s.role: "agent": is no role`, `spec.agents[1]: "agent": is no role`},
		"Detail":   {"What to write is in the claim, too.", "server-2", "spec.disks[0].size: is larger than spec.class", "spec.servers.disks[0].size: is larger than spec.servers.class"},
		"Sentence": {"Not each sentence begins with a field.", "server-0", "cannot read it: see spec.lifecycle.reboot", "cannot read it: see spec.nodes[server-0].lifecycle.reboot"},
		"Unknown":  {"Of a node that the claim does not have, it is as it was.", "server-9", "spec.class: x", "spec.class: x"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Told(members, tc.node, tc.fault, spec); got != tc.want {
				t.Errorf("%s\ngot:  %s\nwant: %s", tc.reason, got, tc.want)
			}
		})
	}
}

// TestTypedOfCluster: a fault of what is the whole cluster's names the cluster's fields, and no node, so that it is there once.
func TestTypedOfCluster(t *testing.T) {
	errs := field.ErrorList{field.Invalid(field.NewPath("spec", "k3s", "server"), "https://10.42.0.10:6443", "named in spec.k3s.cluster; or set spec.network.gateway, or its spec.k3s.server")}
	want := `spec.endpoint: Invalid value: "https://10.42.0.10:6443": named in spec.cluster; or set spec.network.gateway, or its spec.k3s.server`

	for _, node := range []string{"server-0", "server-1"} {
		if got := inCluster(field.ErrorList{errs[0]}, Member{Node: node, Role: v1alpha1.K3sServer}, v1alpha1.K3sClusterSpec{}, "infra")[0].Error(); got != want {
			t.Errorf("%s\ngot:  %s\nwant: %s", node, got, want)
		}

		errs[0].Field = "spec.k3s.server"
	}
}
