package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFluxNamespace has the namespace in which Flux puts a claim, which is the one that rules are about.
func TestFluxNamespace(t *testing.T) {
	t.Parallel()

	const (
		machines  = "layers/machines.yaml"
		machine   = "machines/files01.yaml"
		catalogue = "catalogue/catalogue.yaml"
	)

	// Only the namespace infra may have machines.
	tenants := fluxEdit{catalogue, "data:\n", "data:\n  tenancy: {default: Deny, tenants: {team: {namespaces: [infra], allow: [pin]}}}\n"}
	second := strings.ReplaceAll(aRepository()[machines], "machines", "second")

	cases := map[string]struct {
		reason string
		edits  []fluxEdit
		want   []string // The beginnings of what the API server or the function refuses.
	}{
		"Layer":     {"The layer puts the claim into the tenant's namespace.", []fluxEdit{tenants}, nil},
		"Said":      {"Whatever the claim says.", []fluxEdit{tenants, {machine, "  name: files01", "  name: files01\n  namespace: apps"}}, nil},
		"Other":     {"It may be another one.", []fluxEdit{tenants, {machines, "targetNamespace: infra", "targetNamespace: apps"}}, []string{"machines/files01.yaml:3:1: metadata.namespace: apps is no tenant's namespace"}},
		"None":      {"Without one kubectl's own counts.", []fluxEdit{tenants, {machines, "  targetNamespace: infra\n", ""}}, []string{"machines/files01.yaml:3:1: metadata.namespace: default is no tenant's namespace"}},
		"Kustomize": {"A kustomization.yaml says it, too.", []fluxEdit{tenants, {machines, "  targetNamespace: infra\n", ""}, {"machines/kustomization.yaml", "", "namespace: infra\nresources: [files01.yaml]\n"}}, nil},
		"Twice": {
			"Two layers have a machine of one name each.",
			[]fluxEdit{{"layers/second.yaml", "", strings.Replace(second, "targetNamespace: infra", "targetNamespace: apps", 1)}, {"second/files01.yaml", "", aRepository()[machine]}},
			nil,
		},
		"TwiceInOne": {
			"Two layers of one namespace have the same machine.",
			[]fluxEdit{{"layers/second.yaml", "", second}, {"second/files01.yaml", "", aRepository()[machine]}},
			[]string{"second/files01.yaml:4:9: metadata.name: Machine files01 (machines/files01.yaml:4) has the same name and namespace"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			raw := aRepositoryWith(t, tc.edits)

			var got []string

			for _, f := range Check(raw, nil, Options{}).Faults {
				if f.Severity != Error {
					continue
				}

				said := f.String()
				for _, want := range tc.want {
					if strings.HasPrefix(said, want) {
						said = want
					}
				}

				got = append(got, said)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nCheck(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
