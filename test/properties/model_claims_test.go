package properties

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// claimModels are worlds of what one claim lets happen to its VM, and what not.
func claimModels(t *testing.T) map[string]model {
	t.Helper()

	one := func(spec string) []map[string]any {
		s := world.FromYAML(t, `{image: debian-12, proxmox: {node: pve, vmId: 150}, network: {ip: 192.168.4.60, cidr: 24}}`)
		world.Merge(s, world.FromYAML(t, spec))

		return []map[string]any{world.NewClaim("Machine", "infra-machines", "web", s)}
	}
	leaves := act{what: "deletes the claim", do: func(ms []*world.Machine) {
		if len(ms) > 0 {
			ms[0].Leave()
		}
	}}

	return map[string]model{
		"OrphanLeaves": {
			reason: "The VM of a claim that is deleted stays, and runs.", claims: one(`{deletionPolicy: Orphan, deletionProtection: false}`), begins: running, waits: true, person: []act{leaves},
		},
		"StoppedUnread": {
			reason: "A VM of which nobody knows whether it runs is not stopped before somebody does.", claims: one(`{}`), begins: running, stop: 1, stops: 1, waits: true,
			person: []act{{what: "restores its managed resource without a status, and stops it", do: func(ms []*world.Machine) {
				ms[0].Observed["vm"]["status"] = map[string]any{}
				ms[0].Spec()["power"] = "Stopped"
			}}, edit("edits the notes", `{notes: x}`)},
			says: map[string]string{"MachineReady": "Stopped"},
		},
		"ProtectedStays": {
			reason: "A claim that is protected stays, with its VM.", claims: one(`{deletionPolicy: Delete, deletionProtection: true}`), begins: running,
			person: []act{edit("edits the notes", `{notes: x}`), leaves},
		},
		"AdoptionUnapproved": {
			reason: "A VM whose adoption nobody approves is read, and left alone.", claims: one(`{proxmox: {vmId: null}, adopt: {vmId: 150}}`), waits: true,
			says:   map[string]string{"MachineReady": "WaitingForApproval"},
			there:  func(ms []*world.Machine) { ms[0].Proxmox.ByHand(150, fake.HandMade(t, `started: true`)) },
			person: []act{edit("edits the notes", `{notes: x}`)},
		},
		"ApprovedBeforeEdit": {
			reason: "A plan that nobody has approved waits, whatever was approved before.", begins: running,
			claims: one(`{lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}}`),
			person: []act{edit("edits the memory", `{size: {memory: 6Gi}}`), {what: "approves what the status shows, and edits the memory again", do: func(ms []*world.Machine) {
				approvePlan(ms)
				world.Merge(ms[0].Spec(), world.FromYAML(t, `{size: {memory: 8Gi}}`))
			}}},
		},
	}
}
