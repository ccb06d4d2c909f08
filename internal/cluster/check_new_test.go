package cluster

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestCheckNew: who writes a new cluster reads all that is wrong at once, and each mistake once.
func TestCheckNew(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(*v1alpha1.K3sClusterSpec)
		// decoded are the faults with which the claim was read.
		decoded field.ErrorList
		want    []string
	}{
		"Right": {reason: "Nothing is wrong.", edit: func(*v1alpha1.K3sClusterSpec) {}},
		"UserData": {
			reason: "Each server would refuse it; the claim has it once.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Template = v1alpha1.NodeTemplate{"bootstrap": map[string]any{"userData": "#cloud-config\nusers: ops\n"}}
			},
			want: []string{"spec.servers.template.bootstrap.userData: Invalid value: line 2: users must be a list, found a single value"},
		},
		"Unread": {
			reason:  "What could not be read hides nothing else, and what follows from it is not said again.",
			decoded: field.ErrorList{field.Invalid(field.NewPath("spec", "colour"), "red", "unknown field"), field.Invalid(field.NewPath("spec", "servers", "class"), 4, "must be text")},
			edit:    func(s *v1alpha1.K3sClusterSpec) { s.Servers.Count, s.Servers.Class = new(int64(2)), "4" },
			want: []string{
				`spec.colour: Invalid value: "red": unknown field`, "spec.servers.class: Invalid value: 4: must be text",
				"spec.servers.count: Invalid value: 2: must be 1, 3 or 5: etcd needs more than half of its members, so two and four servers are no safer than one and three",
			},
		},
		"Absent": {
			reason: "A node that nobody has.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Nodes = []v1alpha1.ClusterNode{{Name: "server-9"}} },
			want: []string{`spec.nodes[0].name: Invalid value: "server-9": is no node of this cluster; there are: server-0 to server-2, worker-0`},
		},
		"AbsentOfTwo": {
			reason: "Whether there is a third server follows from a number that has to be another one.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Count, s.Nodes = new(int64(2)), []v1alpha1.ClusterNode{{Name: "server-2", IP: "192.168.4.63/24"}}
			},
			want: []string{"spec.servers.count: Invalid value: 2: must be 1, 3 or 5: etcd needs more than half of its members, so two and four servers are no safer than one and three"},
		},
		"PoolName": {
			reason: "The names of the nodes are wrong with it.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Agents[0].Name = "my_pool" },
			want: []string{`spec.agents[0].name: Invalid value: "my_pool": must start with a letter, hold at most 16 lower case letters, digits and hyphens, and differ from server`},
		},
		"Schedule": {
			reason: "It becomes an option of K3s.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Servers.Snapshots = &v1alpha1.EtcdSnapshots{Schedule: "daily"} },
			want: []string{`spec.servers.snapshots.schedule: Invalid value: "daily": must be the five fields of cron, such as 0 */6 * * *`},
		},
		"Both": {
			reason: "A fault of the whole claim hides none of a node.",
			edit: func(s *v1alpha1.K3sClusterSpec) {
				s.Servers.Count, s.Servers.Class, s.Upgrade = new(int64(2)), "tiny", "System"
			},
			want: []string{
				"spec.servers.count: Invalid value: 2: must be 1, 3 or 5: etcd needs more than half of its members, so two and four servers are no safer than one and three",
				`spec.upgrade: Unsupported value: "System": supported values: "None", "Replace", "SystemUpgrade"`,
				`spec.servers.class: Invalid value: "tiny": there is no class of that name; there are: micro, large, medium, small`,
			},
		},
		"SystemUpgrade": {
			reason: "The catalogue's entry lacks what it needs.", edit: func(s *v1alpha1.K3sClusterSpec) { s.Upgrade = v1alpha1.UpgradeSystem },
			want: []string{`spec.upgrade: Invalid value: "SystemUpgrade": needs providerConfig and observe in the catalogue's entry of cluster home: ` +
				"provider-kubernetes writes the Plans into the cluster, and the Nodes say what runs"},
		},
	}

	id := identity
	id.Namespace = "infra-machines"

	cat := catalog.BuiltIn()
	cat.Clusters = map[string]catalog.Cluster{"home": {}}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := claimed(3, 1)
			spec.Servers.Template = v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve1"}}
			spec.Agents[0].Template = v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve1"}}
			tc.edit(&spec)

			if b, ok := spec.Servers.Template["bootstrap"]; ok {
				spec.Servers.Template = v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve1"}, "bootstrap": b}
			}

			if diff := cmp.Diff(tc.want, texts(CheckNew(id, "homelab.io/v1alpha1", spec, cat, tc.decoded, nil))); diff != "" {
				t.Errorf("%s\nCheckNew(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckNewEndpoint: the address of the only server is refused where it stands, in the claim or in the catalogue, and where it is right is said.
func TestCheckNewEndpoint(t *testing.T) {
	const own = `: Invalid value: "https://192.168.4.61:6443": is the node's own address, which answers nothing while the node is replaced: ` +
		"name a virtual IP, a DNS name of all servers, or another server"

	cases := map[string]struct {
		reason, typed, entry string
		servers              int64
		want                 []string
	}{
		"Claim":        {reason: "Nobody else could answer.", typed: "https://192.168.4.61:6443", servers: 1},
		"ClaimOfThree": {reason: "Two others could.", typed: "https://192.168.4.61:6443", servers: 3, want: []string{"spec.endpoint" + own}},
		"Entry": {
			reason: "Nobody typed spec.endpoint.", entry: "https://192.168.4.61:6443", servers: 1,
			want: []string{"data.clusters.home.server" + own + ". With one server, leave server out there, and write it as spec.endpoint of the K3sCluster"},
		},
		"EntryOfThree": {reason: "It is wrong in the claim, too.", entry: "https://192.168.4.61:6443", servers: 3, want: []string{"data.clusters.home.server" + own}},
		"Other":        {reason: "Another host.", entry: "https://192.168.4.60:6443", servers: 1},
	}

	id := identity
	id.Namespace = "infra-machines"

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			entry, faults := catalog.Decode(fmt.Appendf(nil, `{"clusters": {"home": {"server": %q}}}`, tc.entry), "data")
			if len(faults) > 0 {
				t.Fatal(faults)
			}

			cat := catalog.BuiltIn()
			cat.Clusters = entry.Clusters

			spec := claimed(tc.servers, 1)
			spec.Agents = nil
			spec.Endpoint = tc.typed
			spec.Servers.Template = v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve1"}}
			spec.Nodes = []v1alpha1.ClusterNode{{Name: "server-0", IP: "192.168.4.61/24"}}

			if diff := cmp.Diff(tc.want, texts(CheckNew(id, "homelab.io/v1alpha1", spec, cat, nil, nil))); diff != "" {
				t.Errorf("%s\nCheckNew(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNodesLeave: a server leaves etcd with its Node alone, so somebody has to write it, and to read that it is gone.
func TestNodesLeave(t *testing.T) {
	cases := map[string]struct {
		reason  string
		name    string
		config  string
		observe machine.Observation
		want    bool
	}{
		"Both":      {"The Node can be deleted, and is seen to go.", "home", "home", machine.ObserveObject, true},
		"Here":      {"It is the cluster of Crossplane.", "home", "home", machine.ObserveHere, true},
		"Unread":    {"Nobody would see that it is gone.", "home", "home", machine.ObserveNone, false},
		"Unwritten": {"Nobody can delete it.", "home", "", machine.ObserveObject, false},
		"Elsewhere": {"It is another cluster's entry.", "away", "away", machine.ObserveHere, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var entry catalog.Cluster

			entry.ProviderConfig, entry.Observe = tc.config, tc.observe

			if got := NodesLeave(catalog.Catalog{Clusters: map[string]catalog.Cluster{tc.name: entry}}, claimed(3, 0)); got != tc.want {
				t.Errorf("%s\ngot %t, want %t", tc.reason, got, tc.want)
			}
		})
	}
}

// TestCheckChange: what a node would be refused for in its turn is told before the turn, and what is wrong with it already is not.
func TestCheckChange(t *testing.T) {
	id := identity
	id.Namespace = "infra-machines"

	cat := catalog.BuiltIn()
	cat.Clusters = map[string]catalog.Cluster{"home": {}}

	spec := claimed(3, 1)
	spec.Servers.Template = v1alpha1.NodeTemplate{"proxmox": map[string]any{"node": "pve1"}}

	server := func() Member {
		members, err := Members(id, spec, false)
		if err != nil {
			t.Fatal(err)
		}

		return members[1]
	}

	cases := map[string]struct {
		reason    string
		was, asks func(spec map[string]any)
		refused   string
		want      []string
	}{
		"Same": {reason: "Nothing is asked for."},
		"Class": {
			reason: "There is none.", asks: func(s map[string]any) { s["class"] = "tiny" },
			want: []string{`spec.servers.class: Invalid value: "tiny": there is no class of that name; there are: micro, large, medium, small`},
		},
		"Already": {reason: "It was so before.", was: func(s map[string]any) { s["class"] = "tiny" }, asks: func(s map[string]any) { s["class"] = "tiny" }},
		"Cluster": {reason: "What it has joined it stays in.", asks: func(s map[string]any) { group(s, "k3s")["cluster"] = "away" }, want: []string{
			`spec.cluster: Invalid value: "away": the VM is a node of cluster home, and the other nodes count it there: write that name again, or create a new node, and delete this one`,
		}},
		"Token": {
			reason: "The node would keep its own K3s settings from then on.", asks: func(s map[string]any) { delete(group(s, "k3s"), "token") },
			want: []string{"spec.token.trustOnFirstUse: Required value: the nodes join with the token of the first server only with trustOnFirstUse: true; or write joinToken, one of their own"},
		},
		"TokenAlready": {
			reason: "It keeps them already.", was: func(s map[string]any) { delete(group(s, "k3s"), "token") }, asks: func(s map[string]any) { delete(group(s, "k3s"), "token") },
		},
		"Refused": {
			reason: "Its spec does not tell what its VM is: it is judged by the new one alone.", refused: "no",
			was: func(s map[string]any) { group(s, "k3s")["role"] = "agent" },
		},
		"Role": {
			reason: "An agent does not become a server.", was: func(s map[string]any) { group(s, "k3s")["role"] = "agent" },
			want: []string{`spec.servers: Invalid value: "server": the VM was made as an agent, and K3s is installed as that: create a new node, and delete this one`},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := server()
			c := Child{Machine: m.Machine, Role: m.Role, Spec: server().Spec, Refused: tc.refused, ProxmoxNode: "pve1", Joined: true}

			if tc.was != nil {
				tc.was(c.Spec)
			}

			if tc.asks != nil {
				tc.asks(m.Spec)
			}

			if diff := cmp.Diff(tc.want, texts(CheckChange(m, c, id, "homelab.io/v1alpha1", spec, cat))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestCheckName: servers that count each other keep the name by which they do.
func TestCheckName(t *testing.T) {
	of := func(role v1alpha1.K3sRole, k map[string]any) Child {
		return Child{Role: role, Spec: map[string]any{"k3s": k}}
	}
	inEntry, named := map[string]any{"cluster": "home"}, map[string]any{"clusterName": "home"}

	server, agent := of(v1alpha1.K3sServer, inEntry), of(v1alpha1.K3sAgent, inEntry)
	three := map[string]Child{"server-0": server, "server-1": server, "server-2": server, "worker-0": agent}
	gone := []string{"spec.cluster: Required value: the nodes were made as those of the catalogue's cluster home, and the servers count each other by that name: " +
		"write cluster: home again. endpoint may stand beside it"}

	for name, tc := range map[string]struct {
		reason   string
		node     Child
		cluster  string
		children map[string]Child
		want     []string
	}{
		"Server": {"The others would not count it.", server, "", three, gone},
		"Agent":  {"Nor would its servers.", agent, "", three, gone},
		"Stays":  {"It is named.", server, "home", three, nil},
		"Other":  {"What it may be named is said elsewhere.", server, "house", three, nil},
		"Alone":  {"Nobody counts it.", server, "", map[string]Child{"server-0": server, "worker-0": agent}, nil},
		"Named":  {"It never was in an entry.", of(v1alpha1.K3sServer, named), "", map[string]Child{"server-0": of(v1alpha1.K3sServer, named), "server-1": of(v1alpha1.K3sServer, named)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(CheckName(tc.node, v1alpha1.K3sClusterSpec{Cluster: tc.cluster}, tc.children))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
