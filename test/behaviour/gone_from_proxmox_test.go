package behaviour

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// mark is the provider's own of the creation that it began last.
func (m *machine) mark() string {
	return world.Annotation(m.Observed["vm"], proxmox.CreatePendingAnnotation)
}

// recreated is what an answer notes of a VM that the provider created again.
func (m *machine) recreated(d map[string]*fnv1.Resource) {
	set(d, "vm", m.mark(), "metadata", "annotations", proxmox.CreatedAnnotation)
	set(d, "vm", m.mark(), "metadata", "annotations", proxmox.RecreatedAnnotation)
}

// restart the provider with a VM that a person deleted meanwhile, and let it work until everything rests. It returns the events.
func (m *machine) gone() (last *fnv1.RunFunctionResponse, events []string) {
	m.t.Helper()
	delete(m.Proxmox.VMs, 100)

	for range 8 {
		last = m.Turn()

		for _, r := range last.GetResults() {
			events = append(events, r.GetReason())
		}
	}

	return last, events
}

// TestAVMThatIsGone is created again. What waited for a power cycle of the VM before waits for nothing, so that nothing is restarted,
// and that the disks are empty is said until somebody has read it.
func TestAVMThatIsGone(t *testing.T) {
	for _, policy := range []string{"OnRequest", "WhenNeeded"} {
		t.Run(policy, func(t *testing.T) {
			m, settled := living(t, "nixos/dns01")
			m.Spec()["size"] = map[string]any{"cores": 6}
			m.says(m.Rest(), map[string]string{"RebootPending": "ChangesPending"})

			before := m.mark()
			m.Proxmox.Done = nil
			last, events := m.gone()

			if m.mark() == before {
				t.Fatal("the fake provider has not marked another creation")
			}

			m.says(last, map[string]string{"RebootPending": "NothingPending", "MachineReady": "Recreated", "ReplacementRequired": "NotRequired"})
			m.only(settled, last, func(d map[string]*fnv1.Resource) {
				m.recreated(d)
				set(d, "vm", []any{map[string]any{"cores": 6, "sockets": 1, "type": "x86-64-v2-AES", "numa": false}}, "spec", "forProvider", "cpu")
			})

			if n := len(slices.DeleteFunc(events, func(e string) bool { return e != "Recreated" })); n != 1 {
				t.Errorf("%d events Recreated, want 1", n)
			}

			m.lifecycle("rebootPolicy", policy)
			m.says(m.Rest(), map[string]string{"MachineReady": "Recreated"})
			m.did("make 100")

			if running, _ := m.cores(100); running != 6.0 {
				t.Errorf("the VM runs with %v cores", running)
			}

			// What is changed from now on waits for the new VM's next power cycle.
			m.lifecycle("rebootPolicy", "OnRequest")
			m.Spec()["size"] = map[string]any{"cores": 8}
			m.says(m.Rest(), map[string]string{"RebootPending": "ChangesPending"})

			// As the message says.
			delete(world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"]), proxmox.RecreatedAnnotation)
			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "RebootPending": "ChangesPending"})
		})
	}
}

// TestAnAdoptedVMThatIsGone was never created by the provider: the first mark of a creation is enough.
func TestAnAdoptedVMThatIsGone(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, size: {cores: 6}}", fake.HandMade(t))
	m.says(m.approved(), map[string]string{"RebootPending": "ChangesPending", "MachineReady": "Running"})

	delete(m.Proxmox.VMs, 108)

	last := m.Rest()
	m.says(last, map[string]string{"RebootPending": "NothingPending", "MachineReady": "Recreated"})

	if text := world.Message(last, "MachineReady"); !strings.Contains(text, "empty disks only") {
		t.Errorf("the message does not say that even the boot disk is empty: %s", text)
	}
}

// TestAVMOfAnEarlierReleaseThatIsGone has no note of its creation. While the provider creates it again, that shows all the same.
func TestAVMOfAnEarlierReleaseThatIsGone(t *testing.T) {
	m, settled := living(t, "nixos/dns01")
	annotations := world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])
	delete(annotations, proxmox.CreatedAnnotation)

	// An upgrade alone notes nothing.
	m.only(settled, m.Rest(), func(d map[string]*fnv1.Resource) {
		delete(d["vm"].GetResource().GetFields()["metadata"].GetStructValue().GetFields()["annotations"].GetStructValue().GetFields(), proxmox.CreatedAnnotation)
	})

	m.Spec()["size"] = map[string]any{"cores": 6}
	m.says(m.Rest(), map[string]string{"RebootPending": "ChangesPending"})

	annotations = world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])
	delete(annotations, proxmox.CreatedAnnotation)

	// The provider has not found the VM, and begins.
	annotations[proxmox.CreatePendingAnnotation] = "2026-01-01T09:00:00Z"
	world.Report(m.Observed["vm"], "False", "True", "True", "")
	m.Provider.Stuck = []string{"vm"}

	rsp := m.Turn()
	m.says(rsp, map[string]string{"MachineReady": "Creating", "RebootPending": "NothingPending"})

	if a := world.Annotations(rsp, "vm"); a[proxmox.CreatedAnnotation] != proxmox.Recreating || a[proxmox.RecreatedAnnotation] != nil {
		t.Errorf("annotations %v", a)
	}

	// It fails, and tries again: nothing is written that would make it try at once.
	annotations = world.Object(world.Object(m.Observed["vm"]["metadata"])["annotations"])
	annotations[proxmox.CreatePendingAnnotation] = "2026-01-01T09:01:00Z"
	m.only(rsp, m.Turn(), nil)

	m.Provider.Stuck = nil
	m.says(m.Rest(), map[string]string{"MachineReady": "Recreated", "RebootPending": "NothingPending"})
}
