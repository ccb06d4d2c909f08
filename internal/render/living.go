package render

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// living renders a VM that exists: it follows its claim as far as it can, and stays the VM that it is.
func (w *work) living(ids proxmox.Initialization) {
	desired := w.newVM(ids)
	made := asMade(w.vm)

	p, held := change.Guard(desired.Spec.ForProvider, made, w.circumstances())
	desired.Spec.ForProvider, desired.Spec.Rest = p, w.vm.Spec.Rest
	w.out.Held = slices.Concat(held, w.identify(&desired))

	w.pending(&desired, made)
	w.run(&desired)
	w.remember(&desired)

	w.vms[w.name] = desired
}

// circumstances of a change to the VM.
func (w *work) circumstances() change.Circumstances {
	return change.Circumstances{
		Native:       w.Bootstrap.Mode == bootstrap.ModeNative,
		Adopted:      w.adopted,
		FirmwareSaid: w.Machine.Firmware != nil,
		Migrate:      w.mayMigrate(),
	}
}

// asMade is what a VM was made with. Proxmox may have moved it since; it stays where it is.
func asMade(observed proxmox.ObservedVM) proxmox.VMParameters {
	p := observed.Spec.ForProvider
	if n := observed.Status.AtProvider.NodeName; n != "" {
		p.NodeName = n
	}

	if id := proxmox.NumberOf(observed); id != 0 {
		p.VMID = &id
	}

	return p
}

// identify keeps what makes a managed resource the same one: under another API version or provider configuration this would
// be another VM, and the old one would be deleted.
func (w *work) identify(desired *proxmox.VM) []change.Change {
	desired.APIVersion = w.vm.APIVersion

	delete(desired.Metadata.Annotations, proxmox.ExternalNameAnnotation)

	if id := proxmox.NumberOf(w.vm); id != 0 {
		numbered(desired, id)
	}

	// The name that the provider goes by counts, also where somebody changed it.
	if name := w.vm.Metadata.ExternalName(); name != "" {
		desired.Metadata.Annotations[proxmox.ExternalNameAnnotation] = name
	}

	has, wanted := w.vm.Spec.ProviderConfigRef, desired.Spec.ProviderConfigRef
	if has == wanted {
		return nil
	}

	desired.Spec.ProviderConfigRef = has

	const which = "provider configuration "

	return []change.Change{{Field: "spec.proxmox.site", Has: which + has.Name, Wanted: which + wanted.Name, Effect: change.Refused}}
}

// remember keeps what the VM remembers of how it came to be.
func (w *work) remember(desired *proxmox.VM) {
	if v := w.vm.Metadata.Annotations[proxmox.LookedAnnotation]; v != "" && !w.vm.Resting() {
		desired.Metadata.Annotations[proxmox.LookedAnnotation] = v
	}

	for _, a := range []string{proxmox.BootstrapHashAnnotation, proxmox.AdoptedAnnotation} {
		delete(desired.Metadata.Annotations, a)

		if v := w.vm.Metadata.Annotations[a]; v != "" {
			desired.Metadata.Annotations[a] = v
		}
	}
}

// conflicts says whether two VMs of this machine cannot run side by side: they would share an address, a device, or a node's
// name in K3s.
func conflicts(m *machine.Machine) bool {
	if m.K3s != nil || len(m.PCI) > 0 || len(m.USB) > 0 {
		return true
	}

	for _, n := range m.NICs {
		if n.MAC != "" || n.IPv4.Method == machine.MethodStatic || n.IPv6.Method == machine.MethodStatic {
			return true
		}
	}

	return false
}

// seen are the words of a VM's annotation.
func seen(vm proxmox.ObservedVM, annotation string) []string {
	return lifecycle.Tokens(vm.Metadata.Annotations[annotation])
}
