package behaviour

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// of somebody's own choice: nothing of it is a default of ours.
const ownChoice = `{nodeName: pve2, onBoot: false, startup: [{order: 3, upDelay: 20, downDelay: -1}], disk: [
  {interface: scsi0, datastoreId: local-zfs, size: 64, aio: io_uring, backup: false, cache: writeback, discard: ignore, iothread: false, replicate: true, ssd: false}]}`

// TestAnAdoptionChangesNothingThatTheClaimDoesNotSay: neither at the adoption nor later, and no call asks for another VM because of
// a node that nobody named. All other changes are in the plan: name, notes and tags are always the claim's.
func TestAnAdoptionChangesNothingThatTheClaimDoesNotSay(t *testing.T) {
	for name, claim := range map[string]string{
		"Site":        "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old]}",
		"NoCatalogue": "{adopt: {vmId: 108}, hostname: nas, tags: [old]}",
	} {
		t.Run(name, func(t *testing.T) {
			m := adopting(t, claim, fake.HandMade(t, ownChoice))
			if name == "NoCatalogue" {
				m.Catalogue = nil
			}

			plan := adoptionOf(m.Rest())
			if diff := cmp.Diff([]any{"description: none to " + description(m)}, plan["changes"]); diff != "" {
				t.Errorf("changes: -want, +got:\n%s", diff)
			}

			if plan["refused"] != nil || plan["reboots"] != nil || plan["node"] != "pve2" {
				t.Errorf("status.adoption: %v", plan)
			}

			world.Object(m.Spec()["adopt"])["approve"] = plan["plan"]

			var last *fnv1.RunFunctionResponse
			for range 8 {
				last = m.Turn()
				if r := world.Reason(last, "ReplacementRequired"); r != "NotRequired" {
					t.Errorf("ReplacementRequired %s: %s", r, world.Message(last, "ReplacementRequired"))
				}
			}

			m.did("adopt 108", "change description of 108")
			m.says(last, map[string]string{"MachineReady": "Running", "RebootPending": "NothingPending"})

			if n := world.Status(last)["node"]; n != "pve2" {
				t.Errorf("node %v", n)
			}

			// What it says from now on, it gets, and keeps.
			m.Spec()["bootDisk"], m.Spec()["onBoot"] = map[string]any{"cache": "none", "backup": true}, true
			m.Rest()
			m.did("change disk, onBoot of 108")
			delete(m.Spec(), "bootDisk")
			delete(m.Spec(), "onBoot")
			m.Rest()
			m.did()
		})
	}
}

// TestAnUpgradeChangesNoAdoptedVM: what an earlier release wrote at the adoption, from its own defaults, stays.
func TestAnUpgradeChangesNoAdoptedVM(t *testing.T) {
	m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, hostname: nas, tags: [old]}", fake.HandMade(t))
	settled := m.approved()
	m.Proxmox.Done = nil

	written := map[string]any{
		"agent":  []any{map[string]any{"enabled": false, "timeout": "15s", "trim": false, "type": "virtio"}},
		"onBoot": true, "startup": nil,
	}
	p := world.Object(world.Object(m.Observed["vm"]["spec"])["forProvider"])

	for field, v := range written {
		p[field], m.Proxmox.VMs[108].Config[field] = world.Copy(v), world.Copy(v)
		if v == nil {
			delete(p, field)
			delete(m.Proxmox.VMs[108].Config, field)
		}
	}

	disk := world.Object(world.List(p["disk"])[0])
	disk["cache"], disk["backup"] = "none", true

	m.Provide()
	m.Proxmox.Done = nil

	m.only(settled, m.Rest(), func(d map[string]*fnv1.Resource) {
		set(d, "vm", written["agent"], "spec", "forProvider", "agent")
	})
	m.did()
}
