package rehearse

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/why"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// waits of all machines: what of each is not as it should be, and whose doing that asks for. In a world that rests it is a person's.
func (p *play) waits() []Wait {
	out := slices.Concat(refusals(p), remains(p))

	for _, m := range p.cluster.Machines {
		stopped, refused := isStopped(p, m), refusedJoin(p, m)
		out = append(out, refused...)
		l := why.LineOf(unstructured.Unstructured{Object: world.Object(world.Copy(m.Composite))})

		for _, w := range l.Waits {
			said := func(o Wait) bool { return o.Machine == p.labelOf(m) && o.Message == w.Message && o.Message != "" }
			silent := w.Condition == converged && w.Reason == status.ReasonNotReported || (stopped || len(refused) > 0) && slices.Contains(ofGuests, w.Condition)
			if silent || slices.ContainsFunc(out, said) {
				continue
			}

			out = append(out, unread(p, m, Wait{Machine: p.labelOf(m), Condition: w.Condition, Reason: w.Reason, Message: w.Message, Todo: w.Todo}))
		}

		out = slices.Concat(out, inGuest(p, m), pausedWait(p, m))
	}

	return slices.DeleteFunc(slices.Clone(out), func(w Wait) bool { return ofNodes(p, w, out) })
}

// unread is a wait of a machine that adopts what nothing here is said of: that is no fault of its claim, unless the provider has looked for it.
func unread(p *play, m *world.Machine, w Wait) Wait {
	if w.Reason != status.ReasonAdoptionTargetMissing || looked(p, m) {
		return w
	}

	w.Message = fmt.Sprintf("A rehearsal asks no Proxmox, and nothing that was observed says what %s %v is: its adoption is not played.", guestOf(m), world.Object(m.Spec()["adopt"])["vmId"])
	w.Todo = "commit the claim without " + cluster.Typed(m.Composite, "spec.adopt.approve") + ": the provider then reads it, and changes nothing. Rehearse the claim over that cluster, with its " +
		"kubeconfig or with --observed: once without the approval, which shows the plan, and once with it."

	return w
}

// looked says whether the provider had looked for what a machine adopts, and found nothing, when it was observed.
func looked(p *play, m *world.Machine) bool {
	for _, a := range p.actors {
		if a.Is.Was == nil {
			continue
		}

		for _, o := range append(objects(a.Is.Composed), a.Is.Was.Object) {
			missed := func(c map[string]any) bool { return c["reason"] == status.ReasonAdoptionTargetMissing }
			if world.Object(o["metadata"])["name"] == m.Name() && slices.ContainsFunc(world.Conditions(o), missed) {
				return true
			}
		}
	}

	return false
}

// ofNodes says whether a wait of a K3sCluster says of its nodes only what those that wait, too, say themselves.
func ofNodes(p *play, w Wait, all []Wait) bool {
	cluster := p.machineOf(w.Machine)
	if cluster == nil || !isCluster(cluster) {
		return false
	}

	return slices.ContainsFunc(all, func(other Wait) bool {
		node := p.machineOf(other.Machine)
		if node == nil || !isNodeOf(node, cluster) {
			return false
		}

		first, _, _ := strings.Cut(other.Message, ". ")

		return strings.HasPrefix(w.Todo, "see the conditions of th") || w.Todo == "wait." || first != "" && strings.Contains(w.Message, first)
	})
}

// refusedJoin is what a person has to do where K3s refuses a new VM, which looks to the function like one that has not joined yet, or where nobody reads
// Nodes, like one that has.
func refusedJoin(p *play, m *world.Machine) []Wait {
	if node := world.RefusedByPassword(m); node != "" {
		return refusedByPassword(p, m, node)
	}

	if !world.RefusedByToken(m) {
		return nil
	}

	return []Wait{{
		Machine: p.labelOf(m), Condition: status.TypeNodeJoined, Reason: ReasonOtherToken,
		Message: "K3s of the cluster refuses this VM: it was made with another K3s token than the nodes that have joined.",
		Todo: "write the cluster's token back, or change it in the cluster with `k3s token rotate` and in every node's token file (docs/bootstrap.md, \"How to provide the " +
			"token\"), and replace the VM. Where the cluster has this token already, it joins.",
	}}
}

// refusedByPassword is what a person has to do where K3s refuses a VM because of a Node. The only server of an etcd begins another cluster, which knows no
// Node.
func refusedByPassword(p *play, m *world.Machine, node string) []Wait {
	out := Wait{
		Machine: p.labelOf(m), Condition: status.TypeNodeJoined, Reason: ReasonOtherPassword,
		Message: "K3s of the cluster refuses this VM: Node " + node + " has the password of the VM that was there before it.",
		Todo:    "run `kubectl delete node " + node + "` in that cluster. K3s joins then.",
	}

	for _, e := range p.polls.electorates() {
		switch i := slices.Index(e.members, node); {
		case i >= 0 && len(e.members) == 1:
			return nil
		case i >= 0 && !p.polls.etcdOf(e).HasMajority():
			out.Reason, out.Todo = ReasonNoMajority, "give etcd a majority again, without which the API does not answer: docs/clusters.md, \"The majority of the servers is lost\". Then run `kubectl delete node "+
				node+"` where that Node is still there."
		}
	}

	return []Wait{out}
}

// The reasons why K3s refuses a VM.
const (
	ReasonOtherToken    = "OtherToken"
	ReasonOtherPassword = "OtherPassword"
	ReasonNoMajority    = "NoMajority" // And the API with which one would mend it does not answer.
)

// inGuest is what a person has to do in a machine's guest, of which the condition says that all is well: nothing is done to its VM.
func inGuest(p *play, m *world.Machine) []Wait {
	var out []Wait

	for _, c := range world.Conditions(m.Composite) {
		if c["reason"] == status.ReasonDataDisksChanged {
			out = append(out, Wait{
				Machine: p.labelOf(m), Condition: status.TypeBootstrapCurrent, Reason: status.ReasonDataDisksChanged,
				Message: cluster.Typed(m.Composite, fmt.Sprint(c["message"])),
			})
		}
	}

	return out
}

// converged of a flake: a guest that reports nothing, such as one that is told not to, is nobody's to wait for.
const converged = "Converged"

// ofGuests are the conditions that only a guest that runs can put right.
var ofGuests = []string{"NodeJoined", "NodeReady", "EtcdMember", "VersionCurrent", converged} //nolint:gochecknoglobals // A constant.

// isStopped says whether a machine is stopped as its claim wants it: nobody waits for its guest. False for nil.
func isStopped(p *play, m *world.Machine) bool {
	if m == nil || m.Spec()["power"] != string(v1alpha1.PowerStopped) {
		return false
	}

	s, there := p.stateOf(m)

	return there && s.State == StateOff
}

// same says whether two waits are one, whatever each says.
func (w Wait) same(other Wait) bool {
	return w.Machine == other.Machine && w.Condition == other.Condition && w.Reason == other.Reason
}

// refuses says whether the function refuses the claim, or a part of it.
func (w Wait) refuses() bool { return w.Condition == "Synced" || w.Condition == "SpecValid" }
