package properties

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// asksApproval says whether a claim has its edits wait.
func asksApproval(m *world.Machine) bool {
	approval := world.Object(m.Spec()["lifecycle"])["approval"]

	return approval == "OnRisk" || approval == "Always"
}

// waits says whether an edit of the machine waits for approval, as an answer says it.
func waits(rsp *fnv1.RunFunctionResponse) bool {
	return slices.ContainsFunc(rsp.GetConditions(), func(c *fnv1.Condition) bool {
		return c.GetType() == "Approved" && c.GetStatus() == fnv1.Status_STATUS_CONDITION_FALSE
	})
}

// approve what waits, as long as something does, and settle. Before that nothing was stopped, moved or made; after it the plan ends.
func (l *history) approve(when string, last *fnv1.RunFunctionResponse) *fnv1.RunFunctionResponse {
	for range 4 {
		if !waits(last) {
			return last
		}

		hash, _ := world.Object(world.Status(last)["plan"])["hash"].(string)
		if len(hash) != 10 {
			l.wrong(when, fmt.Sprintf("an edit waits without a plan: %v", world.Status(last)["plan"]))
			return last
		}

		l.outcomes["approved"] = true
		lifecycle := world.Object(world.Copy(world.Object(l.m.Spec()["lifecycle"])))
		lifecycle["approve"] = hash
		l.m.Spec()["lifecycle"] = lifecycle

		if first := l.m.Call(); waits(first) {
			l.wrong(when, "the hash of the plan does not let it go: "+hash+" "+world.Compact(world.Status(first)["plan"]))
			return last
		}

		last = rest(l.t, l.m, func(rsp *fnv1.RunFunctionResponse) { l.wrong(when+", approved", faultsOf(l.m, rsp)...) })
	}

	l.wrong(when, "an approved plan waits again and again: "+world.Compact(world.Status(last)["plan"]))

	return last
}

// approvalFaults of a VM whose edits have to be approved. A VM that was stopped for something may start, and one that was never started, too;
// everything else that would be felt needs an approved plan.
func approvalFaults(m *world.Machine, o, d map[string]any) []string {
	var out []string

	was, is := world.Object(world.Object(o["spec"])["forProvider"]), world.Object(world.Object(d["spec"])["forProvider"])
	remembers := world.Annotation(d, proxmox.ApprovalAnnotation) + world.Annotation(o, proxmox.ApprovalAnnotation)
	approved := strings.Contains(remembers, `"target"`)

	// A new VM that replaces another is nobody's loss yet.
	if approved || tried(o) || len(vmsOf(m)) > 1 {
		return nil
	}

	// One of nobody's power stays as its node returned with it: off.
	off := m.Spec()["power"] == "Unmanaged" && powerReported(o) && atProvider(o)["started"] == false
	if was["started"] == true && is["started"] == false && !off {
		out = append(out, "is stopped, and nobody approved that")
	}

	if is["migrate"] == true && was["migrate"] != true {
		out = append(out, "moves, and nobody approved that")
	}

	return out
}

// TestApprovals: in random lives with approvals no VM is stopped, moved or replaced without the hash of its plan in the claim, a plan that is
// approved goes and ends, and what waits stays as it was written.
func TestApprovals(t *testing.T) {
	const pairs = 150

	approved := 0

	for i := range uint64(pairs) {
		p := pairNumber(i*3 + 1)
		p.both("lifecycle.approval", pick(newDraw(*seed, i), "OnRisk", "Always"))
		p.second = with(p.second, []string{"lifecycle", "approve"}, nil)

		l := liveThrough(t, p, newDraw(*seed, i+1<<32))
		if len(l.faults) > 0 {
			t.Errorf("pair %d: %s\n%s", i, strings.Join(l.faults, "\n  "), p)
		}

		if l.outcomes["approved"] {
			approved++
		}

		if t.Failed() && i > 20 {
			break
		}
	}

	if approved < pairs/4 {
		t.Errorf("%d of %d lives had something to approve", approved, pairs)
	}
}
