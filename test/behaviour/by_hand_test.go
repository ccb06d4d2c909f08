package behaviour

import (
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAVMIDThatWasEditedByHand in a managed resource is put right: the provider would refuse every further change of the VM. It
// is no other VM, and nothing was replaced.
func TestAVMIDThatWasEditedByHand(t *testing.T) {
	for _, claimed := range []bool{true, false} {
		m := example(t, "nixos/dns01")
		if !claimed {
			delete(world.Object(m.Spec()["proxmox"]), "vmId")
		}

		settled := m.Rest()
		m.Proxmox.Done = nil
		world.Object(world.Object(m.Observed["vm"]["spec"])["forProvider"])["vmId"] = 999.0

		rsp := m.Call()
		m.only(settled, rsp, func(d map[string]*fnv1.Resource) {
			if !claimed {
				set(d, "vm", 100.0, "spec", "forProvider", "vmId")
			}
		})
		m.says(rsp, map[string]string{"MachineReady": "Running", "ReplacementRequired": "NotRequired", "VMIDInUse": "NumberFree"})

		if slices.ContainsFunc(rsp.GetResults(), func(r *fnv1.Result) bool { return r.GetReason() == "Replaced" }) {
			t.Error("something was replaced")
		}

		m.Rest()
		m.did()
	}
}

// TestAPromotedVMIsKept: with Orphan, nothing that is the machine may be deleted, and neither may its snippets, not for one call.
func TestAPromotedVMIsKept(t *testing.T) {
	for _, edit := range []string{dhcp, "tags: [core]"} {
		m, _ := living(t, "nixos/dns01", edit, "deletionPolicy: Orphan")
		m.replace("a")

		for range 12 {
			rsp := m.Turn()

			for _, name := range world.VMNames(rsp) {
				candidate := world.Annotations(rsp, name)["homelab.io/candidate"] != nil
				if p := world.Policies(world.Desired(rsp, name)); !candidate && strings.Contains(p, "Delete") {
					t.Errorf("%s is the machine, and has policies %s", name, p)
				}

				if candidate {
					continue
				}

				for _, f := range snippetsOf(rsp, name) {
					if p := world.Policies(world.Desired(rsp, f)); strings.Contains(p, "Delete") {
						t.Errorf("%s of %s has policies %s", f, name, p)
					}
				}
			}
		}
	}
}
