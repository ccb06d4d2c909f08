package properties

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/crds"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// claimDefinitions are what an API server makes of the XRDs, by kind, but for Crossplane's own fields.
func claimDefinitions(t *testing.T) map[string]*crds.Definition {
	t.Helper()

	out := map[string]*crds.Definition{}

	for _, f := range []string{"machines.yaml", "k3snodes.yaml"} {
		b, err := os.ReadFile(filepath.Join(fake.Root(t), "package-v2", "xrds", f))
		if err != nil {
			t.Fatal(err)
		}

		// An XRD's version has the same form as a CRD's.
		xrd := struct {
			Spec struct {
				Names    extv1.CustomResourceDefinitionNames     `json:"names"`
				Versions []extv1.CustomResourceDefinitionVersion `json:"versions"`
			} `json:"spec"`
		}{}
		if err := yaml.Unmarshal(b, &xrd); err != nil {
			t.Fatal(err)
		}

		if out[xrd.Spec.Names.Kind], err = crds.NewDefinition(xrd.Spec.Versions[0]); err != nil {
			t.Fatal(err)
		}
	}

	return out
}

// TestPairsAreValid: an API server takes every first spec, and every second one in the place of the first once there is a VM.
// That the function takes them, too, TestPairs sees.
func TestPairsAreValid(t *testing.T) {
	definitions := claimDefinitions(t)

	for i := range min(*pairCount, 200) {
		p := pairNumber(i)
		first, second := integers(t, p.claim(p.first)), integers(t, p.claim(p.second))
		first["status"] = map[string]any{"vmId": int64(100)}

		for _, errs := range []error{
			definitions[p.kind].Check(first, nil).ToAggregate(), definitions[p.kind].Check(second, first).ToAggregate(),
		} {
			if errs != nil {
				t.Errorf("pair %d: %v\n%s", i, errs, p)
			}
		}
	}
}

// integers of an object are int64, as in an API server.
func integers(t *testing.T, o map[string]any) map[string]any {
	t.Helper()

	out := map[string]any{}
	if err := utiljson.Unmarshal([]byte(world.Compact(o)), &out); err != nil {
		t.Fatal(err)
	}

	return out
}

// TestPairsSayEverything: every field of the XRDs is said by some first claim, and edited by some second one, so that a new
// field cannot be forgotten here.
func TestPairsSayEverything(t *testing.T) {
	// These say which machine it is, and cannot be edited, or are added to pairs in another way.
	fixed := []string{"k3s.role", "k3s.cluster", "k3s.clusterName", "proxmox.site", "adopt", "adopt.vmId", "adopt.approve", "k3s.restore"}
	said, edited := map[string]bool{}, map[string]bool{}

	for i := range uint64(1000) {
		p := pairNumber(i)

		for _, path := range paths(nil, p.first, p.second) {
			was, is := read(p.first, path), read(p.second, path)
			name := strings.Join(path, ".")
			said[name] = true
			edited[name] = edited[name] || world.Compact(was) != world.Compact(is)

			// Of the items of a list, the fields.
			for _, item := range slices.Concat(world.List(was), world.List(is)) {
				for _, inner := range paths(path, world.Object(item), nil) {
					name := strings.Join(inner, ".")
					said[name], edited[name] = true, edited[name] || edited[strings.Join(path, ".")]
				}
			}
		}
	}

	for kind, d := range claimDefinitions(t) {
		for _, name := range fieldsOf("", d.Structural().Properties["spec"]) {
			if !slices.Contains(fixed, name) && (!said[name] || !edited[name]) {
				t.Errorf("%s: spec.%s is said by a claim: %t, and edited: %t", kind, name, said[name], edited[name])
			}
		}
	}
}

// fieldsOf a schema, those of items among them.
func fieldsOf(at string, s schema.Structural) []string {
	var out []string

	if s.Items != nil {
		out = append(out, fieldsOf(at, *s.Items)...)
	}

	for name, child := range s.Properties {
		name = strings.TrimPrefix(at+"."+name, ".")
		out = append(append(out, name), fieldsOf(name, child)...)
	}

	return out
}
