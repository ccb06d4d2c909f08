package examples

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestSites: what is rendered of a site is what the provider's CRDs know, at every step, in both flavours that have sites.
func TestSites(t *testing.T) {
	set := otherCRDs(t)

	for name, namespaced := range map[string]bool{"Claims": false, "Namespaced": true} {
		t.Run(name, func(t *testing.T) {
			composite, catalogue := siteExample(t, "home.yaml"), siteExample(t, "catalogue.yaml")

			meta := world.Object(composite["metadata"])
			meta["uid"] = "own"

			if !namespaced {
				composite["kind"] = "XProxmoxSite"
				world.Object(composite["spec"])["claimRef"] = map[string]any{"kind": "ProxmoxSite", "name": meta["name"], "namespace": meta["namespace"]}
				delete(meta, "namespace")
			}

			observed := map[string]map[string]any{}

			for range 8 {
				observed = siteTurn(t, set, composite, catalogue, observed)
			}

			for _, want := range []string{"bridge-pve1-vmbr1", "bridge-pve2-vmbr1", "vlan-pve1-vmbr1.30", "pool-k3s", "pool-tier1"} {
				if observed[want] == nil {
					t.Errorf("there is no %s", want)
				}
			}

			if len(observed) != 5 {
				t.Errorf("want five resources at rest, got %d", len(observed))
			}
		})
	}
}

func siteExample(t *testing.T, name string) map[string]any {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(fake.Root(t), "example", "site-parts", name))
	if err != nil {
		t.Fatal(err)
	}

	return world.FromYAML(t, string(b))
}

// siteTurn calls the function, checks what it renders, and has the provider do it.
func siteTurn(t *testing.T, set crds.Set, composite, catalogue map[string]any, observed map[string]map[string]any) map[string]map[string]any {
	t.Helper()

	asStruct := func(o map[string]any) *structpb.Struct {
		s, err := structpb.NewStruct(o)
		if err != nil {
			t.Fatal(err)
		}

		return s
	}

	req := &fnv1.RunFunctionRequest{
		Observed:          &fnv1.State{Composite: &fnv1.Resource{Resource: asStruct(composite)}, Resources: map[string]*fnv1.Resource{}},
		RequiredResources: map[string]*fnv1.Resources{"machine-catalog": {Items: []*fnv1.Resource{{Resource: asStruct(catalogue)}}}},
	}

	for name, o := range observed {
		req.Observed.Resources[name] = &fnv1.Resource{Resource: asStruct(o)}
	}

	rsp := compose.Answer(req)
	if rs := rsp.GetResults(); len(rs) > 0 && rs[0].GetSeverity() == fnv1.Severity_SEVERITY_FATAL {
		t.Fatal(rs[0].GetMessage())
	}

	out := map[string]map[string]any{}

	for name, r := range rsp.GetDesired().GetResources() {
		o := r.GetResource().AsMap()
		named := maps.Clone(o)
		meta := maps.Clone(world.Object(o["metadata"]))
		meta["name"] = "a-" + strings.ToLower(name)
		named["metadata"] = meta

		for _, err := range set.Check(named) {
			t.Errorf("%s: %v", name, err)
		}

		at := maps.Clone(world.Object(world.Object(o["spec"])["forProvider"]))
		annotations := world.Object(world.Object(o["metadata"])["annotations"])
		at["id"] = annotations["crossplane.io/external-name"]

		// The provider notes that it begins to create.
		if annotations["homelab.io/creating"] != nil {
			annotations["crossplane.io/external-create-pending"] = "2026-11-20T10:00:00Z"
		}

		if strings.HasPrefix(name, "look-") && !strings.HasPrefix(name, "look-port-") {
			out[name] = without(o)
		} else {
			out[name] = with(o, at)
		}
	}

	return out
}

// otherCRDs are the provider's CRDs of kinds that are not of machines.
func otherCRDs(t *testing.T) crds.Set {
	t.Helper()

	dir := filepath.Join("..", "..", "..", "shared", "other-crds")
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}

		t.Skip("no CRDs of the provider, which are not part of this repository")
	}

	set, err := crds.Load(filepath.Join(dir, "provider-proxmox-bpg-v1.18.0"))
	if err != nil {
		t.Fatal(err)
	}

	return set
}
