package rehearse

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestWitness: what somebody else plays is said in the words of a rehearsal, with who is out of service and the votes that are left.
func TestWitness(t *testing.T) {
	c := playedTo(t, edited(t, ownServers, nil), 0).cluster
	first := c.Machines[0]
	vm := first.Proxmox.VMs[4561]
	running := vm.Running

	conditions := func(kind, status string) func() {
		return func() {
			for _, condition := range world.Conditions(c.Nodes["server-2"]) {
				if condition["type"] == kind {
					condition["status"] = status
				}
			}
		}
	}

	cases := []struct {
		reason, done, want, away string
		do                       func()
	}{
		{"All serve.", "change memory of 4561", "VM 4561 (server-1, pve1) is changed: memory", "", func() {}},
		{"One is off.", "stop 4561", "VM 4561 (server-1, pve1) is stopped", "away: server-1; etcd: 2 of 3 vote", func() { vm.Running = nil }},
		{"Another one is cut off.", "drain server-2", "node server-2 is drained", "away: server-1; etcd: 1 of 3 vote, no majority", conditions("Ready", "False")},
		{"The first one is back.", "start 4561", "VM 4561 (server-1, pve1) is started", "away: nobody; etcd: 2 of 3 vote", func() { vm.Running = running }},
		{"All are.", "uncordon server-2", "node server-2 is uncordoned", "", conditions("Ready", "True")},
		{"What is nobody's has no name.", "destroy 999", "VM 999 is destroyed", "", func() {}},
	}

	for _, tc := range cases {
		tc.do()

		if diff := cmp.Diff([]string{tc.want, tc.away}, append(Said([]string{tc.done}, c), Away(c))); diff != "" {
			t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
		}
	}

	// What is gone by now is known from the state before.
	after := world.Fork(c).Cluster
	delete(after.Machines[0].Proxmox.VMs, 4561)

	if diff := cmp.Diff([]string{"VM 4561 (server-1, pve1) is destroyed"}, Said([]string{"destroy 4561"}, c, after)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
