package chain

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
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

// The files of the fleet that the role of example/workload/flux/roles.yaml has, and what it makes.
const (
	roleFile = "roles/docker01/role.yaml"
	roleName = "role-of-docker01"
	role     = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + roleName + ", namespace: infra-machines}\ndata: {version: first}\n"
)

// machineKind is the kind of the claim, without what it may say: there is no Crossplane here, and the test says what the function does.
const machineKind = `{
	"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "machines.homelab.io"},
	"spec": {
		"group": "homelab.io", "scope": "Namespaced", "names": {"kind": "Machine", "plural": "machines", "singular": "machine"},
		"versions": [{
			"name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
			"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
		}]
	}
}`

// TestRoles holds the real Flux to example/workload/flux/roles.yaml: a role is applied when its machine has converged and not before; later it goes on as it
// is, and its next commit waits while the machine has not converged.
func TestRoles(t *testing.T) {
	r := newRigOfRoles(t)
	revision := r.commitRoles()

	r.until("the claim is applied", func() (bool, string) { return r.get("Machine", machines, "docker01") != nil, "there is none" })

	for _, says := range []struct{ status, reason string }{{"Unknown", "NotReported"}, {"False", "RolledBack"}} {
		r.converges(says.status, says.reason)
		r.awaits("")
	}

	r.converges("True", "Applied")
	r.until("the role is applied", r.readyAt(revision, "machine-docker01", "docker01"))
	r.hasRole("first")

	r.converges("False", "RolledBack")
	r.fleet.edit(roleFile, "first", "second")
	revision = r.commit("The role's next commit")
	r.until("the machine's layer has the commit", func() (bool, string) {
		k := r.layer("machine-docker01")

		return text(k, "status", "lastAttemptedRevision") == revision || text(k, "status", "lastAppliedRevision") == revision, conditionOf(k, "Ready").String()
	})
	r.awaits("first")

	r.converges("True", "Applied")
	r.until("the role has its next commit", r.readyAt(revision, "machine-docker01", "docker01"))
	r.hasRole("second")
}

// newRigOfRoles is an API server with the two controllers of Flux that apply folders of a repository, and a Git server.
func newRigOfRoles(t *testing.T) *rig {
	t.Helper()

	controllers := []string{"source-controller", "kustomize-controller"}
	needed(t, controllers...)

	dir, err := filepath.Abs(filepath.Join(logs, "roles"))
	must(t, err)
	must(t, os.RemoveAll(dir))

	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()

	tools, err := filepath.Abs(toolsBin)
	must(t, err)

	p, err := plane.StartKubernetes(ctx, plane.Config{Dir: dir, Tools: tools})
	must(t, err)
	t.Cleanup(p.Stop)

	kind := &unstructured.Unstructured{}
	must(t, json.Unmarshal([]byte(machineKind), &kind.Object))
	must(t, p.Client.Create(ctx, kind))
	must(t, p.Client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: machines}}))

	r := &rig{Plane: p, variant: variant{cluster: "roles"}, t: t, dir: dir, git: serveGit(t, filepath.Join(dir, "git"))}
	r.startFlux(ctx, controllers...)

	return r
}

// commitRoles commits the example, its claim, and what it needs of example/flux: the account, and layers that have nothing to do.
func (r *rig) commitRoles() (revision string) {
	r.t.Helper()

	r.fleet = r.git.create(r.t, "fleet", filepath.Join(r.dir, "fleet"))

	for path, from := range map[string]string{
		"clusters/roles/roles.yaml":       "workload/flux/roles.yaml",
		"clusters/roles/team.yaml":        "flux/infrastructure/base/team.yaml",
		"machines/docker01/docker01.yaml": "nixos/docker01.yaml",
	} {
		content, err := os.ReadFile(filepath.Join(repository, "example", from))
		must(r.t, err)
		r.fleet.write(path, string(content))
	}

	for _, layer := range []string{"provider-config", "packages", "catalogue"} {
		r.fleet.write("clusters/roles/"+layer+".yaml", strings.ReplaceAll(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: LAYER, namespace: flux-system}
spec: {interval: 10m, prune: true, path: ./LAYER, sourceRef: {kind: GitRepository, name: flux-system}}
`, "LAYER", layer))
		r.fleet.write(layer+"/layer.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "+layer+", namespace: infra-machines}\n")
	}

	r.fleet.write(roleFile, role)
	revision = r.fleet.push("First commit")
	r.bootstrap()

	return revision
}

// converges is what the function says of the machine: that its VM runs as the claim says, and how far the guest has come.
func (r *rig) converges(status, reason string) {
	r.t.Helper()

	o := r.get("Machine", machines, "docker01")

	says := func(typ, status, reason string) map[string]any {
		return map[string]any{
			"type": typ, "status": status, "reason": reason, "message": "", "observedGeneration": o.GetGeneration(),
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
		}
	}

	raw, err := json.Marshal(map[string]any{"status": map[string]any{
		"phase": "Running", "appliedSpec": o.Object["spec"], "conditions": []any{
			says("Synced", "True", "ReconcileSuccess"), says("Ready", "True", "Available"), says("MachineReady", "True", "Running"),
			says("Converged", status, reason),
		},
	}})
	must(r.t, err)
	must(r.t, r.Client.Status().Patch(r.t.Context(), o, client.RawPatch(types.MergePatchType, raw)))
}

// awaits: for longer than a health check's poll, neither the machine's layer nor that of its role becomes ready, and the role is as it was; empty where it was
// not there.
func (r *rig) awaits(was string) {
	r.t.Helper()

	r.until("the role waits for its machine", func() (bool, string) {
		c := conditionOf(r.layer("docker01"), "Ready")

		return c.Status == "False" && c.Reason == "DependencyNotReady", c.String()
	})
	plane.Rest(r.t.Context(), 8*time.Second)

	for _, layer := range []string{"machine-docker01", "docker01"} {
		if c := conditionOf(r.layer(layer), "Ready"); c.Status == "True" {
			r.t.Errorf("%s says that it is ready: %s", layer, c)
		}
	}

	r.hasRole(was)
}

// hasRole of a version; empty for none.
func (r *rig) hasRole(version string) {
	r.t.Helper()

	if got := text(r.get("ConfigMap", machines, roleName), "data", "version"); got != version {
		r.t.Errorf("the role is of version %q, want %q", got, version)
	}
}
