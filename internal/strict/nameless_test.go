package strict

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
)

// TestFormOfNameless: entries of a catalogue without their names.
func TestFormOfNameless(t *testing.T) {
	const missing = "Invalid value: the name of an entry is missing: write it above its fields, "

	cases := map[string]struct {
		reason, document string
		want             []string
	}{
		"Site":      {"The only site seems to need no name.", `{"sites": {"nodes": {"pve": {}}, "network": {"gateway": "10.0.0.1"}}}`, []string{"data.sites: " + missing + "{home: {network: ..., nodes: ...}}"}},
		"Class":     {"A size alone.", `{"classes": {"cores": 2, "memory": "4Gi"}}`, []string{"data.classes: " + missing + "{small: {cores: ..., memory: ...}}"}},
		"Inside":    {"What is wrong in it is said, too.", `{"classes": {"cores": "two"}}`, []string{"data.classes: " + missing + "{small: {cores: ...}}", `data.classes.cores: Invalid value: "two": must be a whole number`}},
		"Named":     {"An entry may have the name of a field.", `{"sites": {"network": {"nodes": {"pve": {}}}}}`, nil},
		"Empty":     {"An entry may have nothing yet.", `{"sites": {"network": {}}}`, nil},
		"OneOfTwo":  {"A field among entries is an entry of a wrong form.", `{"classes": {"cores": 2, "tiny": {}}}`, []string{"data.classes.cores: Invalid value: must be an object with fields: such as {cores: 2, memory: 4Gi, disk: 40Gi}"}},
		"Valueless": {"A name without a value is one of an entry.", `{"sites": {"network": null}}`, nil},
		"Texts":     {"Names of texts are no entries.", `{"sites": {"home": {"nodes": {"pve": {"storages": {"images": ["import"]}}}}}}`, nil},
		"Datastore": {"The datastore for images has any name, unlike images of a site.", `{"sites": {"home": {"nodes": {"pve": {"datastores": {"image": "local"}}}}}}`, []string{
			"data.sites.home.nodes.pve.datastores.image: Forbidden: unknown field; did you mean data.sites.home.nodes.pve.datastores.images?",
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			var from any
			if err := json.Unmarshal([]byte(tc.document), &from); err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, err := range Decode(field.NewPath("data"), from, &v1alpha1.Catalogue{}, nil) {
				got = append(got, err.Error())
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want +got:\n%s", tc.reason, diff)
			}
		})
	}
}
