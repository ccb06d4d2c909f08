package container

import (
	"slices"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// noTemplate stands for the template of a container that somebody else made, which nobody knows. The provider needs one, and does not read it from
// Proxmox: the managed resource of an adopted container begins with it, and keeps it. There is no such file, so the provider cannot create another
// container in the place of an adopted one that is gone.
const noTemplate = "local:vztmpl/the-container-was-adopted.tar.zst"

// adopt a container in two steps: it is read first, and adopted as it is once somebody has approved what the claim would change then. What the
// claim changes is written after the provider has read the container once more.
func (p *Plan) adopt(check VMIDCheck) {
	a := &Adoption{VMIDCheck: check}
	p.Adoption, p.Action = a, ActionCheck

	name, _ := p.checkNames()
	a.Look = name

	found := p.Observed.Containers[name].Status.AtProvider.Parameters
	if check.Outcome != lifecycle.OutcomeTaken || found == nil {
		return
	}

	if a.Unsupported = unsupported(found); a.Unsupported != "" {
		return
	}

	a.Found = &found.ContainerParameters
	has := found.ContainerParameters
	has.VMID, has.NodeName = p.Described.VMID, p.Container.Placement.Node

	a.Firewall = &lifecycle.FirewalledGuest{
		Name: p.Guest, Node: has.NodeName, ContainerID: check.VMID, Wanted: p.Container.Firewall, Observed: p.Observed.Firewalls,
	}

	filter, read := a.Firewall.Adoption()
	if !read {
		return
	}

	a.Changes = comparison{
		has: has, wanted: p.Described, machine: p.Container, adopted: true, further: furtherOf(p.Container, proxmox.ObservedMetadata{}),
	}.changes()
	a.Changes = append(a.Changes, p.powerAfterAdoption(has.Started)...)
	a.Changes = append(a.Changes, filter...)
	a.Plan = p.planHash(a)
	a.Consent = lifecycle.ConsentTo(a.Plan, p.Container.Adopt.Approve)

	if a.Consent == lifecycle.ConsentGiven {
		has.OperatingSystem = []proxmox.ContainerOS{{TemplateFileID: noTemplate, Type: distribution(has)}}
		p.Action, p.Parameters = ActionAdopt, has
	}
}

// powerAfterAdoption is the change of the container's power that follows the adoption, for the claim's sake; nil where there is none.
func (p *Plan) powerAfterAdoption(runs bool) []change.Change {
	wanted := runs

	switch p.Container.Power {
	case v1alpha1.PowerRunning:
		wanted = true
	case v1alpha1.PowerStopped:
		wanted = false
	case v1alpha1.PowerUnmanaged:
	}

	return powerChange(runs, wanted)
}

// planHash identifies what a person approves: which container, and all that would become of it.
func (p *Plan) planHash(a *Adoption) string {
	parts := []string{"adopt", strconv.FormatInt(a.VMID, 10), a.Name, p.Container.Placement.Node}
	for _, c := range a.Changes {
		parts = append(parts, string(c.Effect), c.Recorded())
	}

	return lifecycle.Lettered(p.Container.Identity.Hash(parts...))
}

// unsupported says why the provider could not keep a container as it is; empty where it can.
func unsupported(f *proxmox.FoundContainer) string {
	switch {
	case f.Rest.GetFields()["template"].GetBoolValue():
		return "It is a template, not a container."
	case slices.ContainsFunc(f.NetworkInterface, func(n proxmox.ContainerNIC) bool { return n.Name == "" }):
		return "One of its network interfaces has no name."
	}

	return ""
}
