package behaviour

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// columnsOf a kind, as the package installs them: claims and composites have the same ones.
func columnsOf(t *testing.T, in world.Installation, kind string) []extv1.CustomResourceColumnDefinition {
	t.Helper()

	folder := "../../package/xrds/"
	if in.Namespaced {
		folder = "../../package-v2/xrds/"
	}

	b, err := os.ReadFile(folder + strings.ToLower(kind) + "s.yaml")
	if err != nil {
		t.Fatal(err)
	}

	xrd := xpv1.CompositeResourceDefinition{}
	if err := yaml.Unmarshal(b, &xrd); err != nil {
		t.Fatal(err)
	}

	return xrd.Spec.Versions[0].AdditionalPrinterColumns
}

// wide is what `kubectl get -o wide` shows of a machine beyond `kubectl get`, as the API server makes it.
func (m *machine) wide(in world.Installation, kind string) map[string]string {
	m.t.Helper()

	columns := columnsOf(m.t, in, kind)

	convertor, err := tableconvertor.New(columns)
	if err != nil {
		m.t.Fatal(err)
	}

	table, err := convertor.ConvertToTable(m.t.Context(), &unstructured.Unstructured{Object: m.Composite}, nil)
	if err != nil {
		m.t.Fatal(err)
	}

	out := map[string]string{}

	for i, c := range table.ColumnDefinitions {
		cell := table.Rows[0].Cells[i]
		if c.Priority > 0 && cell != nil {
			out[strings.ToUpper(c.Name)] = fmt.Sprint(cell)
		}
	}

	return out
}

// TestWideColumns: the columns say what became of the guest, and are empty where nobody knows.
func TestWideColumns(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			shows := func(m *machine, kind string, want map[string]string) {
				t.Helper()
				m.Rest()

				if diff := cmp.Diff(want, m.wide(in, kind)); diff != "" {
					t.Errorf("-want, +got:\n%s", diff)
				}
			}

			m, _ := observedIn(t, in)
			shows(m, "K3sNode", map[string]string{"JOINED": "NotYet"})
			m.Join(m.number())
			shows(m, "K3sNode", map[string]string{"JOINED": "Joined", "VERSION": "v1.33.6+k3s1"})

			reports := exampleIn(t, "k3s-cluster/agent-1", in)
			reports.Rest()
			reports.Proxmox.VMs[reports.number()].Report = "k3s-joined"
			reports.Provide()
			shows(reports, "K3sNode", map[string]string{"JOINED": "Reported"})

			nixos := exampleIn(t, "nixos/dns01", in)
			shows(nixos, "Machine", map[string]string{})
			nixos.Proxmox.VMs[nixos.number()].Report = "nix-back-00ff00"
			nixos.Provide()
			shows(nixos, "Machine", map[string]string{"REVISION": "00ff00", "CONVERGED": "RolledBack"})
		})
	}
}
