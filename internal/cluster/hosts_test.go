package cluster

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

// TestTheOnlyServerUnderCrossplane is not restarted by its cluster. The agents have their turns meanwhile, and once a person has restarted its VM, the
// rollout is complete.
func TestTheOnlyServerUnderCrossplane(t *testing.T) {
	s := newStory(t, claimed(1, 2))
	s.here, s.site.hosts = true, true
	s.complete(40)
	s.log = nil

	s.spec.Servers.Class, s.spec.Agents[0].Class = "xlarge", "xlarge"
	p := s.settle(40)
	s.logged("server-0 Change", "worker-0 Change", "worker-0 Reboot", "worker-1 Change", "worker-1 Reboot")

	const want = "server-0's change waits for a power cycle, and Crossplane, which runs in this cluster, could not start it again: restart VM 1 in Proxmox."
	if p.State != v1alpha1.RolloutBlocked || p.Message != want {
		t.Errorf("want Blocked: %s\ngot %s: %s", want, p.State, p.Message)
	}

	// The node refuses it, and notes the boot that a person is to end: without that, it would not see that somebody has.
	n := s.site.nodes["server-0"]
	if asked := group(n.child.Spec, "lifecycle")["reboot"]; asked == nil || n.reboots > 0 {
		t.Errorf("lifecycle.reboot of server-0 is %v, and it was restarted %d times", asked, n.reboots)
	}

	n.pending = false
	s.complete(10)
	s.logged()

	// What it said before comes once more, as from a cache that is late: it still waits for a person.
	asked := group(n.child.Spec, "lifecycle")["reboot"]
	n.child.Restart = RestartAwaitsHand

	for _, step := range Decide(s.world()).Steps {
		if word := group(step.Spec, "lifecycle")["reboot"]; step.Node == "server-0" && word != asked {
			t.Errorf("server-0, which was restarted, is asked with %v for another restart; it was asked with %v", word, asked)
		}
	}
}

// TestThreeServersUnderCrossplane are restarted as anywhere: two of them go on.
func TestThreeServersUnderCrossplane(t *testing.T) {
	s := newStory(t, claimed(3, 0))
	s.here = true
	s.complete(40)
	s.log = nil

	s.spec.Servers.Class = "xlarge"
	s.complete(60)

	if got := strings.Join(s.log, ", "); strings.Count(got, "Reboot") != 3 {
		t.Errorf("want each server to be restarted, got %s", got)
	}
}

// TestRestartByHand is in the node's own words as soon as it has said what a person has to do, so that nobody reads it twice in different words.
func TestRestartByHand(t *testing.T) {
	cases := map[string]struct {
		reason string
		child  Child
		want   string
	}{
		"Says": {
			reason: "It has the command.", child: Child{Answered: true, Held: Hold{"RunsCrossplane", "Restart it, or set spec.lifecycle.force to a new value."}},
			want: "server-0 cannot go on: RunsCrossplane: Restart it, or set spec.nodes[server-0].lifecycle.force to a new value",
		},
		"Older": {
			reason: "What it says is about another spec.", child: Child{Held: Hold{"RunsCrossplane", "Restart it."}, VMID: new(int64(4101))},
			want: "server-0's change waits for a power cycle, and Crossplane, which runs in this cluster, could not start it again: restart VM 4101 in Proxmox",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			tc.child.Role = v1alpha1.K3sServer

			if got := restartByHand(Member{Node: "server-0"}, tc.child); got != tc.want {
				t.Errorf("%s want %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}
