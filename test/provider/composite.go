package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// An API is a way to install the project, which decides the flavour of what is rendered.
type API string

// The ways to install the project.
const (
	APIClaims     API = "claims"
	APILegacy     API = "legacy"
	APINamespaced API = "namespaced"
)

// flavour that an API must render.
func (a API) flavour() Flavour {
	return map[API]Flavour{APIClaims: FlavourCluster, APILegacy: FlavourLegacy, APINamespaced: FlavourNamespaced}[a]
}

// ReadObjects reads every document of a YAML file.
func ReadObjects(file string) ([]unstructured.Unstructured, error) {
	b, err := os.ReadFile(filepath.Clean(file))
	if err != nil {
		return nil, fmt.Errorf("cannot read manifests: %w", err)
	}

	var out []unstructured.Unstructured

	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(b), 4096); ; {
		u := unstructured.Unstructured{}
		if err := dec.Decode(&u.Object); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("cannot read %s: %w", file, err)
		}

		if len(u.Object) > 0 {
			out = append(out, u)
		}
	}
}

// Input is what the Composition of a kind gives to the function, read from the packages as they are shipped.
func Input(root string, api API, kind string) (map[string]any, error) {
	folder := "package"
	if api == APINamespaced {
		folder = "package-v2"
	}

	files, err := filepath.Glob(filepath.Join(root, folder, "compositions", "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("cannot list Compositions: %w", err)
	}

	for _, f := range files {
		objects, err := ReadObjects(f)
		if err != nil {
			return nil, err
		}

		for _, o := range objects {
			if k, _, _ := unstructured.NestedString(o.Object, "spec", "compositeTypeRef", "kind"); k == kind {
				return inputOf(o, api)
			}
		}
	}

	return nil, fmt.Errorf("no Composition for %s in %s", kind, folder)
}

func inputOf(composition unstructured.Unstructured, api API) (map[string]any, error) {
	steps, _, err := unstructured.NestedSlice(composition.Object, "spec", "pipeline")
	if err != nil || len(steps) != 1 {
		return nil, fmt.Errorf("cannot read the pipeline of %s, which has %d steps: %w", composition.GetName(), len(steps), err)
	}

	step, _ := steps[0].(map[string]any)
	in, _ := step["input"].(map[string]any)
	in = maps.Clone(in)

	if api == APILegacy {
		in["providerAPI"] = "legacy"
	}

	return in, nil
}

// CompositeOf is the composite that Crossplane makes of a claim: the claim itself where composites are namespaced,
// otherwise a cluster-scoped one with a generated name, here drawn from the claim's.
func CompositeOf(claim unstructured.Unstructured, api API) unstructured.Unstructured {
	c := *claim.DeepCopy()
	// Which machine it is does not depend on how the project is installed, so that what is rendered can be compared.
	hash := digest(claim.GetNamespace(), claim.GetName())
	c.SetUID(types.UID(fmt.Sprintf("%s-%s-4%s-8%s-%s", hash[:8], hash[8:12], hash[12:15], hash[15:18], hash[18:30])))

	if api == APINamespaced {
		return c
	}

	c.SetKind("X" + claim.GetKind())
	c.SetNamespace("")
	c.SetName(claim.GetName() + "-" + hash[:5])
	c.SetLabels(map[string]string{
		"crossplane.io/claim-name": claim.GetName(), "crossplane.io/claim-namespace": claim.GetNamespace(),
	})

	ref := map[string]any{
		"apiVersion": claim.GetAPIVersion(), "kind": claim.GetKind(), "name": claim.GetName(), "namespace": claim.GetNamespace(),
	}
	_ = unstructured.SetNestedMap(c.Object, ref, "spec", "claimRef") // A claim's spec is an object.

	return c
}

func digest(of ...string) string {
	h := sha256.New()
	for _, s := range of {
		_, _ = io.WriteString(h, s+"\x00")
	}

	return hex.EncodeToString(h.Sum(nil))
}

// asStored is a Secret as an API server keeps it: stringData as data.
func asStored(o unstructured.Unstructured) unstructured.Unstructured {
	plain, ok, _ := unstructured.NestedStringMap(o.Object, "stringData")
	if o.GetKind() != "Secret" || !ok {
		return o
	}

	data, _, _ := unstructured.NestedStringMap(o.Object, "data")
	if data == nil {
		data = map[string]string{}
	}

	for k, v := range plain {
		data[k] = base64.StdEncoding.EncodeToString([]byte(v))
	}

	o = *o.DeepCopy()
	unstructured.RemoveNestedField(o.Object, "stringData")
	_ = unstructured.SetNestedStringMap(o.Object, data, "data") // The object was just read as one.

	return o
}
