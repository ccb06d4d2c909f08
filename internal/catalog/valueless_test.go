package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// TestValueless: a name without a value is no entry, and who names it is told why.
func TestValueless(t *testing.T) {
	cases := map[string]struct {
		reason   string
		document string
		want     []string
	}{
		"All": {
			reason: "Each section has names.", document: `{"classes": {"a": null, "b": {}}, "images": {"c": null}, "sites": {"d": null, "e": {"nodes": {"pve.1": null, "p": {}}}}, "clusters": {"f": null}, "tenancy": {"tenants": {"g": null, "h": {"sites": {"i": null}}}}}`,
			want: []string{".classes.a", ".images.c", ".sites.d", ".sites.e.nodes.pve.1", ".clusters.f", ".tenancy.tenants.g", ".tenancy.tenants.h.sites.i"},
		},
		"Lists":    {"A datastore of a node has a list.", `{"sites": {"e": {"nodes": {"p": {"storages": {"local": null}}}}}}`, []string{".sites.e.nodes.p.storages.local"}},
		"None":     {reason: "An empty object is a value.", document: `{"classes": {"a": {}}, "sites": {"e": {"nodes": {"p": {}}}}}`},
		"Fields":   {reason: "A field without a value is one that was left out, as in a claim.", document: `{"defaults": {"class": null}, "sites": null, "classes": {"a": {"cores": null}}}`},
		"Nonsense": {reason: "The decoder says what is no object.", document: `{"sites": [null], "tenancy": 1, "classes": {"a": [null]}}`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, _ := Decode([]byte(tc.document), prefix)

			var want, got []string
			for _, path := range tc.want {
				want = append(want, prefix+path)
			}

			for _, v := range Merge(BuiltIn(), c).Valueless {
				got = append(got, v.Path)
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s\nValueless: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestNamesValueless: the fault of a name without a value says so, unless a tenant reads it who may not know the name.
func TestNamesValueless(t *testing.T) {
	c, _ := Decode([]byte(`{"sites": {"lab": null}, "tenancy": {"tenants": {"acme": {"namespaces": ["a"], "sites": {"home": {}}}}}}`), prefix)
	const unknown = `proxmox.site: Invalid value: "lab": there is no site of that name`

	cases := map[string]struct {
		reason string
		reader bool
		want   string
	}{
		"Everybody": {
			reason: "The catalogue has the name.",
			want:   unknown + `; there are none: ` + examples[KindSite] + `; ` + prefix + `.sites.lab has no value, and counts as left out: write its fields or {} behind the name, or remove it`,
		},
		"Tenant": {reason: "A tenant is told no other names than its own.", reader: true, want: unknown + `; there are none: ` + examples[KindSite]},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := c
			if tc.reader {
				of, _ := c.Tenancy.ReaderOf("a")
				c.Reader = &of
			}

			_, errs := c.Site(field.NewPath("proxmox", "site"), "lab")
			if diff := cmp.Diff([]string{tc.want}, []string{errs.ToAggregate().Error()}); diff != "" {
				t.Errorf("%s\nSite(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
