package preview

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// A nodesStory is the servers of example/k3s-cluster in an observed cluster.
type nodesStory struct {
	preview func(claim, observed string) string
	claim   string // Of server-2, which is to be replaced.
	vms     []unstructured.Unstructured
	nodes   []unstructured.Unstructured
}

// newNodesStory of a cluster whose entry in the catalogue has some keys more.
func newNodesStory(t *testing.T, keys string) *nodesStory {
	t.Helper()

	story := filepath.Join(repository, "example", "k3s-cluster")
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join(story, name))
		if err != nil {
			t.Fatal(err)
		}

		return string(b)
	}

	const cluster = "    home:\n      server:"

	catalogue := strings.Replace(read(fileCatalogue), cluster, "    home:\n"+keys+"      server:", 1)
	if !strings.Contains(catalogue, keys) {
		t.Fatalf("the catalogue has no %q", cluster)
	}

	root := writeTree(t, map[string]string{
		fileCatalogue: catalogue, FileSecrets: read(FileSecrets), "server-2.yaml": read("server-2.yaml") + "  lifecycle: {replace: again}\n",
	})

	s := &nodesStory{claim: filepath.Join(root, "server-2.yaml"), preview: func(claim, observed string) string {
		t.Helper()

		return rendering{files: Files{Catalogue: filepath.Join(root, fileCatalogue), Observed: observed}}.text(t, claim)
	}}

	for _, name := range []string{"server-1", "server-2", "server-3"} {
		for _, o := range living(t, s.preview(filepath.Join(story, name+".yaml"), NoFile)) {
			if o.GetKind() == "EnvironmentVM" {
				s.nodes = append(s.nodes, nodeOf(t, name, o, "True"))
			}

			s.vms = append(s.vms, o)
		}
	}

	return s
}

// plan of the replacement, with some of the objects of the cluster.
func (s *nodesStory) plan(t *testing.T, objects ...[]unstructured.Unstructured) string {
	t.Helper()

	file := filepath.Join(t.TempDir(), "observed.yaml")
	if err := writeManifests(file, slices.Concat(objects...)...); err != nil {
		t.Fatal(err)
	}

	_, p, _ := strings.Cut(s.preview(s.claim, file), "# The plan:\n")

	return "# The plan:\n" + p
}

// TestNodes previews the replacement of a K3s server whose cluster is observed.
func TestNodes(t *testing.T) {
	s := newNodesStory(t, "      observe: Here\n")

	noVote := slices.Clone(s.nodes)
	noVote[2] = nodeOf(t, "server-3", s.vms[len(s.vms)-1], "False")

	cases := map[string]struct {
		reason string
		nodes  []unstructured.Unstructured
		has    []string
	}{
		"Given": {
			reason: "A person deletes the Node of the old VM.", nodes: s.nodes,
			has: []string{"#   Node server-2: replace\n#     when VM 4366 is stopped, delete the Node: `kubectl delete node server-2`; its etcd member goes, too\n", "#   vm: replace\n"},
		},
		"NotGiven": {
			reason: "Without Nodes the preview does not pretend to know that there are none.",
			has:    []string{"#   Node server-2: wait\n", "# The preview has no Kubernetes Nodes"},
		},
		"NoVote": {
			reason: "A server is not replaced while another one does not vote.", nodes: noVote,
			has: []string{"#   Node server-2: keep\n", "blocked: ", "server-3 (its etcd member does not vote)"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := s.plan(t, s.vms, tc.nodes)
			for _, want := range tc.has {
				if !strings.Contains(got, want) {
					t.Errorf("%s\nwant %q in\n%s", tc.reason, want, got)
				}
			}
		})
	}
}

// TestNodesThatGo previews the same where the function lets Nodes go: the plan is the one that docs/node.md shows.
func TestNodesThatGo(t *testing.T) {
	s := newNodesStory(t, "      observe: Here\n      providerConfig: home\n")
	holdShown(t, s.plan(t, s.vms, s.nodes))
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
