package status

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Limits of a name that somebody else gave, in characters: of a VM or a node, and of a machine with its namespace.
const (
	maxForeignName    = 63
	maxForeignMachine = 127
)

// vmID is the VM's number once there is a VM: it makes some fields of the claim immutable.
func (s reporter) vmID() *int64 {
	at := s.vm.Status.AtProvider

	if !s.observed || s.vm.ObserveOnly() {
		return nil
	}

	if id, err := strconv.ParseInt(at.ID, 10, 64); err == nil {
		return &id
	}

	if !s.exists() || at.ID == "" && s.in.Previous.VMID == nil {
		return nil
	}

	asked := s.in.Plan.VMID.VMID
	if s.replacing() != nil { // That is the number of the VM that is to be.
		asked = 0
	}

	for _, id := range []int64{at.VMID, proxmox.VMIDOf(s.vm), asked} {
		if id != 0 {
			return &id
		}
	}

	return nil
}

// numberOf is the number of the VM that a composed resource is, or belongs to; 0 where none is known.
func (s reporter) numberOf(resource string) int64 {
	if vm, ok := s.in.State.VMs[resource]; ok && resource != s.name {
		return proxmox.VMIDOf(vm)
	}

	if id := s.vmID(); id != nil {
		return *id
	}

	return s.in.Plan.VMID.VMID
}

// nodeOf is the node of the VM that a composed resource is, or belongs to; empty where none is known.
func (s reporter) nodeOf(resource string) string {
	vm, ok := s.in.State.VMs[resource]
	if !ok || resource == s.name {
		return s.node()
	}

	if node := vm.Status.AtProvider.NodeName; node != "" && !vm.ObserveOnly() {
		return node
	}

	return vm.Spec.ForProvider.NodeName
}

// vmName is the VM in messages.
func (s reporter) vmName() string { return s.vmWord() + " on node " + s.plannedNode() }

// vmWord is the VM in messages, without its node.
func (s reporter) vmWord() string {
	if id := s.vmID(); id != nil {
		return "VM " + strconv.FormatInt(*id, 10)
	}

	return "The VM"
}

// plannedNode is the node that the VM is on, or is to be on.
func (s reporter) plannedNode() string {
	if node := s.node(); node != "" {
		return node
	}

	return s.in.Machine.Placement.Node
}

// foreignVM is a VM that is not the machine's, in messages.
func foreignVM(id int64, name, node string) string {
	out := "VM " + strconv.FormatInt(id, 10)
	if name != "" {
		out += " (" + foreign(name, maxForeignName) + ")"
	}

	if node != "" {
		out += " on node " + plain(node, maxForeignName)
	}

	return out
}

// foreign sets off a name that somebody else gave.
func foreign(name string, limit int) string { return quote(plain(name, limit)) }

// plain is a name that somebody else gave, on one line and of a limited length.
func plain(name string, limit int) string {
	out := []rune(strings.Map(func(r rune) rune {
		if r == '`' || r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '_'
		}

		return r
	}, name))

	return string(out[:min(len(out), limit)])
}
