package claim

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func TestClusterOf(t *testing.T) {
	long := strings.Repeat("a", 51) + "-" + strings.Repeat("b", 11)

	cases := map[string]struct {
		reason    string
		namespace string
		k3s       *v1alpha1.K3s
		want      Cluster
	}{
		"Machine":        {"A plain machine is in no cluster.", "infra", nil, Cluster{}},
		"None":           {"A claim need not name its cluster.", "infra", &v1alpha1.K3s{Server: "https://x:6443"}, Cluster{}},
		"Entry":          {"An entry of the catalogue is the label itself, as in every release.", "infra", &v1alpha1.K3s{Cluster: "home"}, Cluster{"home", "home"}},
		"Name":           {"A name belongs to its namespace.", "infra", &v1alpha1.K3s{ClusterName: "home"}, Cluster{"home", "home.67e19c0882"}},
		"OtherNamespace": {"The same name in another namespace is another cluster.", "lab", &v1alpha1.K3s{ClusterName: "home"}, Cluster{"home", "home.8c139f125c"}},
		"NoNamespace":    {"Cluster-scoped composites without a claim have none, and share their names.", "", &v1alpha1.K3s{ClusterName: "home"}, Cluster{"home", "home.2cc974af6a"}},
		"Long":           {"A label has 63 characters at most.", "infra", &v1alpha1.K3s{ClusterName: long}, Cluster{long, strings.Repeat("a", 51) + ".0553b9b668"}},
		"Both":           {"Validation refuses both; the entry is what the servers had so far.", "infra", &v1alpha1.K3s{Cluster: "home", ClusterName: "lab"}, Cluster{"home", "home"}},
	}

	labels := map[string]string{}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := ClusterOf(machine.Identity{Namespace: tc.namespace}, tc.k3s)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if faults := validation.IsValidLabelValue(got.Label); len(faults) > 0 {
				t.Errorf("%s\nlabel %q: %v", tc.reason, got.Label, faults)
			}

			if other, taken := labels[got.Label]; taken && got.Label != "" && tc.want.Label != "home" {
				t.Errorf("%s and %s have one label, %q", name, other, got.Label)
			}

			labels[got.Label] = name
		})
	}
}
