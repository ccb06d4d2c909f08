package render

import (
	"fmt"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A rule keeps one thing of a VM that was made. Rows differ in what they read and write, so each brings its own code.
type rule struct {
	field string
	// show is the thing in a person's words; equal words mean no change.
	show func(proxmox.VMParameters) string
	// keep copies it from the VM that was made.
	keep func(to *proxmox.VMParameters, from proxmox.VMParameters)
}

// rules is the one table of what cannot change in place. Sources: provider.md, section 3.1 and 3.3, as provider-lab.md
// corrects it. The snippets are frozen without a word here: condition BootstrapCurrent speaks of them.
var rules = []rule{ //nolint:gochecknoglobals // A constant table.
	{
		field: "spec.proxmox.vmId",
		show:  func(p proxmox.VMParameters) string { return number(p.VMID) },
		keep:  func(to *proxmox.VMParameters, from proxmox.VMParameters) { to.VMID = from.VMID },
	},
	{
		field: "spec.proxmox.node",
		show:  func(p proxmox.VMParameters) string { return p.NodeName },
		keep:  func(to *proxmox.VMParameters, from proxmox.VMParameters) { to.NodeName = from.NodeName },
	},
	{
		field: "spec.image",
		show:  bootSource,
		keep: func(to *proxmox.VMParameters, from proxmox.VMParameters) {
			to.Clone, to.CDROM, to.BootOrder = from.Clone, from.CDROM, from.BootOrder
		},
	},
	{
		field: "spec.firmware",
		show:  firmwareWords,
		keep: func(to *proxmox.VMParameters, from proxmox.VMParameters) {
			to.Bios, to.Machine = from.Bios, from.Machine
			to.EFIDisk, to.TPMState = from.EFIDisk, from.TPMState
		},
	},
}

// guard makes a desired VM keep what the observed one cannot change, and says what it held back. native says whether the
// claim leaves the user-data to Proxmox now.
func guard(desired *proxmox.VM, observed proxmox.ObservedVM, native bool) []change.Change {
	var held []change.Change

	made := asMade(observed)
	p := &desired.Spec.ForProvider

	for _, r := range rules {
		if has, wanted := r.show(made), r.show(*p); has != wanted {
			held = append(held, change.Change{Effect: change.Refused, Field: r.field, Has: has, Wanted: wanted})
		}

		r.keep(p, made)
	}

	held = append(held, keepDisks(p, made)...)
	held = append(held, keepInitialization(p, made, native)...)

	// Under another API version or provider configuration this would be another VM, and the old one would be deleted.
	desired.APIVersion = observed.APIVersion
	if has, wanted := observed.Spec.ProviderConfigRef, desired.Spec.ProviderConfigRef; has != wanted {
		held = append(held, change.Change{Effect: change.Refused, Field: "spec.proxmox.site", Has: has.Name, Wanted: wanted.Name})
		desired.Spec.ProviderConfigRef = has
	}

	keepAnnotations(desired, observed)

	return held
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

// keepAnnotations keeps the VM's identity and the hash of the bootstrap data that it was made with.
func keepAnnotations(desired *proxmox.VM, observed proxmox.ObservedVM) {
	for _, a := range []string{proxmox.ExternalNameAnnotation, BootstrapHashAnnotation} {
		delete(desired.Metadata.Annotations, a)

		if v := observed.Metadata.Annotations[a]; v != "" {
			desired.Metadata.Annotations[a] = v
		}
	}
}

func number(n *int64) string {
	if n == nil {
		return ""
	}

	return strconv.FormatInt(*n, 10)
}

// bootSource is what a boot disk was made from, in words.
func bootSource(p proxmox.VMParameters) string {
	switch {
	case len(p.Clone) > 0:
		return fmt.Sprintf("template %d", p.Clone[0].VMID)
	case len(p.Disk) > 0 && p.Disk[0].ImportFrom != "":
		return p.Disk[0].ImportFrom
	case len(p.Disk) > 0 && p.Disk[0].FileID != "":
		return p.Disk[0].FileID
	case len(p.CDROM) > 0:
		return p.CDROM[0].FileID
	}

	return "an empty disk"
}

// firmwareWords is a VM's firmware in words.
func firmwareWords(p proxmox.VMParameters) string {
	words := p.Bios + " on " + p.Machine
	if p.Machine == "" {
		words = "its template's"
	}

	for _, e := range p.EFIDisk {
		words += fmt.Sprintf(", Secure Boot %t", e.PreEnrolledKeys)
	}

	if len(p.TPMState) > 0 {
		words += ", TPM"
	}

	return words
}
