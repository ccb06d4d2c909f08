package preview

import (
	"strings"
)

// A subject is what a change is of, as far as sentences differ.
type subject string

const (
	subjectVM        subject = "VM"
	subjectContainer subject = "container"
	subjectSite      subject = "site" // Bridges, VLAN interfaces and pools.
)

// subject of a step.
func (s PlanStep) subject() subject {
	switch word, _, _ := strings.Cut(s.Resource, " "); word {
	case "container":
		return subjectContainer
	case "bridge", "VLAN", "pool":
		return subjectSite
	default:
		return subjectVM
	}
}

// words are a change in one line.
func (c PlanChange) words(of subject) string {
	if of == subjectSite && c.Effect == EffectWait {
		return strings.Replace(c.String(), c.Effect.words(), "waits for allowInterruption", 1)
	}

	return c.String()
}

// why is what a person has to know of a change beside its effect: why it is refused, and what a change at once does to a guest that runs. The
// conditions say the first of a machine in a cluster.
func (c PlanChange) why(of subject) string {
	name := c.Field[strings.LastIndexByte(c.Field, '.')+1:]

	switch {
	case of == subjectVM && c.Effect == EffectChange && name == "mac" && c.To != "":
		return unplugged + ": a guest that cloud-init configured, whose network is bound to the MAC address, has none on it until its next power cycle"
	case of == subjectVM && c.Effect == EffectChange && c.unplugs(name):
		return unplugged
	case c.Effect != EffectRefused:
		return ""
	case isSize(c.From) && isSize(c.To):
		return "a disk is never shrunk"
	case of == subjectContainer:
		return whyContainer(name)
	case of == subjectSite && c.To == "":
		return "the provider cannot take it away: write another value"
	case of == subjectSite:
		return "it cannot change while it exists"
	default:
		return c.whyVM(name)
	}
}

// nowhere is the step with the reason of a move to a node that there is not, if no says so: no word of the claim moves a guest there.
func (s PlanStep) nowhere(no string) PlanStep {
	for i, c := range s.Changes {
		if no != "" && c.Effect == EffectRefused && c.Field == "spec.proxmox.node" {
			s.Changes[i].Because = no
		}
	}

	return s
}

// unplugged is what Proxmox does with an interface of a VM that runs.
const unplugged = "Proxmox unplugs the interface and plugs it in again"

// unplugs says whether a change of a field takes an interface of a VM that runs away for a moment.
func (c PlanChange) unplugs(name string) bool {
	switch name {
	case "mac", "vlan":
		return true
	case "bridge", "mtu":
		return c.From != "" && c.To != ""
	default:
		return false
	}
}

// whyVM is why a VM refuses a change.
func (c PlanChange) whyVM(name string) string {
	switch {
	case isSize(c.From) && c.To == "":
		return "a disk is never detached: its data stays"
	case name == "image" || name == "firmware" || name == "vmId":
		return "a VM has it from its creation: only spec.lifecycle.replace changes it, with a new VM"
	case name == "storage":
		return "the disk stays where it is: docs/day-two.md, Moving a disk, has the way"
	case name == "node":
		return "a VM stays on its node unless spec.proxmox.migrate: true moves it"
	case name == "site":
		return "a VM stays in its Proxmox cluster, on its node and in its network there: a claim with another name creates one elsewhere"
	case name == "bridge" || name == "vlan" || name == "gateway":
		return "the interface stays in the network of its address, which stays, too"
	case name == "mac":
		return "the guest's network is bound to the MAC address of its first boot, and would be cut off: only spec.lifecycle.replace changes it, with a new VM"
	case name == "pool" && c.From == "dhcp":
		return "the VM keeps DHCP until it is replaced"
	case name == "ip" && c.To == "":
		return "the provider cannot take an address off the cloud-init drive, where it stays for the interface at this place of the list: " +
			"the position identifies an interface"
	case c.To == "":
		return "the provider cannot take it away: write another value"
	default:
		return "the VM cannot change it while it exists"
	}
}

// whyContainer is why a container refuses a change: the provider would destroy it, and create another one.
func whyContainer(name string) string {
	const another = ": spec.lifecycle.replace makes another container, with another VMID, and so does a claim with another name"

	switch name {
	case "disks":
		return "a container has its mount points from its creation" + another
	case "sshAuthorizedKeys":
		return "a container gets its keys when it is made: of one that runs, edit /root/.ssh/authorized_keys in the guest"
	case "site":
		return "a container stays in its Proxmox cluster, on its node and in its network there: a claim with another name creates one elsewhere"
	case "pool":
		return "the provider never changes the pool of a container: change it in Proxmox"
	default:
		return "a container has it from its creation" + another
	}
}

// isSize says whether a value is the size of a disk.
func isSize(v string) bool {
	return strings.HasSuffix(v, "Gi") || strings.HasSuffix(v, "Ti") || strings.HasSuffix(v, " GiB")
}
