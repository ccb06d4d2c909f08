package lifecycle

import (
	"cmp"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// LeftBehind are those of some managed resources of VMs that are or were the machine's whose composite is gone while they stayed: it was deleted with
// --cascade=orphan, or it was restored under another UID. The provider goes on with their VMs. Observed are the machine's own.
func LeftBehind(all []proxmox.ObservedVM, observed map[string]proxmox.ObservedVM, id machine.Identity) []proxmox.ObservedVM {
	own := map[string]bool{}
	for _, vm := range observed {
		own[vm.Metadata.Namespace+"/"+vm.Metadata.Name] = true
	}

	var out []proxmox.ObservedVM

	for _, vm := range all {
		nobodys := vm.Metadata.Controller() == "" && !own[vm.Metadata.Namespace+"/"+vm.Metadata.Name]
		if nobodys && proxmox.VMIDOf(vm) != 0 && CheckedVMID(vm) == 0 && id.Made(vm.Spec.ForProvider.Description) {
			out = append(out, vm)
		}
	}

	slices.SortFunc(out, func(a, b proxmox.ObservedVM) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })

	return out
}

// leftBehind is the check of a VMID whose VM a managed resource has that was left behind: a second VM beside it would have its name and address, whichever
// VMID it is to have. Nil where there is none. A VM that is to replace another one has that one's name anyway.
func (q vmidQuestion) leftBehind() *VMIDCheck {
	if q.replaced != 0 {
		return nil
	}

	return q.leftOf(func(proxmox.ObservedVM) bool { return true })
}

// manages is the check of the VMID of a VM that is to be adopted, and that a managed resource which was left behind can still change or destroy; nil for any
// other.
func (q vmidQuestion) manages(id int64) *VMIDCheck {
	return q.leftOf(func(vm proxmox.ObservedVM) bool { return proxmox.VMIDOf(vm) == id && !vm.ObserveOnly() && !vm.Withheld })
}

func (q vmidQuestion) leftOf(counts func(proxmox.ObservedVM) bool) *VMIDCheck {
	for _, vm := range q.left {
		// Who may write managed resources in another namespace is nobody whose word counts here.
		if vm.Metadata.Namespace == q.owner.Namespace && q.owner.sameSite(vm) && counts(vm) {
			name := proxmox.ResourceOf(vm.APIVersion, proxmox.VMKind) + "/" + vm.Metadata.Name
			if vm.Metadata.Namespace != "" {
				name += " -n " + vm.Metadata.Namespace
			}

			return &VMIDCheck{VMID: proxmox.VMIDOf(vm), Outcome: OutcomeLeftBehind, Name: name, Node: vm.Status.AtProvider.NodeName}
		}
	}

	return nil
}
