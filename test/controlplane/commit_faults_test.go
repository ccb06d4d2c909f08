package controlplane

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/standin"
)

// faultsOfCommits are what goes wrong in the moment of a commit of internal/rehearse, as `rehearse --faults` calls it, with the guest that it befalls.
var faultsOfCommits = map[string]struct{ commit, guest, fault string }{
	"MachineStopped":     {"Machine", "git01", "the VM is stopped by hand"},
	"MachineDestroyed":   {"Machine", "git01", "the VM is deleted by hand"},
	"MachineHostDies":    {"Machine", "git01", "the Proxmox node of the VM dies"},
	"MachineHostReturns": {"Machine", "git01", "the Proxmox node of the VM dies, and comes back later"},
	"ContainerStopped":   {"Restarted", "dns01", "the container is stopped by hand"},
	"ContainerDestroyed": {"Restarted", "dns01", "the container is deleted by hand"},
	"ContainerHostDies":  {"Restarted", "dns01", "the Proxmox node of the container dies"},
	"ServerStopped":      {"Reboot", "server-1", "another server is stopped by hand"},
	"ServerHostDies":     {"Reboot", "server-1", "the Proxmox node of another server dies"},
	"ServerHostReturns":  {"Reboot", "server-1", "the Proxmox node of another server dies, and comes back later"},
}

// TestCommitFaults: what goes wrong in the moment of a commit ends as `rehearse --faults` says: without hands, or with the same waits.
func TestCommitFaults(t *testing.T) { // After TestCommits: two planes are enough for a computer.
	current.needed(t)

	all, err := commits()
	must(t, err)

	onPlanes(t, "commit-faults", slices.Sorted(maps.Keys(faultsOfCommits)), func(t *testing.T, p *commitPlane, name string) {
		t.Helper()

		tc := faultsOfCommits[name]
		p.makes(t, all[tc.commit], func(c *committed) { c.goesWrong(t, tc.guest, tc.fault) })
	})
}

// A rehearsedFault is a row of what `rehearse --faults` says.
type rehearsedFault struct {
	Fault   string
	Of      []string
	Steps   []int
	Outcome string
	Waits   []struct{ Machine, Condition, Reason string }
}

// goesWrong makes the commit in the moment of a fault.
func (c *committed) goesWrong(t *testing.T, guest, fault string) {
	t.Helper()

	c.born(t)

	claims, catalogue := claimsOf(t, c.After)
	row := c.rehearsedFault(t, guest, fault, slices.Concat(claims, catalogue))
	id := c.idsOf(claims)(t)[guest]

	var want []string
	for _, w := range row.Waits {
		want = append(want, waitOf(w.Machine, w.Condition, w.Reason))
	}

	slices.Sort(want)
	t.Logf("rehearsed where %s: %s, waits %q", fault, row.Outcome, want)

	undo := c.befall(t, id, fault)
	ends := strings.HasSuffix(fault, "comes back later")

	// A rehearsal's step 0 is an edit of what has gone wrong before, and was seen.
	if ends || strings.HasSuffix(fault, " dies") {
		must(t, c.until(t.Context(), "somebody notices", func(context.Context) (bool, string) {
			waits := ofNodes(c.waits(t))
			return len(waits) > 0 && c.isNotReady(t, guest), fmt.Sprint(waits)
		}))
	}

	must(t, c.apply(t.Context(), slices.Concat(catalogue, claims)...))

	if ends {
		undo()
	}

	since := time.Now()

	must(t, c.until(t.Context(), "it ends as it was rehearsed", func(context.Context) (bool, string) {
		diff := cmp.Diff(ofNodes(want), ofNodes(c.waits(t)))
		if row.Outcome == "done" && !c.guestRuns(c.idsOf(claims)(t)[guest]) {
			diff += guest + " does not run"
		}

		if diff != "" {
			since = time.Now()
		}

		return time.Since(since) > 2*quiet, diff
	}))

	// What is on a dead host does not go with its claim.
	if !ends {
		undo()
	}
}

// rehearsedFault is what `rehearse --faults` says of a fault before the first step.
func (c *committed) rehearsedFault(t *testing.T, guest, fault string, claims []*unstructured.Unstructured) rehearsedFault {
	t.Helper()

	said, code := c.commandLine(t, nil, "rehearse", "--faults", "-o", "json", "-n", machines, "-f", documents(t, claims))

	var all struct{ Faults []rehearsedFault }
	if err := json.Unmarshal([]byte(said), &all); err != nil {
		t.Fatalf("kubectl machine rehearse ends with %d: %v\n%s", code, err, said)
	}

	for _, row := range all.Faults {
		if row.Fault == fault && slices.Contains(row.Steps, 0) && (len(row.Of) == 0 || slices.Contains(row.Of, guest)) {
			return row
		}
	}

	t.Fatalf("no row says what comes of it where %s of %s at step 0:\n%s", fault, guest, said)

	return rehearsedFault{}
}

// befall a guest with a fault, until undo is called.
func (c *committed) befall(t *testing.T, id int, fault string) (undo func()) {
	t.Helper()

	undo = func() {}

	switch fault {
	case "the VM is stopped by hand", "another server is stopped by hand":
		c.world.Edit(func(vms map[int]*standin.VM) { vms[id].Stop() })
	case "the container is stopped by hand":
		c.world.EditContainers(func(all map[int]*standin.Container) { all[id].Started = false })
	case "the VM is deleted by hand":
		c.world.Remove(id)
	case "the container is deleted by hand":
		c.world.RemoveContainers(id)
	default:
		undo = c.hostDies(t, id)
	}

	return undo
}

// hostDies stops the guests of the Proxmox node of a guest, and lets nobody reach what is there, until it returns.
func (c *committed) hostDies(t *testing.T, id int) (returns func()) {
	t.Helper()

	var host string
	if ct := c.world.Container(id); ct != nil {
		host = ct.Node
	} else {
		host = c.world.VM(id).Node
	}

	hit := map[string]bool{}

	for group, kind := range map[string]string{
		"virtualenvironmentvm": "EnvironmentVM", "virtualenvironmentcontainer": "EnvironmentContainer", "virtualenvironmentfile": "EnvironmentFile",
		"virtualenvironmentdownloadfile": "EnvironmentDownloadFile",
	} {
		for _, o := range c.list(t, schema.GroupVersionKind{Group: group + "." + c.group(), Version: "v1alpha1", Kind: kind}) {
			if on, _, _ := unstructured.NestedString(o.Object, "spec", "forProvider", "nodeName"); on == host {
				hit[kind+o.GetName()] = true
			}
		}
	}

	mend := c.world.Break("node", func(kind, name string) bool { return hit[kind+name] })
	c.world.Edit(func(vms map[int]*standin.VM) {
		for _, vm := range vms {
			if vm.Node == host {
				vm.Stop()
			}
		}
	})
	c.world.EditContainers(func(all map[int]*standin.Container) {
		for _, ct := range all {
			if ct.Node == host {
				ct.Started = false
			}
		}
	})
	t.Cleanup(mend)

	return func() {
		mend()
		c.world.Edit(func(vms map[int]*standin.VM) {
			for _, vm := range vms {
				if vm.Node == host && vm.ID != 9000 {
					vm.Start()
				}
			}
		})
	}
}

// isNotReady says whether the function knows that a node of a cluster is not ready. True for what is none.
func (c *committed) isNotReady(t *testing.T, guest string) bool {
	t.Helper()

	kind := (&clusterRun{nodesRun: &nodesRun{rig: c.rig}}).nodeKind()

	for _, node := range c.list(t, schema.GroupVersionKind{Group: "homelab.io", Version: "v1alpha1", Kind: kind}) {
		if strings.HasSuffix(node.GetName(), "-"+guest) {
			return condition(&node, "NodeReady").status != string(metav1.ConditionTrue)
		}
	}

	return true
}

// guestRuns says whether a VM or a container does.
func (c *committed) guestRuns(id int) bool {
	if vm := c.world.VM(id); vm != nil {
		return vm.Running != nil
	}

	ct := c.world.Container(id)

	return ct != nil && ct.Started
}
