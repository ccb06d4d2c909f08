package lint

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

var (
	kindOfMistake = regexp.MustCompile(`(?m)^kind: (Machine|K3sNode|K3sCluster|Container|ProxmoxSite)$`)
	remedyOfFault = regexp.MustCompile(`\b(?:set|write|add|use|in|with|remove|change) (spec(?:\.[a-zA-Z0-9]+(?:\[[^\]\s]*\])?)+)`)
)

// TestRemediesExist: a field of spec that a fault sends people to is one that this kind of claim has, and that a claim may have there.
func TestRemediesExist(t *testing.T) {
	t.Parallel()

	golden, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}

	remedies := map[string]string{} // The mistake, by kind and field.

	for m := range strings.SplitSeq(string(golden), "\n== ") {
		document, faults, _ := strings.Cut(m, "\n--\n")

		kinds := kindOfMistake.FindAllStringSubmatch(document, -1)
		if len(kinds) != 1 || strings.Count("\n"+document, "\nkind: ") != 1 {
			continue // A fault may be of the other document.
		}

		name, _, _ := strings.Cut(document, ":")
		for _, found := range remedyOfFault.FindAllStringSubmatch(faults, -1) {
			remedies[kinds[0][1]+" "+found[1]] = name
		}
	}

	// What the settings of K3s are answered with, in a cluster and in a node.
	const settings = `{cluster-init: true, server: "https://a:6443", token-file: /a/b, node-name: a, with-node-id: true, tls-san: [a], disable: [traefik], node-label: [a=b], node-taint: ["a=b:NoSchedule"], token: abc}`

	for kind, document := range map[string]string{
		"K3sCluster": aCluster("cluster: home\nservers: {count: 1, template: {k3s: {config: " + settings + "}}}"),
		"K3sNode":    aNode(where + "k3s: {cluster: home, role: server, config: " + settings + "}"),
	} {
		report := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(document))}}, nil, Options{})
		for _, f := range report.Faults {
			for _, found := range remedyOfFault.FindAllStringSubmatch(f.Message, -1) {
				remedies[kind+" "+found[1]] = f.Path
			}
		}
	}

	if len(remedies) < 15 {
		t.Errorf("only %d remedies are found: %v", len(remedies), remedies)
	}

	for remedy, mistake := range remedies {
		kind, path, _ := strings.Cut(remedy, " ")
		if says := refusal(t, kind, path); says != "" {
			t.Errorf("%s: %s is told of %s, which it cannot have: %s", mistake, kind, path, says)
		}
	}

	// The test can fail.
	for _, path := range []string{"spec.k3s.init", "spec.servers.template.k3s.init", "spec.servers.nonsense"} {
		if refusal(t, "K3sCluster", path) == "" {
			t.Errorf("a K3sCluster can have %s", path)
		}
	}
}

// refusal of a field by its name in a claim of a kind; empty where the claim may have it.
func refusal(t *testing.T, kind, path string) string {
	t.Helper()

	var value any = map[string]any{}

	parts := strings.Split(path, ".")
	for _, part := range slices.Backward(parts) {
		name, index, list := strings.Cut(strings.TrimSuffix(part, "]"), "[")
		if list {
			value = []any{merged(value, map[string]any{"name": index})}
		}

		value = map[string]any{name: value}
	}

	claim := merged(value, map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "a", "namespace": "b"}})

	text, err := yaml.Marshal(claim)
	if err != nil {
		t.Fatal(err)
	}

	report := Check([]manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments(text)}}, nil, Options{})
	for _, f := range report.Faults {
		at := regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(f.Path, "")
		unknown := strings.Contains(f.Message, "unknown field") || slices.Contains([]string{"the first server starts the cluster by itself", "the names of the nodes are those of cluster and pool"}, f.Message)

		if want := regexp.MustCompile(`\[[^\]]*\]`).ReplaceAllString(path, ""); unknown && (at == want || strings.HasPrefix(want, at+".")) {
			return fmt.Sprint(f)
		}
	}

	return ""
}

func merged(a any, b map[string]any) map[string]any {
	out, _ := a.(map[string]any)
	maps.Copy(out, b)

	return out
}
