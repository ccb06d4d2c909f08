package container

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/succession"
)

// stoppedForReplacement is a value of [proxmox.StoppedForAnnotation]: the container was stopped for one that is to replace it, and starts again if that
// is taken back.
const stoppedForReplacement = "replacement"

// RolesOf the containers of a claim, among all that are observed, see [succession.Line.Assign]. trigger is the claim's spec.lifecycle.replace.
func RolesOf(all map[string]proxmox.ObservedContainer, id machine.Identity, trigger string) succession.Roles {
	guests := map[string]succession.Guest{}

	for name, o := range all {
		if !replacement.Names(name) {
			continue
		}

		guest := succession.Guest{Triggers: triggers(o.Metadata.Annotations[proxmox.ReplaceTriggersAnnotation])}
		if o.Metadata.Annotations[proxmox.CandidateAnnotation] != "" {
			guest.Standing = succession.Unproven
		}

		guests[name] = guest
	}

	return succession.Line{First: replacement.First, ID: id}.Assign(guests, func(name string) succession.Existence { return existenceOf(all[name]) }, trigger)
}

func existenceOf(o proxmox.ObservedContainer) succession.Existence {
	switch StateOf(o, true) {
	case StateLiving:
		return succession.Exists
	case StateCreating:
		return succession.Making
	case StateFailed:
		return succession.Failed
	case StateAbsent, StateForeign, StateTakenOver:
	}

	return succession.Nothing
}

// powerOfObserved says whether a container is off, as it was written and as the provider last read it.
func powerOfObserved(o proxmox.ObservedContainer) replacement.Power {
	if o.Spec.ForProvider.Started || o.Status.AtProvider.Started {
		return replacement.On
	}

	return replacement.Off
}

// replace decides about the replacement of the container that lives, and what becomes of the new one. An old one that cannot be read just now is silent.
func replace(p *Plan, o proxmox.ObservedContainer) {
	f := replacement.Facts{
		Trigger: p.Roles.Trigger, Announced: o.Metadata.Annotations[proxmox.ReplacingAnnotation], Hindrance: hindrance(p, o),
		Old: powerOfObserved(o), New: readiness(p.Next),
	}

	if f.Hindrance == replacement.HinderedByNothing && p.Approval.Waits() {
		f.Hindrance = replacement.HinderedByApproval
	}

	if f.Hindrance == replacement.HinderedByNothing && p.Turn.Holds(lifecycle.OutageReplacement) {
		f.Hindrance = replacement.HinderedByWave
	}

	if o.Metadata.Annotations[proxmox.StoppedForAnnotation] == stoppedForReplacement {
		f.Stopped = replacement.StoppedReplacement
	}

	p.Replacement = replacement.Decide(f)

	switch next := p.Next; {
	case next == nil:
	case !p.Replacement.Looks():
		p.Next = nil
	case !p.Replacement.Makes() && next.Action == ActionCreate:
		next.Action = ActionCheck
	case f.Old == replacement.On:
		hold(next)
	}
}

// hold keeps a new container that does not run from its start, while the old one may have its address. That is its first start, or another one after somebody
// has started the old one.
func hold(next *Plan) {
	if next.Action != ActionFollow || next.Observed.Containers[next.Guest].Status.AtProvider.Started {
		return
	}

	next.Power.Started, next.Parameters.Started = false, false
}

// readiness of the container that is to replace another one; nil for none.
func readiness(next *Plan) replacement.Readiness {
	switch {
	case next == nil:
		return replacement.Unready
	case next.Standing == succession.Proven:
		return replacement.Runs
	case next.State == StateLiving, next.State == StateCreating, next.State == StateFailed:
		return replacement.Begun
	case next.Action == ActionCreate:
		return replacement.Ready
	}

	return replacement.Unready
}

// standing of a container that was to replace another one: it is proven when it was seen to run as its claim wants it, behind its firewall.
func standing(p *Plan, o proxmox.ObservedContainer) succession.Standing {
	if p.Beside == 0 {
		return succession.Proven
	}

	runs := o.Status.AtProvider.Started && o.Spec.ForProvider.Started && o.Resting()
	if p.State == StateLiving && p.Action == ActionFollow && runs && !p.MayUpdate && !p.Firewall.Stage.OnItsWay() {
		return succession.Proven
	}

	return succession.Unproven
}

// hindrance of a replacement of the container that lives, but for approval.
func hindrance(p *Plan, o proxmox.ObservedContainer) replacement.Hindrance {
	found := o.Status.AtProvider.Parameters

	switch destroys := bool(p.Deletion()); {
	case p.Adopted:
		return replacement.HinderedByAdoption
	case p.Action != ActionFollow || !o.Is(proxmox.ConditionSynced) || found == nil:
		return replacement.HinderedBySilence
	case len(p.Faults) > 0 || len(p.Container.Kept) > 0:
		return replacement.HinderedByFaults
	case o.Spec.ProviderConfigRef.Name != p.Owner.ProviderConfigRef.Name:
		return replacement.HinderedBySite
	case p.Container.Power == v1alpha1.PowerStopped:
		return replacement.HinderedByPower
	case destroys && (is(p.Container.ProxmoxProtection) || is(found.Protection) || is(o.Spec.ForProvider.Protection)):
		return replacement.HinderedByProxmox
	case destroys && p.Container.Protection:
		return replacement.HinderedByClaim
	case p.NamedVMID != 0 && p.NamedVMID == proxmox.VMIDOfContainer(o):
		return replacement.HinderedBySameVMID
	case p.Next == nil:
		return replacement.HinderedByNoRange
	case p.Next.Check != nil && p.Next.Check.Outcome.InUse():
		return replacement.HinderedByVMIDInUse
	}

	return replacement.HinderedByNothing
}

// undergo the replacement that is decided, behind what the container does without one. One that was stopped for a replacement which was taken back waits
// until no other container of its claim runs.
func undergo(p *Plan, o proxmox.ObservedContainer) {
	if p.Action != ActionFollow {
		return
	}

	waits := o.Metadata.Annotations[proxmox.StoppedForAnnotation] == stoppedForReplacement && p.Power.Started && othersRun(p)
	if p.Replacement.Stops() || waits {
		stop(p, o)
	}
}

// othersRun says whether a container of the claim runs, or may, that is none any more.
func othersRun(p *Plan) bool {
	return slices.ContainsFunc(slices.Concat(p.Roles.Retired, p.Roles.Unknown), func(name string) bool {
		o := p.Observed.Containers[name]
		return existenceOf(o) != succession.Nothing && powerOfObserved(o) == replacement.On
	})
}

// stop a container that another one is to replace, and let no boot of its node start it beside that one.
func stop(p *Plan, o proxmox.ObservedContainer) {
	p.Parameters = stopped(o)
	p.Power = Power{Followed: p.Power.Followed, RestartedFor: p.Power.RestartedFor, StoppedFor: stoppedForReplacement}
	p.MayUpdate = !sameParameters(p.Parameters, o)
}

// stopped is a container as the provider has read it, but off.
func stopped(o proxmox.ObservedContainer) proxmox.ContainerParameters {
	out := clone(o.Status.AtProvider.Parameters.ContainerParameters)
	out.VMID, out.Started, out.StartOnBoot = o.Spec.ForProvider.VMID, false, false

	return out
}

// VolumesOf are the volumes of a container, each with its size: what a person reads before they are destroyed.
func VolumesOf(o proxmox.ObservedContainer) []string {
	has := o.Status.AtProvider.Parameters
	if has == nil {
		return nil
	}

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

// destroyed are the volumes that go with the container that another one is to replace.
func destroyed(p *Plan) []string {
	if p.State != StateLiving || !bool(p.Deletion()) {
		return nil
	}

	return VolumesOf(p.Observed.Containers[p.Guest])
}

// departuresOf the containers that are not the claim's any more, by composed resource name.
func departuresOf(p *Plan) map[string]replacement.Departure {
	out := map[string]replacement.Departure{}

	for _, name := range p.Roles.Unknown {
		out[name] = replacement.Stays
	}

	for _, name := range p.Roles.Retired {
		out[name] = replacement.Depart(leaver(p, name))
	}

	return out
}

// leaver is a container that is not the claim's any more. One that was never seen to run holds nothing that somebody could miss, and is destroyed.
func leaver(p *Plan, name string) replacement.Leaver {
	o := p.Observed.Containers[name]
	out := replacement.Leaver{Existence: existenceOf(o), Power: powerOfObserved(o), Fate: replacement.Left}
	unproven := o.Metadata.Annotations[proxmox.CandidateAnnotation] != ""

	if bool(p.Deletion()) || unproven {
		out.Fate = replacement.Destroyed
	}

	// What cannot be read just now may run.
	if !o.Is(proxmox.ConditionSynced) {
		out.Power = replacement.On
	}

	if proxmox.MayDelete(o.Spec.ManagementPolicies) == (out.Fate == replacement.Destroyed) {
		out.Written = replacement.Told
	}

	active := p.Observed.Containers[p.Guest]
	if !unproven && (p.State != StateLiving || proxmox.CreatingIn(active.Metadata.Metadata) || active.Metadata.Annotations[proxmox.FirstStartAnnotation] != "") {
		out.Successor = succession.Unproven
	}

	found := o.Status.AtProvider.Parameters

	switch {
	case out.Fate == replacement.Left:
	case found != nil && is(found.Protection):
		out.Permission = replacement.KeptByProxmox
	case p.Container.Protection && !unproven:
		out.Permission = replacement.KeptByClaim
	}

	return out
}

// leftBy are the containers that were replaced and stayed in Proxmox, each as node/VMID, those that go in this call among them.
func leftBy(p Plan, o proxmox.ObservedContainer) []string {
	out := triggers(o.Metadata.Annotations[proxmox.LeftAnnotation])

	add := func(more ...string) {
		for _, m := range more {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}

	if p.Replaced != "" {
		add(triggers(p.Observed.Containers[p.Replaced].Metadata.Annotations[proxmox.LeftAnnotation])...)
	}

	for _, name := range p.Roles.Retired {
		old, goes := p.Observed.Containers[name], p.Departures[name] == replacement.Goes

		if goes && existenceOf(old) == succession.Exists && leaver(&p, name).Fate == replacement.Left {
			add(fmt.Sprintf("%s/%d", old.Spec.ForProvider.NodeName, proxmox.VMIDOfContainer(old)))
		}
	}

	return out
}

// remembered are the annotations of what a container remembers of those before it, and of what was approved.
func remembered(p Plan, o proxmox.ObservedContainer) map[string]string {
	approval := p.Approval.Memory
	if p.Action != ActionFollow {
		approval = lifecycle.ReadApproval(p.Observed.Containers[cmp.Or(p.Replaced, p.Guest)].Metadata.Metadata).Done()
	}

	out := map[string]string{
		proxmox.ReplaceTriggersAnnotation: strings.Join(p.Roles.Triggers, ","), proxmox.LeftAnnotation: strings.Join(leftBy(p, o), ","),
		proxmox.ApprovalAnnotation: approval.String(),
	}

	if p.Replacement.Begun() {
		out[proxmox.ReplacingAnnotation] = p.Replacement.Trigger
	}

	if p.Standing == succession.Unproven {
		out[proxmox.CandidateAnnotation] = "true"
	}

	maps.DeleteFunc(out, func(_, v string) bool { return v == "" })

	return out
}
