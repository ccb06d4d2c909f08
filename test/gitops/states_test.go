package gitops

import (
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// recorded is an object that a chain (see the folder beside this file) recorded on a real control plane.
func recorded(t *testing.T, cluster, state string) *unstructured.Unstructured {
	t.Helper()

	from := cluster

	switch cluster {
	case "crossplane-1":
		from = "claims"
	case "k3s-cluster":
		from = "namespaced"
	}

	o := objects(t, []byte(read(t, filepath.Join("testdata", "objects", from, state+".yaml"))))[0]

	// Crossplane 1.20 writes the same conditions, and does not say of which generation they are.
	if cluster == "crossplane-1" {
		eachCondition(&o, func(c map[string]any) { delete(c, "observedGeneration") })
	}

	return &o
}

// A change of an object.
type change func(t *testing.T, o *unstructured.Unstructured)

func set(value any, path ...string) change {
	return func(t *testing.T, o *unstructured.Unstructured) {
		t.Helper()

		if err := unstructured.SetNestedField(o.Object, value, path...); err != nil {
			t.Fatal(err)
		}
	}
}

func without(path ...string) change {
	return func(_ *testing.T, o *unstructured.Unstructured) { unstructured.RemoveNestedField(o.Object, path...) }
}

// committed is an edit by Flux that nobody has looked at yet.
func committed(edit change) change {
	return func(t *testing.T, o *unstructured.Unstructured) {
		t.Helper()
		edit(t, o)
		o.SetGeneration(o.GetGeneration() + 1)

		fields := o.GetManagedFields()
		for i := range fields {
			if fields[i].Manager == "kustomize-controller" {
				later := *fields[i].Time.DeepCopy()
				later.Time = later.Add(hour)
				fields[i].Time = &later
			}
		}

		o.SetManagedFields(fields)
	}
}

// passedOn is what Crossplane makes of a claim that it has handed to its composite, before anything came back: everything that
// was said of the last generation is said of this one.
func passedOn(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()

	if _, composite := o.Object["spec"].(map[string]any)["crossplane"]; composite {
		return // There is nobody to hand it to.
	}

	eachCondition(o, func(c map[string]any) {
		if _, dated := c["observedGeneration"]; !dated {
			return
		}

		c["observedGeneration"] = o.GetGeneration()

		if c["type"] == "Synced" {
			c["lastTransitionTime"] = "2099-01-01T00:00:00Z" // When it did.
		}
	})
}

// becomes changes a condition.
func becomes(typ, status, reason string) change {
	return func(_ *testing.T, o *unstructured.Unstructured) {
		eachCondition(o, func(c map[string]any) {
			if c["type"] == typ {
				c["status"], c["reason"] = status, reason
			}
		})
	}
}

func eachCondition(o *unstructured.Unstructured, do func(c map[string]any)) {
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range list {
		if m, ok := c.(map[string]any); ok {
			do(m)
		}
	}

	_ = unstructured.SetNestedSlice(o.Object, list, "status", "conditions")
}
