package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestField has what inputs of public reports are answered with that once fell short. Those without a word are right by now: what they render,
// internal/resolve and internal/k3s hold.
func TestField(t *testing.T) {
	const field = "../../../shared/field"

	reports, err := filepath.Glob(field + "/*/claim.yaml")
	if err != nil {
		t.Fatal(err)
	}

	if len(reports) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s has no reports", field)
		}

		t.Skipf("%s, which has the inputs, is no part of this repository", field)
	}

	var got strings.Builder

	for _, claim := range reports {
		dir := filepath.Dir(claim)
		files := []string{claim}

		if secrets := filepath.Join(dir, "secrets.yaml"); exists(secrets) {
			files = append(files, secrets)
		}

		claims, err := manifest.ReadRaw(files, nil)
		if err != nil {
			t.Fatal(err)
		}

		catalogue, err := manifest.ReadRaw([]string{filepath.Join(dir, "catalogue.yaml")}, nil)
		if err != nil {
			t.Fatal(err)
		}

		fmt.Fprintf(&got, "== %s\n", filepath.Base(dir))

		for _, f := range Check(claims, catalogue, Options{}).Faults {
			fmt.Fprintln(&got, strings.ReplaceAll(f.String(), dir+"/", ""))
		}
	}

	isGolden(t, "testdata/field.txt", got.String())
}

func exists(file string) bool {
	_, err := os.Stat(file)

	return err == nil
}
