package lifecycle

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// onNode puts a VM on a Proxmox node.
func onNode(node string) func(vm *proxmox.ObservedVM) {
	return func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.NodeName, vm.Status.AtProvider.NodeName = node, node }
}

// unread VMs are those that the provider cannot read.
func unread(vm *proxmox.ObservedVM) {
	vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True", ObservedGeneration: 2}, {Type: "Synced", Status: "False", Reason: "ReconcileError", ObservedGeneration: 2}}
}

// TestIsLost: a person's word counts for a VM on that Proxmox node, and never against a VM that the provider reads.
func TestIsLost(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		vm     proxmox.ObservedVM
		word   string
		want   bool
	}{
		"Lost":    {reason: "The provider cannot read it, and somebody says that its Proxmox node does not come back.", vm: settledVM(onNode("pve2"), unread), word: "pve2", want: true},
		"Read":    {reason: "The provider reads it: it could be stopped.", vm: settledVM(onNode("pve2")), word: "pve2"},
		"Moved":   {reason: "It was on another Proxmox node when it was read last.", vm: settledVM(onNode("pve1"), unread), word: "pve2"},
		"NoWord":  {reason: "Nobody says anything.", vm: settledVM(onNode("pve2"), unread)},
		"Written": {reason: "It was never read: it is where it was to be made.", vm: settledVM(onNode("pve2"), unread, func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.NodeName = "" }), word: "pve2", want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := IsLost(tc.vm, tc.word); got != tc.want {
				t.Errorf("%s\nIsLost is %v, want %v", tc.reason, got, tc.want)
			}
		})
	}
}
