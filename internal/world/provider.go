package world

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Provider is provider-proxmox-bpg, as far as it works for one machine.
type Provider struct {
	// Stuck are prefixes of composed resources on which it does nothing.
	Stuck []string
	// Fails is what it says of a composed resource instead of working on it.
	Fails map[string]string
	// Refuses is what it says of a VM's forProvider before it asks Proxmox for anything; empty where it accepts it. A VM that it may
	// only observe, it reads all the same. Nil: it accepts all.
	Refuses func(forProvider map[string]any) string
	// refused is what it says of composed resources as they are written, instead of working on them.
	refused map[string]refusal
	// FailsToCreate is what it says of every VM and container that it is to create, instead of creating it. Empty: it creates them.
	FailsToCreate string
	// FailsToStart is what it says of every container that it is to start, instead of starting it. Empty: it starts them.
	FailsToStart string
	// ReadsInParts says that it was restarted while it creates a VM: what it reads of one that it makes is at first not all of it.
	ReadsInParts bool
	// Undated providers, those before v1.0.0, do not say which generation a condition speaks of.
	Undated bool

	// Every is how many turns lie between two looks at a managed resource with which all is well and of which nothing has changed; 0 and 1: none. The
	// provider's poll is of ten minutes, and Crossplane calls the function every minute.
	Every int

	// TellsAfter is for how many turns it waits for the guest agent of a VM that it has started before it tells that the VM runs: the guest is up by then, and its
	// K3s may be, too.
	TellsAfter int

	looked map[string]look // By owner.
	awaits map[string]int  // Turns that it still waits for the agent of a VM, by the name of the managed resource.

	creations int             // That it has begun.
	owned     map[string]bool // Managed resources that have had a VM, or a container that somebody made.
}

// owns notes that a managed resource has a VM or a container.
func (p *Provider) owns(name string) {
	if p.owned == nil {
		p.owned = map[string]bool{}
	}

	p.owned[name] = true
}

// startsAwaiting says whether it waits for the guest agent of a VM that it has started just now. What it told of the VM before is what there is to read.
func (p *Provider) startsAwaiting(name string, object map[string]any) bool {
	if p.TellsAfter == 0 {
		return false
	}

	if p.awaits == nil {
		p.awaits = map[string]int{}
	}

	p.awaits[name] = p.TellsAfter

	return p.awaitsAgent(name, object)
}

// awaitsAgent says whether it still waits for the guest agent of a VM that it has started.
func (p *Provider) awaitsAgent(name string, object map[string]any) bool {
	if p.awaits[name] == 0 {
		return false
	}

	p.awaits[name]--

	SetConditions(object, Condition("AsyncOperation", "False", "Ongoing", "", nil))

	return true
}

// A refusal is what a provider says of a VM or a container that it cannot make as it is written.
type refusal struct {
	said string
	made string // What it would be made of.
}

// Refuse a VM or a container, with some words, as long as it is to be made of the same.
func (p *Provider) Refuse(name, said string, object map[string]any) {
	if p.refused == nil {
		p.refused = map[string]refusal{}
	}

	p.refused[name] = refusal{said, madeOf(object)}
}

// madeOf is what a VM or a container is made of, and where.
func madeOf(object map[string]any) string {
	written := Object(Object(object["spec"])["forProvider"])

	return fmt.Sprint(written["nodeName"], written["vmId"], written["operatingSystem"], written["clone"], written["disk"], written["cdrom"])
}

// A reconciliation is the provider's work on one managed resource, with all that it may touch.
type reconciliation struct {
	fault    func(format string, args ...any)
	proxmox  *Proxmox
	provider *Provider

	composite   string         // That composes the managed resource: its identity.
	name        string         // Of the composed resource.
	object      map[string]any // The managed resource.
	forProvider map[string]any // As Terraform reads it.
	generation  any            // Nil where the provider does not say of which one a condition speaks.
}

// reconciliationOf a composed resource of a machine.
func reconciliationOf(m *Machine, name string, o map[string]any) reconciliation {
	return reconciliation{
		fault: m.cluster.Fault, proxmox: m.Proxmox, provider: m.Provider, composite: identityOf(m), name: name, object: o,
		forProvider: Object(terraformed(Object(Object(o["spec"])["forProvider"]))), generation: m.Provider.dated(o),
	}
}

// dated is the generation of a managed resource that its conditions speak of; nil where the provider does not say.
func (p *Provider) dated(o map[string]any) any {
	if p.Undated {
		return nil
	}

	return Object(o["metadata"])["generation"]
}

// owner is the key by which the managed resource owns what is made for it.
func (r reconciliation) owner() string { return r.composite + "/" + r.name }

// onDead says whether the managed resource is on a Proxmox node that does not answer.
func (r reconciliation) onDead() bool {
	return slices.Contains(r.proxmox.Dead, r.proxmox.NodeOf(r.object))
}

// NodeOf a managed resource: of a VM it is where Proxmox has it, whatever is written. Empty where the provider asks for a VMID that nobody has: the Proxmox cluster
// knows that, whichever node is asked.
func (p *Proxmox) NodeOf(o map[string]any) string {
	node, _ := Object(Object(o["spec"])["forProvider"])["nodeName"].(string)

	id, err := strconv.Atoi(externalVMID(o))
	if err != nil || kindOf(o) != VMKind {
		return node
	}

	if at := p.nodeOf(id); at != "" || Policies(o) == onlyObserves {
		return at
	}

	return node
}

// externalVMID is the VMID in a managed resource's external name, which may be one to import by.
func externalVMID(o map[string]any) string {
	external := Annotation(o, ExternalName)
	if _, id, imports := strings.Cut(external, "/"); imports {
		return id
	}

	return external
}

// unreachable is what the provider says of what is on a Proxmox node that does not answer. Of a VM it knows by then that Proxmox has one.
func unreachable(o map[string]any) string {
	does, of := "cannot run refresh: refresh", ""
	if Policies(o) == onlyObserves {
		does = "cannot run import: import"
	}

	if id := externalVMID(o); kindOf(o) == VMKind && id != "" {
		of = "error retrieving VM " + id + ": "
	}

	return "observe failed: " + does + " failed: " + of + "received an HTTP 595 response - Reason: No route to host"
}

// unread says whether the provider said, when it looked last, that it cannot read what the resource stands for.
func (r reconciliation) unread() bool {
	for _, c := range Conditions(r.object) {
		if c["type"] == "Synced" {
			return c["status"] == "False"
		}
	}

	return false
}

// create is the beginning of a creation: the reconciler marks the managed resource, and only then asks Proxmox.
func (r reconciliation) create() {
	r.provider.creations++
	annotate(r.object, createPending, fmt.Sprintf("2026-01-01T00:%02d:%02dZ", r.provider.creations/60%60, r.provider.creations%60))
}

// unsynced says why nothing was done.
func (r reconciliation) unsynced(reason, message string) {
	SetConditions(r.object, Condition("Synced", "False", reason, message, r.generation))
}
