package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// TestHostLost follows docs/clusters.md: a Proxmox node with a server and an agent of five nodes dies for good.
func TestHostLost(t *testing.T) {
	t.Parallel()

	for _, on := range []*installation{namespaced, claims} {
		t.Run(on.configuration, func(t *testing.T) {
			t.Parallel()

			r := ownRig(t, on, "host-lost")
			h := newHostRun(t, r, map[string]string{"server-0": "pve", "server-1": deadHost, "server-2": "pve3", "worker-0": deadHost, "worker-1": "pve3"})
			h.grant(t)
			h.live(t, []nodesStep{{"Birth", h.birth}, {"Dies", h.dies}, {"Word", h.word}, {"Forgotten", h.forgotten}})
		})
	}
}

// TestMajorityLost follows docs/clusters.md: two of three servers are on the Proxmox node that dies, and nothing is done before a person has made the third
// the only member of etcd.
func TestMajorityLost(t *testing.T) {
	t.Parallel()

	r := ownRig(t, namespaced, "majority-lost")
	h := newHostRun(t, r, map[string]string{"server-0": "pve", "server-1": deadHost, "server-2": deadHost})
	h.claim = counted(edited(h.claim, map[string]any{"agents": h.agentsOf(0)}))
	h.grant(t)
	h.live(t, []nodesStep{{"Birth", h.birth}, {"Dies", h.dies}, {"Reset", h.reset}, {"OneByOne", h.oneByOne}, {"Forgotten", h.forgotten}})
}

// deadHost has two of the nodes.
const deadHost = "pve2"

// A hostRun is a cluster that loses a Proxmox node.
type hostRun struct {
	*clusterRun

	guide *runbook
	hosts map[string]string // Of the nodes.
	lost  map[string]int    // VMIDs by node.
	kept  map[string]int
	// written are the lines of Proxmox' journal when the host died.
	written int
}

// newHostRun is one on a plane. hosts are the Proxmox nodes of its nodes.
func newHostRun(t *testing.T, r *rig, hosts map[string]string) *hostRun {
	t.Helper()

	return &hostRun{
		clusterRun: &clusterRun{nodesRun: &nodesRun{rig: r, k3s: r.observing(t, "None")}, claim: clusterClaim()},
		guide:      open(t, "clusters.md"), hosts: hosts,
	}
}

// catalogueOf Proxmox nodes.
func (h *hostRun) catalogueOf(t *testing.T, names ...string) *unstructured.Unstructured {
	t.Helper()

	c, nodes := catalogueOfObjects("Here"), map[string]any{}
	for _, name := range names {
		nodes[name] = map[string]any{}
	}

	must(t, unstructured.SetNestedField(c.Object, nodes, "data", "sites", "home", "nodes"))

	return c
}

// nodesOf the claim, each as edit leaves it.
func (h *hostRun) nodesOf(t *testing.T, edit func(name string, n map[string]any)) map[string]any {
	t.Helper()

	nodes, _, err := unstructured.NestedSlice(h.claim.Object, "spec", "nodes")
	must(t, err)

	for _, n := range nodes {
		n := n.(map[string]any) //nolint:forcetypeassert // As the claim has it.
		edit(fmt.Sprint(n["name"]), n)
	}

	return map[string]any{"nodes": nodes}
}

func (h *hostRun) birth(t *testing.T) {
	h.claim = edited(h.claim, h.nodesOf(t, func(name string, n map[string]any) {
		if on := h.hosts[name]; on != "" {
			n["proxmoxNode"] = on
		}
	}))

	must(t, h.apply(t.Context(), h.catalogueOf(t, "pve", deadHost, "pve3")))
	must(t, h.apply(t.Context(), h.claim))
	h.complete(t, fmt.Sprintf("birth of %d nodes on three Proxmox nodes", len(h.hosts)))
	h.startProviderKubernetes(t)
	h.members(t)
}

// dies: the host is silent, with all that is on it. Nothing is done to any VM.
func (h *hostRun) dies(t *testing.T) {
	plane.Rest(t.Context(), moment)

	h.lost, h.kept = map[string]int{}, map[string]int{}

	for node, id := range h.ids(t) {
		if h.hosts[node] == deadHost {
			h.lost[node] = id
		} else {
			h.kept[node] = id
		}
	}

	on := h.resourcesOn(t, deadHost)
	h.world.Break("node", func(_, name string) bool { return slices.Contains(on, name) })
	k3s.ByHand(h.k3s, func() {
		h.world.Edit(func(vms map[int]*standin.VM) {
			for _, id := range h.lost {
				vms[id].Stop()
			}
		})
	})

	h.written = len(h.world.Journal())
	must(t, h.until(t.Context(), "the nodes on it do not serve", func(ctx context.Context) (bool, string) {
		said := h.nodes(ctx)
		return strings.Count(said, "NodeUnhealthy") == len(h.lost), said
	}))
	plane.Rest(t.Context(), 2*moment)
	h.nothingOn(t)
}

// resourcesOn a Proxmox node, by name.
func (h *hostRun) resourcesOn(t *testing.T, host string) []string {
	t.Helper()

	var out []string

	for _, kind := range []string{kindVM, kindFile, kindImage} {
		for _, o := range h.list(t, schema.GroupVersionKind{Group: "virtual" + strings.ToLower(kind) + "." + h.group(), Version: "v1alpha1", Kind: kind}) {
			if on, _, _ := unstructured.NestedString(o.Object, "spec", "forProvider", "nodeName"); on == host {
				out = append(out, o.GetName())
			}
		}
	}

	return out
}

// nothingOn the dead host was done, nor to the nodes that are well.
func (h *hostRun) nothingOn(t *testing.T) {
	t.Helper()

	for _, line := range h.world.Journal()[h.written:] {
		if strings.Contains(line, deadHost) {
			t.Errorf("Proxmox was told: %s", line)
		}

		for _, id := range h.lost {
			if strings.Contains(line+" ", fmt.Sprintf("VM %d ", id)) {
				t.Errorf("Proxmox was told: %s", line)
			}
		}

		for _, id := range h.kept {
			if strings.Contains(line+" ", fmt.Sprintf("VM %d ", id)) && !strings.HasPrefix(line, "change VM") {
				t.Errorf("Proxmox was told: %s", line)
			}
		}
	}

	h.safe(t)
}

// word of a person that the VMs are off for good: both nodes get new VMs on other hosts, and nobody's turn waits for the other one.
func (h *hostRun) word(t *testing.T) {
	h.guide.says("## A Proxmox node that does not come back")
	h.guide.says("Commit `lost: true` for its nodes")
	h.guide.says("Remove the Proxmox node from the catalogue's site, too")
	h.guide.says("lost: true, lifecycle: {replace:")
	must(t, h.apply(t.Context(), h.catalogueOf(t, "pve", "pve3")))
	h.k3s.Fewest()

	changes := h.nodesOf(t, func(name string, n map[string]any) {
		if h.hosts[name] == deadHost {
			delete(n, "proxmoxNode")

			n["lost"], n["lifecycle"] = true, map[string]any{"replace": "2026-11-26"}
		}
	})
	rehearsed := h.rehearses(t, changes)
	h.change(t, changes)
	must(t, h.tells(t.Context(), h.claim, word{"NodesLost", "True", "", ""}))
	h.guide.says("When all nodes are ready, remove `lost`. The managed resources of the old VMs are gone")
	h.complete(t, "two nodes that were lost have new VMs")
	rehearsed.cameInAnyOrder(t, "done") // Neither waits for the other one.

	after := h.ids(t)
	for node, id := range h.lost {
		if after[node] == id || after[node] == 0 {
			t.Errorf("%s, which was lost, has VM %d", node, after[node])
		}
	}

	for node, id := range h.kept {
		if after[node] != id {
			t.Errorf("%s has VM %d, and had %d", node, after[node], id)
		}
	}

	if few := h.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2", few)
	}

	h.nothingOn(t)
}

// reset: nothing is done before, and a person has made the server that is left the only member.
func (h *hostRun) reset(t *testing.T) {
	h.guide.says("## The majority of the servers is lost")
	must(t, h.until(t.Context(), "etcd does not answer", func(ctx context.Context) (bool, string) {
		said := h.nodes(ctx)
		return strings.Contains(said, "EtcdMember"), said
	}))
	h.guide.says("k3s server --cluster-reset")
	must(t, k3s.Reset(h.k3s, h.claim.GetName()+"-server-0"))
}

// oneByOne the lost servers get new VMs, the first one with force.
func (h *hostRun) oneByOne(t *testing.T) {
	must(t, h.apply(t.Context(), h.catalogueOf(t, "pve", "pve3")))
	h.guide.says("Replace the lost servers **one after the other**; the next one when the one before votes. The first one needs `force`")

	for i, node := range []string{"server-1", "server-2"} {
		lifecycle := map[string]any{"replace": "2026-11-26"}
		if i == 0 {
			lifecycle["force"] = "2026-11-26"
		}

		h.change(t, h.nodesOf(t, func(name string, n map[string]any) {
			if name == node {
				delete(n, "proxmoxNode")

				n["lost"], n["lifecycle"] = true, lifecycle
			}
		}))
		must(t, h.until(t.Context(), node+" is ready with a new VM", func(ctx context.Context) (bool, string) {
			x := h.node(ctx, node)
			id, _, _ := unstructured.NestedInt64(x.Object, "status", "vmId")

			return int(id) != h.lost[node] && condition(x, "EtcdMember").status == "True", conditions(x)
		}))
	}

	h.guide.says("Remove `lost` and `force` when all servers are ready.")
	h.complete(t, "two servers that were lost have new VMs")
	h.nothingOn(t)
}

// node of the cluster; an empty one where there is none.
func (h *hostRun) node(ctx context.Context, name string) *unstructured.Unstructured {
	if all, err := h.composites(ctx); err == nil {
		for _, x := range all {
			if strings.HasSuffix(x.GetName(), "-"+name) {
				return &x
			}
		}
	}

	return &unstructured.Unstructured{Object: map[string]any{}}
}

// forgotten: nobody has to do with the old VMs any more, which were never touched.
func (h *hostRun) forgotten(t *testing.T) {
	h.claim = edited(h.claim, h.nodesOf(t, func(_ string, n map[string]any) {
		delete(n, "lost")

		if l, ok := n["lifecycle"].(map[string]any); ok {
			delete(l, "force")
		}
	}))
	must(t, h.apply(t.Context(), h.claim))
	must(t, h.until(t.Context(), "nothing is managed on the dead host", func(context.Context) (bool, string) {
		left := h.resourcesOn(t, deadHost)
		return len(left) == 0, strings.Join(left, ", ")
	}))
	h.complete(t, "the claim forgets who was lost")
	h.nothingOn(t)

	for node, id := range h.lost {
		if h.world.VM(id) == nil {
			t.Errorf("VM %d, which was %s, is gone from Proxmox", id, node)
		}
	}
}
