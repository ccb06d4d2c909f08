// Package claims holds wrong and right claims against both of their judges, the XRDs and the function's own checks, and
// the two against each other: what an XRD refuses, the function refuses by the same field.
package claims

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	extv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/crossplane/crossplane-runtime/v2/pkg/xcrd"
	xpv1 "github.com/crossplane/crossplane/apis/v2/apiextensions/v1"

	"github.com/homelab-io/function-proxmox-machine/test/crds"
)

// A judge is one kind of an XRD, as an API server with Crossplane serves it.
type judge struct {
	name       string
	definition *crds.Definition
}

// judges by the kind that a person writes: the claim, its composite, and the composite in the person's namespace.
type judges map[string][]judge

// loaded are the judges of all tests: to compile their rules takes seconds, and none keeps anything of what it judged.
var loaded judges

// generations of XRDs.
func loadJudges(t *testing.T) judges {
	t.Helper()

	if loaded != nil {
		return loaded
	}

	out := judges{}

	for _, dir := range []string{"../../package/xrds", "../../package-v2/xrds"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil || len(files) != 5 {
			t.Fatalf("want the XRDs of five kinds in %s, got %v, %v", dir, files, err)
		}

		for _, f := range files {
			for _, crd := range crdsOf(t, f) {
				kind := strings.TrimPrefix(crd.Spec.Names.Kind, "X")
				out[kind] = append(out[kind], newJudge(t, filepath.Base(filepath.Dir(dir))+" "+crd.Spec.Names.Kind, crd))
			}
		}
	}

	loaded = out

	return out
}

// crdsOf an XRD: the composite's, and the claim's where it has one.
func crdsOf(t *testing.T, file string) []*extv1.CustomResourceDefinition {
	t.Helper()

	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	xrd := &xpv1.CompositeResourceDefinition{}
	if err := yaml.UnmarshalStrict(b, xrd); err != nil {
		t.Fatalf("cannot read %s: %v", file, err)
	}

	// The API server gives it one, and wants it in the owner reference of the CRD.
	xrd.SetUID("8f5a3c1e-0d7b-4f7e-9a54-2f0d5d1a6b11")

	composite, err := xcrd.ForCompositeResource(xrd)
	if err != nil {
		t.Fatalf("cannot make a CRD of %s: %v", file, err)
	}

	if xrd.Spec.ClaimNames == nil {
		return []*extv1.CustomResourceDefinition{composite}
	}

	claim, err := xcrd.ForCompositeResourceClaim(xrd)
	if err != nil {
		t.Fatalf("cannot make a claim's CRD of %s: %v", file, err)
	}

	return []*extv1.CustomResourceDefinition{composite, claim}
}

func newJudge(t *testing.T, name string, crd *extv1.CustomResourceDefinition) judge {
	t.Helper()

	d, err := crds.NewDefinition(crd.Spec.Versions[0])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	return judge{name: name, definition: d}
}

// refuse an object that takes the place of none.
func (j judge) refuse(object map[string]any) field.ErrorList { return j.definition.Check(object, nil) }

// TestXRDsAreValid asks the API server's own validation whether it would serve the CRDs: among others, whether their
// CEL rules compile and cost little enough.
func TestXRDsAreValid(t *testing.T) {
	files, err := filepath.Glob("../../package*/xrds/*.yaml")
	if err != nil || len(files) != 10 {
		t.Fatalf("want ten XRDs, got %v, %v", files, err)
	}

	for _, f := range files {
		for _, crd := range crdsOf(t, f) {
			extv1.SetDefaults_CustomResourceDefinition(crd)
			extv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)

			internal := &apiextensions.CustomResourceDefinition{}
			if err := extv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd, internal, nil); err != nil {
				t.Fatal(err)
			}

			internal.Status.StoredVersions = []string{"v1alpha1"}

			for _, err := range crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal) {
				t.Errorf("%s, kind %s: %v", f, crd.Spec.Names.Kind, err)
			}
		}
	}
}

// parse a document.
func parse(t *testing.T, document string) map[string]any {
	t.Helper()

	b, err := yaml.YAMLToJSON([]byte(document))
	if err != nil {
		t.Fatalf("cannot parse: %v\n%s", err, document)
	}

	// Whole numbers are int64, as the API server has them.
	out := map[string]any{}
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatalf("cannot parse: %v\n%s", err, document)
	}

	return out
}

// floats makes every number a float64 in place, as a request has them.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = floats(v[k])
		}

		return v
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}

		return v
	case int64:
		return float64(v)
	default:
		return v
	}
}

// composites that Crossplane makes of what a person wrote: of a claim, and in the person's own namespace.
func composites(object map[string]any) map[string]map[string]any {
	namespaced := runtime.DeepCopyJSON(object)
	ofClaim := runtime.DeepCopyJSON(object)

	metadata, ok := ofClaim["metadata"].(map[string]any)
	if !ok {
		return map[string]map[string]any{"namespaced": namespaced}
	}

	name, namespace := metadata["name"], metadata["namespace"]
	delete(metadata, "namespace")

	if s, ok := name.(string); ok {
		metadata["name"] = s + "-x7k2p"
	}

	if kind, ok := ofClaim["kind"].(string); ok {
		ofClaim["kind"] = "X" + kind
	}

	if spec, ok := ofClaim["spec"].(map[string]any); ok {
		maps.Copy(spec, map[string]any{
			"claimRef":                map[string]any{"apiVersion": object["apiVersion"], "kind": object["kind"], "name": name, "namespace": namespace},
			"compositionRef":          map[string]any{"name": "machines"},
			"compositionUpdatePolicy": "Automatic",
			"resourceRefs":            []any{},
		})
	}

	return map[string]map[string]any{"namespaced": namespaced, "of a claim": ofClaim}
}
