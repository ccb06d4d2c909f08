package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestBelongsTo(t *testing.T) {
	cases := map[string]struct {
		reason string
		labels map[string]string
		want   bool
	}{
		"NoLabels":       {reason: "Without labels a resource is anybody's.", want: true},
		"Claim":          {reason: "The claim's name fits.", labels: map[string]string{labelClaimName: "a"}, want: true},
		"OtherClaim":     {reason: "Another claim's resource is left out.", labels: map[string]string{labelClaimName: "b"}},
		"Composite":      {reason: "The composite's name fits.", labels: map[string]string{labelComposite: "a-xyz"}, want: true},
		"NameAsIs":       {reason: "In a namespaced package the composite has the claim's name.", labels: map[string]string{labelComposite: "a"}, want: true},
		"OtherComposite": {reason: "Another composite's resource is left out.", labels: map[string]string{labelComposite: "b-xyz", labelClaimName: "a"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, xr, o := claim{}, unstructured.Unstructured{Object: map[string]any{}}, unstructured.Unstructured{Object: map[string]any{}}
			c.object.Object = map[string]any{}
			c.object.SetName("a")
			xr.SetName("a-xyz")
			o.SetLabels(tc.labels)

			if diff := cmp.Diff(tc.want, belongsTo(o, c, xr)); diff != "" {
				t.Errorf("\n%s\nbelongsTo(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestFlavourRenders(t *testing.T) {
	groups := []string{
		"virtualenvironmentvm.crossplane.io", "virtualenvironmentvm.proxmoxbpg.crossplane.io", "virtualenvironmentvm.proxmoxbpg.m.crossplane.io",
	}

	cases := map[string]struct {
		reason string
		want   []bool
	}{
		flavourLegacy:     {reason: "The old provider has groups without its name.", want: []bool{true, false, false}},
		flavourClaims:     {reason: "Cluster-scoped resources of the present provider.", want: []bool{false, true, false}},
		flavourNamespaced: {reason: "Namespaced resources of the present provider.", want: []bool{false, false, true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := []bool{}
			for _, g := range groups {
				got = append(got, flavours()[name].renders(g))
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("\n%s\nrenders(...) of %v: -want, +got:\n%s", tc.reason, groups, diff)
			}
		})
	}
}
