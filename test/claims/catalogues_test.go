package claims

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// TestExampleCatalogues checks every entry of the catalogues that people start from, used by an example or not.
func TestExampleCatalogues(t *testing.T) {
	files, err := filepath.Glob("../../example/*/catalogue.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no catalogues")
	}

	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}

		c, errs := catalog.FromValue(floats(parse(t, string(b))["data"]), "data")
		for _, err := range append(errs, validate.Catalog(c)...) {
			t.Errorf("%s: %v", f, err)
		}
	}
}
