package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// TestClusterAdopts follows docs/clusters.md: three K3sNodes that run become the servers of a K3sCluster, are changed by it, and become K3sNodes
// again. No step of that changes a VM but the edit.
func TestClusterAdopts(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := ownRig(t, on, "adopts")
			a := &adoptionRun{clusterRun: &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "None")}}, guide: open(t, "clusters.md")}
			a.grant(t)
			a.live(t, []nodesStep{
				{"Birth", a.birth}, {"Refused", a.refused}, {"Adopted", a.adopted}, {"Edited", a.edited}, {"Dissolved", a.dissolved}, {"OnTheirOwn", a.onTheirOwn},
			})
		})
	}
}

// An adoptionRun is a K3sCluster that adopts its servers.
type adoptionRun struct {
	*clusterRun

	guide *runbook
	// composites are the names of the nodes' composites.
	composites []string
	vms        map[string]string
	written    int
	// manifest is the runbook's program for jq that makes a manifest of a node.
	manifest string
}

// birth of three servers, each by its own K3sNode.
func (a *adoptionRun) birth(t *testing.T) {
	must(t, a.apply(t.Context(), catalogueOfNodes("Here")))

	for i := range 3 {
		node := k3sNode(fmt.Sprintf("server-%d", i+1), "server", 201+i)
		if i == 0 {
			node = edited(node, map[string]any{"k3s.init": true})
		}

		a.servers = append(a.servers, node)
		must(t, a.apply(t.Context(), node))

		if i == 0 {
			must(t, a.tells(t.Context(), node, joined(true)...))
		}
	}

	for _, node := range a.servers {
		must(t, a.tells(t.Context(), node, joined(true)...))
		must(t, a.settled(t.Context(), node))

		name := node.GetName()

		if a.nodeKind() == "XK3sNode" {
			x, err := a.composite(t.Context(), node)
			must(t, err)

			name = x.GetName()
		}

		a.composites = append(a.composites, name)
	}

	a.vms = a.records(t)
	a.written = len(a.world.Journal())
}

// records of all VMs: what must be the same after an adoption.
func (a *adoptionRun) records(t *testing.T) map[string]string {
	t.Helper()

	l := a.list(t, schema.GroupVersionKind{Group: "virtualenvironmentvm." + a.group(), Version: "v1alpha1", Kind: "EnvironmentVM"})

	out := map[string]string{}

	for _, vm := range l {
		b, err := json.Marshal(vm.Object["spec"])
		must(t, err)

		out[vm.GetName()] = fmt.Sprintf("%s, generation %d, machine %s: %s", vm.GetUID(), vm.GetGeneration(), vm.GetLabels()["homelab.io/machine"], b)
	}

	return out
}

// unchanged checks that no VM has changed since the records were taken, and that nothing was written to Proxmox.
func (a *adoptionRun) unchanged(t *testing.T) {
	t.Helper()
	plane.Rest(t.Context(), moment)

	if diff := cmp.Diff(a.vms, a.records(t)); diff != "" {
		t.Errorf("VMs have changed: -before, +after:\n%s", diff)
	}

	if lines := a.world.Journal()[a.written:]; len(lines) > 0 {
		t.Errorf("Proxmox was told: %s", strings.Join(lines, ", "))
	}

	a.safe(t)
}

// adopts is a claim whose servers are the K3sNodes.
func (a *adoptionRun) adopts() *unstructured.Unstructured {
	var nodes []any

	for i, name := range a.composites {
		nodes = append(nodes, map[string]any{"name": fmt.Sprintf("server-%d", i), "adopt": name})
	}

	claim := clusterClaim()

	// Another image, which only new VMs could have, so that it is seen that nobody is replaced.
	return edited(claim, map[string]any{
		"nodes": nodes, "token": nil, "agents": nil, "servers.count": int64(3), "servers.image": "ubuntu-24.04", "rollout": map[string]any{"pause": true},
	})
}

// node is the composite of one of them.
func (a *adoptionRun) node(ctx context.Context, i int) (*unstructured.Unstructured, error) {
	x := &unstructured.Unstructured{}
	x.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: a.nodeKind()})

	key := client.ObjectKey{Name: a.composites[i]}
	if a.nodeKind() == "K3sNode" {
		key.Namespace = machines
	}

	err := a.Client.Get(ctx, key, x)

	return x, err
}

// refused: nothing happens before both sides agree.
func (a *adoptionRun) refused(t *testing.T) {
	a.claim = a.adopts()
	must(t, a.apply(t.Context(), a.claim))

	why := "annotation does not agree"
	if a.nodeKind() == "XK3sNode" {
		why = "its claim K3sNode node-server-1 still exists"
	}

	must(t, a.tells(t.Context(), a.claim, isNot("RolledOut", "Blocked", why)))

	for i := range a.composites {
		x, err := a.node(t.Context(), i)
		must(t, err)

		if metav1.GetControllerOf(x) != nil {
			t.Errorf("%s is controlled", x.GetName())
		}
	}

	a.unchanged(t)
}

// patch an object as a person does.
func (a *adoptionRun) patch(t *testing.T, o *unstructured.Unstructured, patch string) {
	t.Helper()
	must(t, a.Client.Patch(t.Context(), o.DeepCopy(), client.RawPatch(types.MergePatchType, []byte(patch))))
}

// letGo of the claims, whose composites stay.
func (a *adoptionRun) letGo(t *testing.T) {
	t.Helper()

	a.guide.says("crossplane.io/paused=true")
	a.guide.says(`{"metadata": {"finalizers": null}}`)

	for _, claim := range a.servers {
		a.patch(t, claim, `{"metadata": {"annotations": {"crossplane.io/paused": "true"}}}`)
		must(t, a.Client.Delete(t.Context(), claim.DeepCopy()))
		a.patch(t, claim, `{"metadata": {"finalizers": null}}`)
	}

	for i, claim := range a.servers {
		must(t, a.until(t.Context(), claim.GetName()+" is gone", func(ctx context.Context) (bool, string) {
			_, err := a.now(ctx, claim)
			return apierrors.IsNotFound(err), fmt.Sprint(err)
		}))

		x, err := a.node(t.Context(), i)
		must(t, err)

		if x.GetDeletionTimestamp() != nil {
			t.Errorf("%s is being deleted", x.GetName())
		}
	}
}

// adopted as the runbook says.
func (a *adoptionRun) adopted(t *testing.T) {
	a.guide.says("## Adopting K3sNodes that run")

	if a.nodeKind() == "XK3sNode" {
		a.letGo(t)
	}

	for i := range a.composites {
		x, err := a.node(t.Context(), i)
		must(t, err)
		a.patch(t, x, fmt.Sprintf(`{"metadata": {"annotations": {"crossplane.io/composition-resource-name": "server-%d"}}}`, i))
	}

	must(t, a.tells(t.Context(), a.claim, isNot("RolledOut", "Paused", "")))
	a.owned(t, true)

	now, err := a.now(t.Context(), a.claim)
	must(t, err)

	nodes, _, err := unstructured.NestedSlice(now.Object, "status", "nodes")
	must(t, err)

	var got []string
	for _, n := range nodes {
		n := n.(map[string]any) //nolint:forcetypeassert // As the XRD has it.
		got = append(got, fmt.Sprint(n["machine"]))
	}

	if diff := cmp.Diff(a.composites, got); diff != "" {
		t.Errorf("nodes: -want, +got:\n%s", diff)
	}

	a.unchanged(t)
}

// owned waits until the nodes have the cluster as their controller, or none.
func (a *adoptionRun) owned(t *testing.T, owned bool) {
	t.Helper()

	for i, name := range a.composites {
		must(t, a.until(t.Context(), fmt.Sprintf("%s is owned: %v", name, owned), func(ctx context.Context) (bool, string) {
			x, err := a.node(ctx, i)
			if err != nil {
				return false, err.Error()
			}

			return x.GetDeletionTimestamp() == nil && (metav1.GetControllerOf(x) != nil) == owned, fmt.Sprint(x.GetOwnerReferences())
		}))
	}
}

// forgetWriters takes others out of the list of those who have fields of the nodes, with the next program for jq in the runbook. Nobody may be in
// the list afterwards who is not to stay.
func (a *adoptionRun) forgetWriters(t *testing.T, stays func(manager string) bool) {
	t.Helper()

	program := a.guide.filter()

	for i := range a.composites {
		must(t, a.until(t.Context(), "the writers are forgotten", func(ctx context.Context) (bool, string) {
			x, err := a.node(ctx, i)
			if err != nil {
				return false, err.Error()
			}

			x, err = filtered(ctx, program, x)
			must(t, err)

			if err := a.Client.Update(ctx, x); err != nil {
				return false, err.Error()
			}

			for _, e := range x.GetManagedFields() {
				if !stays(e.Manager) {
					t.Errorf("%s still has %s among its writers", x.GetName(), e.Manager)
				}
			}

			return len(x.GetManagedFields()) > 0, "nobody is left"
		}))
	}
}

// edited: the first turn of each changes what its VM can take up, and replaces none; and what a person wrote before goes.
func (a *adoptionRun) edited(t *testing.T) {
	a.forgetWriters(t, func(m string) bool {
		return strings.HasPrefix(m, "apiextensions.crossplane.io/") && m != "apiextensions.crossplane.io/claim"
	})
	a.unchanged(t)

	template, _, _ := unstructured.NestedMap(a.claim.Object, "spec", "servers", "template")
	template["tags"] = []any{"adopted"}

	a.guide.says("Remove `rollout.pause`")

	changes := map[string]any{"servers.template": template, "rollout": map[string]any{"pause": false}}
	rehearsed := a.rehearses(t, changes)

	a.claim = edited(a.claim, changes)
	must(t, a.apply(t.Context(), a.claim))
	a.complete(t, "three adopted servers have their change")
	rehearsed.came(t, "waits") // The image of the claim waits for a word, as it did before.

	// A node is Ready while its provider writes.
	must(t, a.until(t.Context(), "each VM has its change", func(context.Context) (bool, string) {
		lines := a.world.Journal()[a.written:]
		return len(lines) >= len(a.vms), strings.Join(lines, ", ")
	}))

	for name, before := range a.vms {
		after := a.records(t)[name]
		if uid, _, _ := strings.Cut(before, ","); !strings.HasPrefix(after, uid) || !strings.Contains(after, "adopted") {
			t.Errorf("VM %s was changed to %s", name, after)
		}
	}

	for _, line := range a.world.Journal()[a.written:] {
		if !strings.HasPrefix(line, "change VM") {
			t.Errorf("Proxmox was told: %s", line)
		}
	}

	for i := range a.composites {
		x, err := a.node(t.Context(), i)
		must(t, err)

		spec, _, _ := unstructured.NestedMap(x.Object, "spec")
		network, _ := spec["network"].(map[string]any)

		if got := fmt.Sprint(network["ip"]); got != fmt.Sprintf("192.168.4.%d", 201+i) {
			t.Errorf("%s has address %s", x.GetName(), got)
		}
	}

	a.vms, a.written = a.records(t), len(a.world.Journal())
}

// dissolved: the cluster goes, and its nodes stay.
func (a *adoptionRun) dissolved(t *testing.T) {
	a.guide.says("## Dissolving a cluster into K3sNodes")
	a.manifest = a.guide.filter()

	cluster, err := a.now(t.Context(), a.claim)
	must(t, err)

	orphan := client.PropagationPolicy(metav1.DeletePropagationOrphan)

	if a.nodeKind() == "K3sNode" {
		a.guide.says("crossplane.io/paused=true")
		a.pause(t, cluster)
		a.guide.says("--cascade=orphan")
		must(t, a.Client.Delete(t.Context(), cluster.DeepCopy(), orphan))
		a.owned(t, false)
		a.guide.says("crossplane.io/paused-")
		a.patch(t, cluster, `{"metadata": {"annotations": {"crossplane.io/paused": null}}}`)
	} else {
		x, err := a.clusterComposite(t.Context(), cluster)
		must(t, err)

		a.guide.says("crossplane.io/paused=true")
		a.patch(t, a.claim, `{"metadata": {"annotations": {"crossplane.io/paused": "true"}}}`)
		a.pause(t, x)

		a.guide.says("resourceRef")
		a.bind(t)
		a.unchanged(t)

		a.guide.says("--cascade=orphan")
		must(t, a.Client.Delete(t.Context(), x.DeepCopy(), orphan))
		a.owned(t, false)
		a.guide.says("crossplane.io/paused-")
		a.patch(t, x, `{"metadata": {"annotations": {"crossplane.io/paused": null}}}`)
		must(t, a.until(t.Context(), "the composite is gone", func(ctx context.Context) (bool, string) {
			err := a.Client.Get(ctx, client.ObjectKeyFromObject(x), x.DeepCopy())
			return apierrors.IsNotFound(err), fmt.Sprint(err)
		}))
		must(t, a.Client.Delete(t.Context(), a.claim.DeepCopy()))
		a.patch(t, a.claim, `{"metadata": {"annotations": {"crossplane.io/paused": null}}}`)
	}

	must(t, a.until(t.Context(), "the cluster is gone", func(ctx context.Context) (bool, string) {
		_, err := a.now(ctx, a.claim)
		return apierrors.IsNotFound(err), fmt.Sprint(err)
	}))
	a.owned(t, false)
	a.unchanged(t)
}

// pause a composite, and wait until Crossplane says that it is: a call that is under way would write the nodes once more, and they would have the cluster
// as their owner when it is gone.
func (a *adoptionRun) pause(t *testing.T, o *unstructured.Unstructured) {
	t.Helper()
	a.patch(t, o, `{"metadata": {"annotations": {"crossplane.io/paused": "true"}}}`)
	must(t, a.until(t.Context(), o.GetName()+" is paused", func(ctx context.Context) (bool, string) {
		now := o.DeepCopy()
		err := a.Client.Get(ctx, client.ObjectKeyFromObject(o), now)

		return err == nil && condition(now, "Synced").reason == "ReconcilePaused", fmt.Sprintf("%v, %s", err, conditions(now))
	}))
}

// clusterComposite of the claim.
func (a *adoptionRun) clusterComposite(ctx context.Context, claim *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	name, _, _ := unstructured.NestedString(claim.Object, "spec", "resourceRef", "name")
	x := &unstructured.Unstructured{}
	x.SetGroupVersionKind(schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: "XK3sCluster"})

	return x, a.Client.Get(ctx, client.ObjectKey{Name: name}, x)
}

// committed is the manifest of a node as the runbook makes it of what is there.
func (a *adoptionRun) committed(t *testing.T, i int) *unstructured.Unstructured {
	t.Helper()

	x, err := a.node(t.Context(), i)
	must(t, err)

	x, err = filtered(t.Context(), a.manifest, x)
	must(t, err)

	if a.nodeKind() == "K3sNode" {
		return x
	}

	spec, _, _ := unstructured.NestedMap(x.Object, "spec")
	for _, f := range []string{"claimRef", "resourceRefs", "compositionRef", "compositionRevisionRef", "compositionUpdatePolicy", "compositeDeletePolicy"} {
		delete(spec, f)
	}

	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": "K3sNode", "spec": spec,
		"metadata": map[string]any{"name": a.servers[i].GetName(), "namespace": machines},
	}}
}

// bind a claim to each composite.
func (a *adoptionRun) bind(t *testing.T) {
	t.Helper()

	for i := range a.composites {
		claim := edited(a.committed(t, i), map[string]any{"resourceRef": map[string]any{"apiVersion": "homelab.io/v1alpha1", "kind": "XK3sNode", "name": a.composites[i]}})
		a.servers[i] = claim
		must(t, a.apply(t.Context(), claim))
		must(t, a.tells(t.Context(), claim, is("Synced", "")))
	}
}

// onTheirOwn: each is a K3sNode that follows its manifest, also in a field that leaves it.
func (a *adoptionRun) onTheirOwn(t *testing.T) {
	a.forgetWriters(t, func(m string) bool { return !strings.HasPrefix(m, "apiextensions.crossplane.io/composed") })

	for i := range a.composites {
		if a.nodeKind() == "K3sNode" {
			a.servers[i] = a.committed(t, i)
			must(t, a.apply(t.Context(), a.servers[i]))
		}

		must(t, a.tells(t.Context(), a.servers[i], joined(true)...))
	}

	a.unchanged(t)

	// The VM keeps its tags of the function, and loses that of the claim.
	must(t, a.apply(t.Context(), edited(a.servers[1], map[string]any{"tags": nil})))
	must(t, a.until(t.Context(), "the tag has gone", func(context.Context) (bool, string) {
		for _, record := range a.records(t) {
			if strings.Contains(record, "machine "+a.servers[1].GetName()) {
				return !strings.Contains(record, "\"adopted\""), record
			}
		}

		return false, "there is no such VM"
	}))
	a.safe(t)
}
