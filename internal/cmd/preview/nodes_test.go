package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var update = flag.Bool("update", false, "rewrite the plan that docs/node.md shows")

// nodeOf a living VM, as K3s registers it.
func nodeOf(t *testing.T, name string, vm unstructured.Unstructured, vote string) unstructured.Unstructured {
	t.Helper()

	smbios, _, err := unstructured.NestedSlice(vm.Object, "spec", "forProvider", "smbios")
	if err != nil || len(smbios) != 1 {
		t.Fatalf("VM %s has no SMBIOS UUID: %v, %v", vm.GetName(), smbios, err)
	}

	first, _ := smbios[0].(map[string]any)

	return object(t, fmt.Sprintf(`
apiVersion: v1
kind: Node
metadata: {name: %s, labels: {node-role.kubernetes.io/control-plane: "true", node-role.kubernetes.io/etcd: "true"}}
status:
  conditions: [{type: Ready, status: "True", reason: KubeletReady}, {type: EtcdIsVoter, status: %q, reason: EtcdMember}]
  nodeInfo: {systemUUID: %v, kubeletVersion: v1.33.6+k3s1}
`, name, vote, first["uuid"]))
}

// TestNodes previews the replacement of a K3s server whose cluster is observed. The plan is the one that docs/node.md shows.
func TestNodes(t *testing.T) {
	function, crossplane, engine := realPrograms(t)
	story := filepath.Join(repository, "example", "k3s-cluster")

	b, err := os.ReadFile(filepath.Join(story, fileCatalogue))
	if err != nil {
		t.Fatal(err)
	}

	const cluster = "    home:\n      server:"

	catalogue := strings.Replace(string(b), cluster, "    home:\n      observe: Here\n      server:", 1)
	if catalogue == string(b) {
		t.Fatalf("the catalogue has no %q", cluster)
	}

	catalogue = filepath.Join(writeTree(t, map[string]string{fileCatalogue: catalogue}), fileCatalogue)
	preview := func(args ...string) string {
		t.Helper()

		var stdout, stderr bytes.Buffer

		args = append([]string{"-root", repository, "-function", function, "-crossplane", crossplane, "-engine", engine, "-catalogue", catalogue}, args...)
		if err := run(context.Background(), args, &stdout, &stderr); err != nil {
			t.Fatalf("run(...): %v\n%s", err, &stderr)
		}

		return stdout.String()
	}

	var vms, nodes []unstructured.Unstructured

	for _, name := range []string{"server-1", "server-2", "server-3"} {
		for _, o := range living(t, preview("-claim", filepath.Join(story, name+".yaml"), "-observed", noFile)) {
			if o.GetKind() == "EnvironmentVM" {
				nodes = append(nodes, nodeOf(t, name, o, "True"))
			}

			vms = append(vms, o)
		}
	}

	text, err := os.ReadFile(filepath.Join(story, "server-2.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	secrets, err := os.ReadFile(filepath.Join(story, fileSecrets))
	if err != nil {
		t.Fatal(err)
	}

	claim := filepath.Join(writeTree(t, map[string]string{
		"server-2.yaml": string(text) + "  lifecycle: {replace: again}\n", fileSecrets: string(secrets),
	}), "server-2.yaml")
	planOf := func(objects ...unstructured.Unstructured) string {
		t.Helper()

		file, err := writeManifests(t.TempDir(), "observed.yaml", objects...)
		if err != nil {
			t.Fatal(err)
		}

		_, p, _ := strings.Cut(preview("-claim", claim, "-observed", file), "# The plan:\n")

		return "# The plan:\n" + p
	}

	t.Run("Given", func(t *testing.T) { holdShown(t, planOf(append(vms, nodes...)...)) })

	t.Run("NotGiven", func(t *testing.T) {
		if got := planOf(vms...); !strings.Contains(got, "# The preview has no Kubernetes Nodes") || !strings.Contains(got, "#   Node server-2: wait\n") {
			t.Errorf("the plan pretends to know that there are no Nodes:\n%s", got)
		}
	})

	t.Run("NoVote", func(t *testing.T) {
		silent := append([]unstructured.Unstructured{}, nodes...)
		silent[2] = nodeOf(t, "server-3", vms[len(vms)-1], "False")

		if got := planOf(append(vms, silent...)...); !strings.Contains(got, "blocked: ") || !strings.Contains(got, "#   Node server-2: keep\n") {
			t.Errorf("the plan replaces a server although another one does not vote:\n%s", got)
		}
	})
}

// holdShown holds a plan against the one that docs/node.md shows.
func holdShown(t *testing.T, got string) {
	t.Helper()

	const begin = "```text\n# The plan:\n"

	file := filepath.Join(repository, "docs", "node.md")

	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	before, rest, ok := strings.Cut(string(page), begin)
	if !ok {
		t.Fatalf("docs/node.md has no plan; the plan is\n%s", got)
	}

	shown, after, _ := strings.Cut(rest, "```\n")

	diff := cmp.Diff("# The plan:\n"+shown, got)
	if diff == "" {
		return
	}

	if !*update {
		t.Fatalf("docs/node.md shows another plan (run with -update): -shown, +true:\n%s", diff)
	}

	page = []byte(before + "```text\n" + got + "```\n" + after)
	if err := os.WriteFile(file, page, 0o644); err != nil { //nolint:gosec // A page is for everybody.
		t.Fatal(err)
	}
}
