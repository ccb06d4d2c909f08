package main

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestKrewManifest: krew's own validator reads the manifest of each `make release`; this is what it has.
func TestKrewManifest(t *testing.T) {
	all, err := platforms("")
	if err != nil {
		t.Fatal(err)
	}

	sums := map[string]string{}
	for _, p := range all {
		sums[archiveName("v0.2.0", p)] = sha256Of([]byte(p.String()))
	}

	got, err := krewManifest("v0.2.0", all, sums)
	if err != nil {
		t.Fatal(err)
	}

	const golden = "testdata/machine.yaml"
	if *update {
		if err := os.WriteFile(golden, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("krew manifest: -want, +got:\n%s", diff)
	}

	if _, err := krewManifest("v0.3.0", all, sums); err == nil || !strings.Contains(err.Error(), "no archive kubectl-machine_v0.3.0_darwin_amd64.tar.gz") {
		t.Errorf("want an error that names the missing archive, got %v", err)
	}
}
