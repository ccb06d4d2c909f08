package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

const exampleCluster = "../../example/cluster/"

// aNode is a K3sNode that runs, and the cluster that adopts it.
const aNode = `apiVersion: homelab.io/v1alpha1
kind: K3sNode
metadata: {name: server-1, namespace: infra-machines, uid: its-own, annotations: {crossplane.io/composition-resource-name: server-0}}
spec:
  class: server
  network: {ip: 192.168.4.211}
  proxmox: {node: pve1, vmId: 4101}
  k3s: {cluster: home, role: server, init: true, version: v1.33.6+k3s1, token: {secretRef: {name: k3s-token}, allowPlaintext: true}}
`

const anAdopter = `apiVersion: homelab.io/v1alpha1
kind: K3sCluster
metadata: {name: home, namespace: infra-machines}
spec:
  cluster: home
  version: v1.33.6+k3s1
  token: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}
  servers: {count: 1, class: server, template: {tags: [adopted]}}
  nodes: [{name: server-0, adopt: ADOPT}]
  rollout: {pause: PAUSE}
`

// TestPlanOfAnAdoption: a plan before the commit says which nodes are adopted, and what the turns that follow change.
func TestPlanOfAnAdoption(t *testing.T) {
	claim := func(adopt, pause string) string {
		return strings.NewReplacer("ADOPT", adopt, "PAUSE", pause).Replace(anAdopter)
	}
	dir := writeTree(t, map[string]string{
		"node.yaml": aNode, "paused.yaml": claim("server-1", "true"), "home.yaml": claim("server-1", "false"), "typo.yaml": claim("sever-1", "false"),
	})
	in := func(name string) string { return filepath.Join(dir, name) }
	beside := []string{"--catalogue", exampleCluster + "catalogue.yaml", "--secrets", exampleCluster + "secrets.yaml"}

	rendered := call(t, "", append([]string{"render", "-f", in("node.yaml"), "--flavour", "namespaced", "-o", "yaml"}, beside...)...)
	observed := writeTree(t, map[string]string{"observed.yaml": running(t, rendered.stdout)})

	const adopts = "K3sCluster infra-machines/home: new\n  server-0: adopt\n    turn 1\n    adopts K3sNode server-1: nothing changes on its VM 4101\n\n"

	cases := map[string]struct {
		reason, file string
		args         []string
		want         string
	}{
		"Paused": {"Nothing else happens.", "paused.yaml", nil, adopts + "Plan: 1 new, 1 kept.\n"},
		"Prune":  {"An adopted node stays, though no file names it any more.", "paused.yaml", []string{"--prune"}, adopts + "Plan: 1 new, 1 kept.\n"},
		"Turns": {
			"What the first turn changes on the VM.", "home.yaml", nil,
			adopts + "K3sNode infra-machines/server-1: changed (change)\n  VM 4101: change\n    at once: spec.servers.template.tags: none to adopted\n\nPlan: 1 new, 1 changed.\n",
		},
		"Typo": {
			"Nothing is created in the place of a K3sNode that is not there. What it does not adopt is left over.", "typo.yaml", nil,
			"K3sCluster infra-machines/home: new (wait)\n  server-0 does not adopt K3sNode sever-1: there is no K3sNode of that name in namespace infra-machines.\n\n" +
				"Plan: 1 new.\nThere, and not among these claims: K3sNode infra-machines/server-1. --prune plans their deletion.\n",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			args := slices.Concat([]string{"plan", "-f", in(tc.file), "--observed", filepath.Join(observed, "observed.yaml")}, beside, tc.args)
			got := call(t, "", args...)

			if diff := cmp.Diff(tc.want, got.stdout); diff != "" {
				t.Errorf("%s -want, +got:\n%s%s", tc.reason, diff, got.stderr)
			}
		})
	}
}

// running are the node and what was rendered of it, as a cluster has them that runs.
func running(t *testing.T, rendered string) string {
	t.Helper()

	documents, err := manifest.Parse([]byte(rendered))
	if err != nil {
		t.Fatal(err)
	}

	out := []string{aNode + "status: {vmId: 4101, node: pve1}\n"}

	for _, o := range manifest.Objects(documents) {
		if !strings.HasPrefix(o.GetKind(), "Environment") {
			continue
		}

		content := o.Object
		_ = unstructured.SetNestedSlice(content, []any{map[string]any{
			"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "name": "server-1", "uid": "its-own", "controller": true,
		}}, "metadata", "ownerReferences")
		content["status"] = map[string]any{
			"conditions": []any{map[string]any{"type": "Ready", "status": "True"}, map[string]any{"type": "Synced", "status": "True"}},
			"atProvider": map[string]any{"id": "4101", "vmId": int64(4101)},
		}

		b, err := yaml.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}

		out = append(out, string(b))
	}

	return strings.Join(out, "---\n")
}
