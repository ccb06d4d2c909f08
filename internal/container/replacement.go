package container

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Hindrance keeps a container from being replaced.
type Hindrance string

// The hindrances.
const (
	HinderedByNothing Hindrance = ""
	// HinderedByAdoption: somebody else made the container, and its claim does not say all of it.
	HinderedByAdoption Hindrance = "Adoption"
	// HinderedBySilence: the provider cannot read the container just now.
	HinderedBySilence Hindrance = "Silence"
	// HinderedByFaults: the catalogue lacks what a new container would be made from.
	HinderedByFaults Hindrance = "Faults"
	// HinderedBySite: the claim names another Proxmox cluster.
	HinderedBySite Hindrance = "Site"
	// HinderedByClaim: spec.deletionProtection.
	HinderedByClaim Hindrance = "Claim"
	// HinderedByProxmox: Proxmox's own option protects the container, or is to.
	HinderedByProxmox Hindrance = "Proxmox"
	// HinderedBySameVMID: the container is to stay, and the claim names its VMID for the new one.
	HinderedBySameVMID Hindrance = "SameVMID"
	// HinderedByNoRange: the claim names no VMID, and its site has no range of them.
	HinderedByNoRange Hindrance = "NoRange"
	// HinderedByVMIDInUse: something else has the VMID that the claim names for the new one.
	HinderedByVMIDInUse Hindrance = "VMIDInUse"
	// HinderedByApproval: nobody has approved the replacement.
	HinderedByApproval Hindrance = "Approval"
)

// A Replacement is a new container in the place of an old one, one after the other: two of them never exist for one claim.
type Replacement struct {
	Trigger string
	// Stage is Blocked, Preparing, Stopping, Retiring (the old one goes) or Making.
	Stage     lifecycle.Stage
	Hindrance Hindrance // Of StageBlocked.
}

// Begun says whether a replacement goes on, and is not blocked.
func (r *Replacement) Begun() bool { return r != nil && r.Stage != lifecycle.StageBlocked }

// looks says whether the provider looks whether the new container can have its VMID.
func (r *Replacement) looks() bool {
	return r.Begun() || r != nil && r.Hindrance == HinderedByVMIDInUse
}

// A legacy is what a container leaves to the one that replaces it. Between the two, the managed resource that looks whether a VM has the VMID
// has it.
type legacy struct {
	// Triggers of spec.lifecycle.replace that led to the container.
	triggers []string
	// replacing is the trigger of the replacement that is under way.
	replacing string
	// left are the containers that stayed in Proxmox, each as node/VMID.
	left     []string
	approval lifecycle.ApprovalMemory
}

// legacyIn the annotations of a managed resource.
func legacyIn(m proxmox.Metadata) legacy {
	a := m.Annotations

	return legacy{
		triggers: triggers(a[proxmox.ReplaceTriggersAnnotation]), replacing: a[proxmox.ReplacingAnnotation],
		left: triggers(a[proxmox.LeftAnnotation]), approval: lifecycle.ReadApproval(m),
	}
}

// write it into annotations; what is empty is left out.
func (l legacy) write(annotations map[string]string) {
	for name, v := range map[string]string{
		proxmox.ReplaceTriggersAnnotation: strings.Join(l.triggers, ","), proxmox.ReplacingAnnotation: l.replacing,
		proxmox.LeftAnnotation: strings.Join(l.left, ","), proxmox.ApprovalAnnotation: l.approval.String(),
	} {
		if v != "" {
			annotations[name] = v
		}
	}
}

// Heir is the managed resource that has what a container left while there is none, by its composed resource name; empty where no container is
// replaced.
func Heir(vms map[string]proxmox.ObservedVM) string {
	return firstOf(vms, func(o proxmox.ObservedVM) bool {
		return o.ObserveOnly() && o.Metadata.Annotations[proxmox.ReplacingAnnotation] != ""
	})
}

// legacy that there is: on the container, else on the check of its VMID.
func (p *Plan) legacy() legacy {
	if o, ok := p.Observed.Containers[Name]; ok && !o.ObserveOnly() {
		return legacyIn(o.Metadata.Metadata)
	}

	return legacyIn(p.Observed.VMs[Heir(p.Observed.VMs)].Metadata.Metadata)
}

// bequest is what the container leaves, as this call writes it.
func (p *Plan) bequest() legacy {
	out := p.legacy()
	if p.State != StateLiving {
		return out
	}

	trigger, o := p.Container.Lifecycle.Replace, p.Observed.Containers[Name]
	out.replacing, out.approval = trigger, p.Approval.Memory

	if !slices.Contains(out.triggers, trigger) {
		out.triggers = append(slices.Clone(out.triggers), trigger)
	}

	if !bool(p.Deletion()) {
		out.left = append(slices.Clone(out.left), fmt.Sprintf("%s/%d", o.Spec.ForProvider.NodeName, proxmox.VMIDOfContainer(o)))
	}

	return out
}

// inheritance is what a container has of those that it replaces, and of its claim: it has nothing to do for a value that it was created with.
func (p *Plan) inheritance() legacy {
	out := p.legacy()
	out.replacing, out.approval = "", out.approval.Done()

	if t := p.Container.Lifecycle.Replace; lifecycle.Asks(t, out.triggers) {
		out.triggers = append(slices.Clone(out.triggers), t)
	}

	return out
}

// Replaces says whether a claim asks for another container in the place of the one that lives.
func Replaces(m *machine.Container, o proxmox.ObservedContainer, observed bool) bool {
	return StateOf(o, observed) == StateLiving && lifecycle.Asks(m.Lifecycle.Replace, legacyIn(o.Metadata.Metadata).triggers)
}

// replacement that the claim asks for, as far as it has come; nil where it asks for none. A container is replaced in these steps, each in a call of its
// own: it is announced, and what the new one needs is prepared; the old one is stopped, if it is to stay; it goes; and the new one is created.
func (p *Plan) replacement(o proxmox.ObservedContainer, consent lifecycle.Approval) *Replacement {
	if p.absent() {
		if l := p.legacy(); l.replacing != "" {
			return &Replacement{Trigger: l.replacing, Stage: lifecycle.StageMaking}
		}

		return nil
	}

	if !Replaces(p.Container, o, true) {
		return nil
	}

	out := &Replacement{Trigger: p.Container.Lifecycle.Replace, Stage: lifecycle.StageBlocked}
	announced := o.Metadata.Annotations[proxmox.ReplacingAnnotation] == out.Trigger

	// What Crossplane deletes cannot be taken back.
	if announced && o.Metadata.DeletionTimestamp != "" {
		out.Stage = lifecycle.StageRetiring
		return out
	}

	if out.Hindrance = p.hindrance(o); out.Hindrance == HinderedByNothing && consent.Waits() {
		out.Hindrance = HinderedByApproval
	}

	switch {
	case out.Hindrance != HinderedByNothing:
	case !announced || !p.prepared():
		out.Stage = lifecycle.StagePreparing
	case bool(p.Deletion()) && proxmox.MayDelete(o.Spec.ManagementPolicies):
		out.Stage = lifecycle.StageRetiring
	case bool(p.Deletion()):
		out.Stage = lifecycle.StagePreparing
	case o.Status.AtProvider.Started || o.Spec.ForProvider.Started || proxmox.MayDelete(o.Spec.ManagementPolicies):
		// It would be destroyed with the policies of before, and would run beside the new one.
		out.Stage = lifecycle.StageStopping
	default:
		out.Stage = lifecycle.StageRetiring
	}

	return out
}

// hindrance of a replacement of the container that lives, but for approval.
func (p *Plan) hindrance(o proxmox.ObservedContainer) Hindrance {
	own, wanted := proxmox.VMIDOfContainer(o), VMIDOf(p.Container)
	found := o.Status.AtProvider.Parameters
	destroys := bool(p.Deletion())

	switch {
	case p.Adopted:
		return HinderedByAdoption
	case p.Action != ActionFollow || !o.Is(proxmox.ConditionSynced) || found == nil:
		return HinderedBySilence
	case len(p.Faults) > 0 || len(p.Container.Kept) > 0:
		return HinderedByFaults
	case o.Spec.ProviderConfigRef.Name != p.Owner.ProviderConfigRef.Name:
		return HinderedBySite
	case destroys && (is(p.Container.ProxmoxProtection) || is(found.Protection) || is(o.Spec.ForProvider.Protection)):
		return HinderedByProxmox
	case destroys && p.Container.Protection:
		return HinderedByClaim
	case p.NamedVMID == 0 && p.Container.Placement.VMIDRange == nil:
		return HinderedByNoRange
	case !destroys && own == p.NamedVMID:
		return HinderedBySameVMID
	case own != wanted && p.check().Outcome.InUse():
		return HinderedByVMIDInUse
	}

	return HinderedByNothing
}

// prepared says whether all is there that the new container needs but the VMID of the old one: a provider that cannot create it is found out before
// anything is destroyed.
func (p *Plan) prepared() bool {
	if Heir(p.Observed.VMs) == "" || len(p.missing()) > 0 {
		return false
	}

	return proxmox.VMIDOfContainer(p.Observed.Containers[Name]) == VMIDOf(p.Container) || p.check().Outcome == lifecycle.OutcomeFree
}

// undergo the replacement that is decided, behind what the container does without one.
func (p *Plan) undergo(o proxmox.ObservedContainer) {
	switch r := p.Replacement; {
	case !r.Begun():
		return
	case r.Stage == lifecycle.StageRetiring:
		p.Action, p.MayUpdate = ActionRemove, false
		return
	case r.Stage == lifecycle.StageStopping:
		p.stop(o)
	}

	p.Waiting = p.missing()
}

// stop a container that is to stay in Proxmox, and let no boot of its node start it beside the one that replaces it.
func (p *Plan) stop(o proxmox.ObservedContainer) {
	p.Parameters = clone(o.Status.AtProvider.Parameters.ContainerParameters)
	p.Parameters.VMID = o.Spec.ForProvider.VMID
	p.Parameters.Started, p.Parameters.StartOnBoot = false, false
	p.Power.Started, p.Power.Restarting, p.Power.StoppedFor, p.Power.FirstStart, p.Power.TakesChanges = false, false, "", false, false
	p.MayUpdate = true
}

// Destroyed are the volumes that go with the old container, each with its size: what a person reads before it happens.
func (p *Plan) Destroyed() []string {
	o := p.Observed.Containers[Name]
	if p.State != StateLiving || !bool(p.Deletion()) || o.Status.AtProvider.Parameters == nil {
		return nil
	}

	has := o.Status.AtProvider.Parameters
	out := []string{"the root file system, " + diskSize(has.ContainerParameters)}

	for _, m := range has.MountPoint {
		size := m.Size
		if size == "" {
			size = "of unknown size"
		}

		out = append(out, "/"+strings.TrimPrefix(m.Path, "/")+", "+size)
	}

	return out
}
