package status

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// next is the VM that is to take dns01's place.
const next = "vm-9876543210"

// vmNext is that VM when it runs.
var vmNext = strings.NewReplacer("# vm\n", "# "+next+"\n", "153", "160", ":53", ":60", ".53", ".60", "::53", "::60").Replace(vmRunning)

// vmStopped is dns01's VM, shut down.
var vmStopped = strings.NewReplacer("    started: true\n    networkDevice: [{mac", "    started: false\n    networkDevice: [{mac").Replace(vmRunning)

// replaced is dns01 while another VM takes its place; vms are what there is of both.
func replaced(t *testing.T, stage lifecycle.Stage, stopped bool, vms ...string) Input {
	t.Helper()

	in := settled(t)
	in.State = observed(t, append(vms, snippetsThere, imageThere)...)
	in.Plan.VMID.VMID = 160
	in.Desired.VMs[next] = rendered(t, vmNext)
	in.Plan.Roles.Active = lifecycle.FirstVM
	in.wants(!stopped)
	in.Plan.Replacement = &lifecycle.Replacement{Trigger: "2026-11-20", Stage: stage, Old: lifecycle.FirstVM, New: next, Stopped: stopped}

	return in
}

// rendered is a VM as it was found.
func rendered(t *testing.T, document string) proxmox.VM {
	t.Helper()

	for _, vm := range observed(t, document).VMs {
		return vm.Retained(vm.Metadata.Metadata, proxmox.DeletionDestroys)
	}

	t.Fatal("there is no VM in this document")

	return proxmox.VM{}
}

// taking is dns01's status while another VM takes its place.
func taking(change func(*v1alpha1.Status)) v1alpha1.Status {
	return made(func(s *v1alpha1.Status) {
		s.Phase, s.Replacement = v1alpha1.PhaseReplacing, &v1alpha1.ReplacementStatus{Token: "2026-11-20", Node: "pve"}
		if change != nil {
			change(s)
		}
	})
}

// readyBeside is the readiness of dns01 and of the VM that is to take its place.
func readyBeside(vm, other bool) map[string]bool {
	out := readiness(vm, true, true)
	out[next] = other

	return out
}

// ofNext is dns01's status when the new VM is the machine.
func ofNext(change func(*v1alpha1.Status)) v1alpha1.Status {
	return made(func(s *v1alpha1.Status) {
		s.VMID, s.PrimaryAddress, s.Addresses = new(int64(160)), "192.168.4.60", []string{"192.168.4.60", "2001:db8::60"}
		if change != nil {
			change(s)
		}
	})
}

// done is a replacement that is over: the old VM is neither rendered nor found.
func done(in Input) Input {
	in.Plan.Roles.Active, in.Plan.Replacement = next, nil
	in.wants(true)
	in.agent(true)
	delete(in.Desired.VMs, lifecycle.FirstVM)
	delete(in.State.VMs, lifecycle.FirstVM)

	return in
}

// withAgent is a VM whose guest agent is to answer.
func withAgent(t *testing.T, document string) proxmox.VM {
	t.Helper()

	vm := observed(t, document).VMs[next]
	vm.Spec.ForProvider.Agent = []proxmox.Agent{{Enabled: true}}

	return vm.Retained(vm.Metadata.Metadata, proxmox.DeletionDestroys)
}
