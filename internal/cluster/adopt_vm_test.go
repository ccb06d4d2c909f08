package cluster

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// adopting is a claim whose nodes adopt VMs.
func adopting(nodes ...string) v1alpha1.K3sClusterSpec {
	spec := claimed(3, 1)
	for i, n := range nodes {
		spec.Nodes = append(spec.Nodes, v1alpha1.ClusterNode{Name: n, AdoptVM: &v1alpha1.Adopt{VMID: int64(4101 + i)}})
	}

	return spec
}

// TestAdoptVMs: a claim that is applied to a new control plane takes the VMs of its nodes over, all at once, each with an approval of its own. No node
// starts another cluster.
func TestAdoptVMs(t *testing.T) {
	s := newStory(t, adopting("server-0", "server-1", "server-2", "worker-0"))

	s.call()
	s.logged("server-0 Create", "server-1 Create", "server-2 Create", "worker-0 Create")

	for name, n := range s.site.nodes {
		k := group(n.child.Spec, "k3s")
		if adopt := group(n.child.Spec, "adopt"); adopt["vmId"] == nil || k["init"] != nil || !n.child.DataDisks {
			t.Errorf("%s: %v, %v, data disks: %t", name, adopt, k, n.child.DataDisks)
		}

		n.busy = 0
		n.child.Approve = "0123456789"
	}

	p := s.call()

	const want = `VMs wait for the approval of their adoption: status.adoption of each K3sNode has what it would change; then set nodes[].adoptVm.approve of ` +
		`server-0: "0123456789", server-1: "0123456789", server-2: "0123456789", worker-0: "0123456789".`
	if p.State != v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	// The approval reaches the nodes at once, without a turn.
	for i := range s.spec.Nodes {
		s.spec.Nodes[i].AdoptVM = &v1alpha1.Adopt{VMID: int64(4101 + i), Approve: "0123456789"}
	}

	s.call()

	for name, n := range s.site.nodes {
		if got := group(n.child.Spec, "adopt")["approve"]; got != "0123456789" {
			t.Errorf("%s: approve is %v", name, got)
		}

		n.child.Approve, n.child.Joined, n.child.Ready = "", true, true
	}

	s.log = nil
	s.complete(5)
	s.logged()
}

// TestAdoptVMsWithoutTheFirst: a first server that is no VM of the cluster would start another one.
func TestAdoptVMsWithoutTheFirst(t *testing.T) {
	s := newStory(t, adopting("worker-0"))
	p := s.call()
	s.logged("worker-0 Create")

	for range 3 {
		p = s.call()
	}

	if s.site.nodes["server-0"] != nil {
		t.Errorf("server-0 is created: %s", p.Message)
	}

	// Once a server is adopted and has joined, it joins that one.
	s = newStory(t, adopting("server-1"))
	s.call()
	s.call()

	if s.site.nodes["server-0"] != nil {
		t.Error("server-0 is created before a server has joined")
	}

	s.complete(40)

	if k := group(s.site.nodes["server-0"].child.Spec, "k3s"); k["init"] != nil {
		t.Errorf("server-0 starts a cluster: %v", k)
	}
}

// TestCheckAdoptedVMs: a VM becomes one node, and a node is one VM.
func TestCheckAdoptedVMs(t *testing.T) {
	spec := adopting("server-0", "server-1")
	spec.Nodes[1].AdoptVM.VMID, spec.Nodes[1].Adopt = 4101, "server-2"

	const want = `[spec.nodes[1].adoptVm: Forbidden: adopt names the K3sNode that becomes this node, with the VM that it has: write one of the two, ` +
		`spec.nodes[1].adoptVm.vmId: Invalid value: 4101: is adopted by server-0 already: a VM becomes one node]`
	if got := Check(identity, spec).ToAggregate(); got == nil || got.Error() != want {
		t.Errorf("want %s\ngot %v", want, got)
	}
}
