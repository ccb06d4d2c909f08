package preview

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// TestPlanOfAPool: new machines of a folder take different addresses of the pool, which nobody reads in their claims.
func TestPlanOfAPool(t *testing.T) {
	for _, flavour := range catalog.Flavours() {
		configuration, err := Load(flavour)
		if err != nil {
			t.Fatal(err)
		}

		claims, err := configuration.ReadClaims([]string{filepath.Join(repository, "example", "day-two", "pool")}, nil)
		if err != nil {
			t.Fatal(err)
		}

		var stories []Story

		for _, c := range claims {
			s, err := Files{}.Story(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}

			stories = append(stories, s)
		}

		got := map[string][]string{}

		r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}
		for _, m := range r.Plan(t.Context(), stories) {
			if m.State != StateNew || len(m.Steps) != 1 {
				t.Fatalf("%s: %s is no new machine: %+v", flavour, m.Name, m)
			}

			got[m.Name] = m.Steps[0].Notes
		}

		for name, want := range map[string]string{
			"web1": "NIC 0: virtio on vmbr0, 192.168.4.50/24 via 192.168.4.1",
			"web2": "NIC 0: virtio on vmbr0, 192.168.4.52/24 via 192.168.4.1",
		} {
			if !slices.Contains(got[name], want) {
				t.Errorf("%s: %s: want %q, got %q", flavour, name, want, got[name])
			}
		}

		if len(got["proxy"]) != 1 {
			t.Errorf("%s: the claim of proxy has its address, and the plan says it, too: %q", flavour, got["proxy"])
		}
	}
}

// TestPreviewOfAnAddressOfClusterAPI: a preview asks nobody for an address, so it shows the claim on one, and says where the VM gets it.
func TestPreviewOfAnAddressOfClusterAPI(t *testing.T) {
	for _, flavour := range catalog.Flavours() {
		configuration, err := Load(flavour)
		if err != nil {
			t.Fatal(err)
		}

		claims, err := configuration.ReadClaims([]string{filepath.Join(repository, "example", "day-two", "pool", "web.yaml")}, nil)
		if err != nil || len(claims) == 0 {
			t.Fatal(claims, err)
		}

		story, err := Files{}.Story(t.Context(), claims[0])
		if err != nil {
			t.Fatal(err)
		}

		for _, o := range story.Required {
			if o.GetKind() == "EnvironmentConfig" {
				if err := unstructured.SetNestedMap(o.Object, map[string]any{"kind": "InClusterIPPool", "name": "lab"}, "data", "sites", "home", "network", "pool"); err != nil {
					t.Fatal(err)
				}
			}
		}

		r := Renderer{Configuration: configuration, Engine: InProcess{}, Explain: true}.Render(t.Context(), story)

		var kinds []string
		for _, o := range r.Turn.Composed {
			kinds = append(kinds, o.GetKind())
		}

		if !slices.Contains(kinds, "IPAddressClaim") || slices.Contains(kinds, "EnvironmentVM") {
			t.Errorf("%s: the preview has %q", flavour, kinds)
		}

		if said := strings.Join(r.remarks, "\n"); !strings.Contains(said, "when InClusterIPPool lab has given it an address") {
			t.Errorf("%s: the preview does not say where the address comes from: %q", flavour, said)
		}
	}
}
