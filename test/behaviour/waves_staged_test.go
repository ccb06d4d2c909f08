package behaviour

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestAStagedRollout is the runbook of example/rollout with NixOS machines: the two name servers and what needs them restart one after the other, each once somebody
// has approved its plan; the rollout stops at the one whose guest is back at its former system, and whoever has not restarted by then can be left as it is.
func TestAStagedRollout(t *testing.T) {
	t.Parallel()

	dns01 := example(t, "nixos/dns01")
	claim := world.NewClaim("Machine", "infra-machines", "dns02", world.Object(world.Copy(dns01.Spec())))
	dns02 := dns01.beside(world.NewMachine(claim, world.Installations[0]))
	dns02.Catalogue = dns01.Catalogue
	dns02.edit("{network: {ip: 192.168.4.55}, proxmox: {vmId: 155}, nix: {flakeRef: 'git+https://git.home.arpa/infra?ref=main#dns02'}}")
	docker01 := dns01.beside(fake.ExampleNamed(t, "nixos/docker01").Machine(world.Installations[0]))
	all := []*machine{dns01, dns02, docker01}

	for i, m := range all {
		m.edit("{lifecycle: {approval: OnRisk, rebootPolicy: WhenNeeded}, rollout: {group: names, revision: a}}")
		world.Object(m.Spec()["rollout"])["wave"] = float64(i + 1)
	}

	dns01.Rest()

	for _, m := range all {
		m.Proxmox.VMs[m.number()].Report = "nix-ok-3f9a0c"
	}

	dns01.Rest()
	dns01.Proxmox.Done = nil

	// One commit for all of them: nothing happens.
	everywhere(all, func(m *machine) { m.edit("{class: large, rollout: {revision: b}}") })
	dns01.Rest()
	noOutage(t, "Nobody has approved anything.", dns01.Proxmox)

	// The first word is for one machine.
	dns01.lifecycle("approve", hash(t, dns01.Call()))
	takeTurns(15, all...)
	dns01.did("change cpu, disk, memory of 153", "stop 153", "start 153")
	dns01.says(dns01.Call(), map[string]string{"RolloutFinished": "Finished", "Converged": "Applied"})

	// The next one is for both of the others, and dns02 comes up with its former system.
	dns02.Proxmox.VMs[155].Report = "nix-back-3f9a0c"

	for _, m := range all[1:] {
		m.lifecycle("approve", hash(t, m.Call()))
	}

	takeTurns(15, all...)
	dns01.did("change cpu, disk, memory of 155", "change cpu, memory of 154", "stop 155", "start 155") // What needs no restart to be written does not wait for a turn.
	dns02.says(dns02.Call(), map[string]string{"RolloutFinished": "NotFinished", "Converged": "RolledBack"})
	docker01.says(docker01.Call(), map[string]string{"RolloutFinished": "WaitingForWave", "Approved": "PlanApproved"})

	// Whoever stops the rollout undoes the edit of those that have not begun. They are not restarted, whatever was approved.
	docker01.edit("{class: medium, rollout: {revision: c}}")
	takeTurns(15, all...)
	dns01.did("change cpu, memory of 154")

	// dns02 is repaired, and everybody gets the word of the commit that ends it.
	dns02.Proxmox.VMs[155].Report = "nix-ok-3f9a0c"

	everywhere(all, func(m *machine) { m.edit("{rollout: {revision: c}}") })
	takeTurns(15, all...)
	noOutage(t, "Nothing is left to do.", dns01.Proxmox)

	for _, m := range all {
		m.says(m.Call(), map[string]string{"RolloutFinished": "Finished", "RebootPending": "NothingPending"})
	}
}
