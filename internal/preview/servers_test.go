package preview

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestOtherServers previews the replacement of a K3s server. Whether it may be replaced depends on the other servers, which
// the function asks Crossplane for by label: here they are in the file of what was observed, or they are not.
func TestOtherServers(t *testing.T) {
	story := filepath.Join(repository, "example", "k3s-cluster")
	preview := func(claim, observed string) string {
		t.Helper()

		return rendering{files: Files{Catalogue: filepath.Join(story, "catalogue.yaml"), Observed: observed}}.text(t, claim)
	}

	var all, own []unstructured.Unstructured

	for _, name := range []string{"server-1", "server-2", "server-3"} {
		o := living(t, preview(filepath.Join(story, name+".yaml"), NoFile))
		if all = append(all, o...); name == "server-2" {
			own = o
		}
	}

	text, err := os.ReadFile(filepath.Join(story, "server-2.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	claim := filepath.Join(writeTree(t, map[string]string{"server-2.yaml": string(text) + "  lifecycle: {replace: again}\n"}), "server-2.yaml")

	cases := map[string]struct {
		reason   string
		observed []unstructured.Unstructured
		has, not string
	}{
		"Given": {
			reason:   "With the other servers, the new VM is begun.",
			observed: all,
			has:      "#   vm: replace\n",
			not:      "reason: ReplacementBlocked",
		},
		"NotGiven": {
			reason:   "Without them, the preview does not pretend to know that there are none.",
			observed: own,
			has:      "# The preview has no VMs of other machines",
			not:      "#   vm-",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "observed.yaml")
			if err := writeManifests(file, tc.observed...); err != nil {
				t.Fatal(err)
			}

			if got := preview(claim, file); !strings.Contains(got, tc.has) || strings.Contains(got, tc.not) {
				t.Errorf("\n%s\nwant %q and not %q in\n%s", tc.reason, tc.has, tc.not, got)
			}
		})
	}
}

// living are the managed resources of a preview as the cluster has them once they are made, and the VM runs.
func living(t *testing.T, output string) []unstructured.Unstructured {
	t.Helper()

	turn, err := parseTurn([]byte(output))
	if err != nil {
		t.Fatal(err)
	}

	out := make([]unstructured.Unstructured, 0, len(turn.Composed))

	for _, o := range turn.Composed {
		o = made(o)

		at, _, err := unstructured.NestedMap(o.Object, "spec", "forProvider")
		if err != nil {
			t.Fatal(err)
		}

		at["id"] = o.GetAnnotations()[annotationExternalName]

		// A server counts if its guest agent answers.
		if o.GetKind() == "EnvironmentVM" {
			const mac = "BC:24:11:00:00:01"

			at["networkDevice"] = []any{map[string]any{"macAddress": mac}}
			at["macAddresses"] = []any{mac}
			at["networkInterfaceNames"] = []any{"eth0"}
			at["ipv4Addresses"] = []any{[]any{"192.168.4.100"}}
		}

		if err := unstructured.SetNestedMap(o.Object, at, "status", "atProvider"); err != nil {
			t.Fatal(err)
		}

		out = append(out, o)
	}

	return out
}
