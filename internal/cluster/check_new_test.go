package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
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
			want: []string{`spec.nodes[0].name: Invalid value: "server-9": is no node of this cluster: a node's name is pool and number, such as server-0; pools are server, worker`},
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
