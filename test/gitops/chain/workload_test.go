package chain

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kindOfClaim is a kind of claims, without what it may say: there is no Crossplane here, and the test says what the function does.
const kindOfClaim = `{
	"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "%[2]ss.homelab.io"},
	"spec": {
		"group": "homelab.io", "scope": "Namespaced", "names": {"kind": "%[1]s", "plural": "%[2]ss", "singular": "%[2]s"},
		"versions": [{
			"name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
			"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
		}]
	}
}`

// newRigOfWorkload is an API server with a kind of claims and the two controllers of Flux that apply folders of a repository, and a Git server.
func newRigOfWorkload(t *testing.T, cluster, kind string) *rig {
	t.Helper()

	controllers := []string{"source-controller", "kustomize-controller"}
	needed(t, controllers...)

	dir, err := filepath.Abs(filepath.Join(logs, cluster))
	must(t, err)
	must(t, os.RemoveAll(dir))

	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()

	tools, err := filepath.Abs(toolsBin)
	must(t, err)

	p, err := plane.StartKubernetes(ctx, plane.Config{Dir: dir, Tools: tools})
	must(t, err)
	t.Cleanup(p.Stop)

	definition := &unstructured.Unstructured{}
	must(t, json.Unmarshal(fmt.Appendf(nil, kindOfClaim, kind, strings.ToLower(kind)), &definition.Object))
	must(t, p.Client.Create(ctx, definition))
	must(t, p.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: machines}}))

	r := &rig{Plane: p, variant: variant{cluster: cluster}, t: t, dir: dir, git: serveGit(t, filepath.Join(dir, "git"))}
	r.startFlux(ctx, controllers...)

	return r
}

// commitWorkload commits files of example/ by their path, other files by their content, and the layers before machines, which have nothing to do.
func (r *rig) commitWorkload(examples, files map[string]string) (revision string) {
	r.t.Helper()

	r.fleet = r.git.create(r.t, "fleet", filepath.Join(r.dir, "fleet"))

	for path, from := range examples {
		content, err := os.ReadFile(filepath.Join(repository, "example", from))
		must(r.t, err)
		r.fleet.write(path, string(content))
	}

	for _, path := range slices.Sorted(maps.Keys(files)) {
		r.fleet.write(path, files[path])
	}

	for _, layer := range []string{"provider-config", "packages", "catalogue", "secrets"} {
		r.fleet.write("clusters/"+r.cluster+"/"+layer+".yaml", strings.ReplaceAll(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: LAYER, namespace: flux-system}
spec: {interval: 10m, prune: true, path: ./LAYER, sourceRef: {kind: GitRepository, name: flux-system}}
`, "LAYER", layer))
		r.fleet.write(layer+"/layer.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+layer+", namespace: infra-machines}\n")
	}

	revision = r.fleet.push("First commit")
	r.bootstrap()

	return revision
}

// tells is what the function says of a claim: that its VM runs as the claim says, and conditions.
func (r *rig) tells(kind, name string, conditions ...[3]string) {
	r.t.Helper()

	o := r.get(kind, machines, name)
	all := make([]any, 0, len(conditions)+2)

	for _, c := range append([][3]string{{"Synced", "True", "ReconcileSuccess"}, {"MachineReady", "True", "Running"}}, conditions...) {
		all = append(all, map[string]any{
			"type": c[0], "status": c[1], "reason": c[2], "message": "", "observedGeneration": o.GetGeneration(),
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		})
	}

	r.writesStatus(o, map[string]any{"phase": "Running", "appliedSpec": o.Object["spec"], "conditions": all})
}

func (r *rig) writesStatus(o *unstructured.Unstructured, status map[string]any) {
	r.t.Helper()

	raw, err := json.Marshal(map[string]any{"status": status})
	must(r.t, err)
	must(r.t, r.Client.Status().Patch(r.t.Context(), o, client.RawPatch(types.MergePatchType, raw)))
}
