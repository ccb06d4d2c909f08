package behaviour

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAContainerKeepsItsPlace: of containers that wait, the one that asked first comes first, also when it has to go to another node before it exists;
// the other one is told so, and goes on by itself when there is room.
func TestAContainerKeepsItsPlace(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			both := containersTogether(t, in, 2, map[string]string{"pve1": "5Gi", "pve2": "5Gi"}, nil)
			first, second := both[0], both[1]

			// Each reserves a node.
			for _, m := range both {
				m.applyUnlessFatal(m.Call())
			}

			theirs := map[string]string{reservedBy(t, first): "3Gi", reservedBy(t, second): "5Gi"}
			if len(theirs) != 2 {
				t.Fatalf("want a node each, got %v", theirs)
			}

			node := reservedBy(t, second)

			for _, m := range both {
				inventory(theirs)(m.Machine)
			}

			last := inTurns(both)

			if c := first.Proxmox.Containers[170]; c == nil || c.Config["nodeName"] != node || first.Proxmox.Containers[171] != nil {
				t.Fatalf("want the first container on %s, and no other: %v", node, first.Proxmox.Done)
			}

			const want = "the container needs 2 GiB of memory, and no node of site 'home' has room for it"
			if msg := world.Message(last[1], "SpecValid"); !strings.Contains(msg, want) {
				t.Errorf("want the second one to be told, got %q", msg)
			}

			for _, m := range both {
				inventory(map[string]string{"pve1": "5Gi", "pve2": "5Gi"})(m.Machine)
			}

			inTurns(both)

			if diff := cmp.Diff(map[string]int{"pve1": 1, "pve2": 1}, placed(both)); diff != "" {
				t.Errorf("when there is room: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestARefusedContainerKeepsNobodyOut: what a container reserved before it was refused counts on the node that it chose, and nowhere else, and for those
// that asked later only. When its claim is deleted, nothing of it counts any more.
func TestARefusedContainerKeepsNobodyOut(t *testing.T) {
	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			both := containersTogether(t, in, 2, map[string]string{"pve1": "5Gi"}, nil)
			refused, later := both[0], both[1]

			refused.applyUnlessFatal(refused.Call())

			for _, m := range both {
				inventory(map[string]string{"pve1": "3Gi", "pve2": "3Gi"})(m.Machine)
			}

			inTurns(both)

			if n := len(placed(both)); n != 0 {
				t.Fatalf("want no container, got %v", placed(both))
			}

			world.Merge(later.Spec(), world.FromYAML(t, `{size: {memory: 1Gi}}`))
			inTurns(both)

			if diff := cmp.Diff(map[string]int{"pve2": 1}, placed(both)); diff != "" {
				t.Errorf("a smaller one, on the other node: -want, +got:\n%s", diff)
			}
		})
	}
}

// reservedBy is the node on which a container that does not exist yet is to be, as others see it.
func reservedBy(t *testing.T, m *machine) string {
	t.Helper()

	for name, o := range m.Observed {
		if strings.HasSuffix(name, "-vm") {
			return fmt.Sprint(world.Object(world.Object(o["spec"])["forProvider"])["nodeName"])
		}
	}

	t.Fatalf("nothing of %v reserves a node", m.Observed)

	return ""
}
