package container

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A Report is what is to be said of a container.
type Report struct {
	Status     v1alpha1.ContainerStatus
	Conditions []status.Condition
	Events     []status.Event
	// Ready by composed resource name.
	Ready map[string]bool
}

// ReportOn says what there is to say of a container. spec is the claim's, as the person wrote it; before is the composite's status as it is now.
func ReportOn(p Plan, r Rendering, spec map[string]any, before v1alpha1.ContainerStatus) Report {
	t := reporter{plan: p, o: p.Observed.Containers[p.Guest], errors: errorsOf(p)}
	out := Report{Status: t.status(), Ready: t.ready(r)}
	out.Status.Placement = status.Placement(p.Container.Placement, before.Placement)
	out.Status.Rollout = status.Wave(waveMember(t, before))
	out.Status.AppliedSpec = t.applied(out.Ready, spec, before.AppliedSpec)

	running := t.running()
	out.Conditions = []status.Condition{
		t.spec(), running, replacementCondition(p, t.errors), t.reboot(), t.vmID(), t.lastSeen(t.provider()),
	}
	out.Conditions = append(out.Conditions, approvalConditions(t, before)...)
	out.Conditions = append(out.Conditions, status.WaveConditions(waveMember(t, before))...)
	out.Conditions = append(out.Conditions, firewallConditions(t, before)...)
	out.Conditions = append(out.Conditions, spreadConditions(t, before)...)
	out.Events = append(append(t.events(before, running), waveEvents(out.Conditions, before)...), spreadEvents(out.Conditions, before)...)
	out.Events = append(out.Events, status.WarningEvents(p.Container.Warnings, before.Conditions)...)

	return out
}

// A reporter says what there is to say of a container.
type reporter struct {
	plan   Plan
	o      proxmox.ObservedContainer
	errors []status.Finding
}

// runs says whether the container exists and runs, as the provider last read it.
func (t reporter) runs() bool { return t.exists() && !t.gone() && t.o.Status.AtProvider.Started }

// exists says whether the provider has shown the container of the claim.
func (t reporter) exists() bool {
	return t.plan.State == StateLiving && t.o.Status.AtProvider.ID != "" && t.o.Status.AtProvider.ID == t.o.Metadata.ExternalName()
}

// gone says whether the container of the claim existed, and the provider does not find it any more.
func (t reporter) gone() bool { return t.exists() && isGone(t.o) }

// lastSeen adds to what the provider reports that the container ran. As for a VM: an error of the provider stops nothing, and that is
// the first thing that people ask.
func (t reporter) lastSeen(provider status.Condition) status.Condition {
	if len(t.errors) > 0 && t.runs() {
		provider.Message += " " + t.title() + " ran when the provider last read it."
	}

	return provider
}

// title of the container, in messages.
func (t reporter) title() string {
	return fmt.Sprintf("Container %d", t.plan.vmID())
}

// spec is the condition on the claim.
func (t reporter) spec() status.Condition {
	if kept := t.plan.Container.Kept; len(kept) > 0 {
		return status.KeptCondition("container", kept, t.plan.Container.Warnings)
	}

	text := "The claim is valid."
	if w := t.plan.Container.Warnings; len(w) > 0 {
		text += " " + strings.Join(w, " ")
	}

	return status.Condition{Type: status.TypeSpecValid, Status: metav1.ConditionTrue, Reason: status.ReasonValid, Message: text}
}

// running is the condition on the container.
func (t reporter) running() status.Condition {
	reason, text := t.why()
	ready := reason == status.ReasonRunning || reason == status.ReasonStopped

	return status.Condition{Type: status.TypeMachineReady, Status: status.Truth(ready), Reason: reason, Message: text}
}

func (t reporter) why() (reason, text string) {
	switch {
	case t.plan.Adoption != nil:
		return t.adopting()
	case t.plan.Check != nil && t.plan.Check.Outcome.InUse():
		return status.ReasonVMIDInUse, t.whoHas() + " Condition " + status.TypeVMIDInUse + " says what to do."
	case t.blocked() != "":
		return status.ReasonProviderError, t.blocked()
	case t.plan.Check != nil && t.plan.Shares != nil:
		return status.ReasonAddressInUse, status.AddressInUse("The container", *t.plan.Shares)
	case t.plan.Check != nil && t.plan.PoolAddress.Lacks():
		return status.ReasonAddressPoolExhausted, status.PoolExhausted(*t.plan.PoolAddress)
	case t.plan.Check != nil && len(t.plan.Waiting) > 0:
		return status.ReasonWaitingForImage, "The container is created when its template is on the node: " + strings.Join(t.plan.Waiting, ", ") + "."
	case t.plan.Action == ActionCheck && t.plan.Check.Outcome == lifecycle.OutcomeFree && !t.plan.PoolAddress.Settled():
		return status.ReasonReservingAddress, status.ReservingForContainer(*t.plan.PoolAddress)
	case t.plan.Action == ActionCheck:
		return status.ReasonLookingAtVMID, t.lookingAt()
	case t.o.Metadata.DeletionTimestamp != "":
		return status.ReasonDeleting, "Somebody deleted the managed resource of the container, while its claim exists. The function creates it again when it is gone."
	case t.gone():
		return status.ReasonCreating, t.title() + " is not on node " + t.o.Status.AtProvider.NodeName + " any more. The provider creates it again."
	case !t.exists():
		return status.ReasonCreating, "The provider is creating " + strings.ToLower(t.title()[:1]) + t.title()[1:] + "."
	}

	if t.plan.Replacement.Stops() {
		return status.ReasonReplacing, t.title() + " is stopped, and a new container replaces it. Condition " + status.TypeReplacementRequired + " says what happens."
	}

	return t.power()
}

// power of a container that exists.
func (t reporter) power() (reason, text string) {
	wantsRunning := t.plan.Power.Started
	if t.plan.Action == ActionKeep {
		wantsRunning = t.o.Spec.ForProvider.Started
	}

	switch runs := t.runs(); {
	case t.plan.Power.StoppedFor == stoppedForReplacement && !wantsRunning:
		return status.ReasonReplacing, t.title() + " starts again as soon as the container that was to replace it is stopped."
	case t.plan.Power.Phase.Restarts():
		return status.ReasonRebooting, t.title() + " is stopped and started again, as spec.lifecycle requests."
	case runs && wantsRunning:
		return status.ReasonRunning, t.title() + " runs on node " + t.o.Status.AtProvider.NodeName + "."
	case !runs && !wantsRunning:
		return status.ReasonStopped, t.title() + " is stopped, as requested."
	case runs:
		return status.ReasonStopping, "The provider shuts " + strings.ToLower(t.title()) + " down."
	}

	return status.ReasonStarting, "The provider starts " + strings.ToLower(t.title()) + "."
}

// blocked is what keeps the container from being as it should; empty where nothing does.
func (t reporter) blocked() string {
	for _, f := range t.errors {
		if !t.exists() || t.gone() || f.Name == t.plan.Guest && t.plan.MayUpdate {
			return "The provider reports an error of " + f.Name + ". Condition " + status.TypeProviderHealthy + " says what to do."
		}
	}

	return ""
}

// reboot is the condition on changes that wait for a restart.
func (t reporter) reboot() status.Condition {
	c := status.Condition{
		Type: status.TypeRebootPending, Status: metav1.ConditionFalse, Reason: status.ReasonNothingPending, Message: "No change waits for a restart.",
	}

	switch {
	case t.plan.Power.Phase.Restarts():
		c.Status, c.Reason, c.Message = metav1.ConditionTrue, status.ReasonRebooting, t.title()+" is being restarted, as spec.lifecycle requests."
	case t.plan.Turn.Holds(lifecycle.OutageReboot):
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonWaitingForWave
		c.Message = t.title() + " is to be restarted, as spec.lifecycle requests, and waits. " + waveSentence(t.plan)
	case len(t.plan.Pending) > 0 && t.plan.Power.Phase.TakesChanges():
		c.Message = "The provider writes what needs a restart: the container is stopped."
	case len(t.plan.Pending) > 0:
		c.Status, c.Reason = metav1.ConditionTrue, status.ReasonChangesPending
		c.Message = "These changes wait for a restart of the container, because the provider would restart it at once: " + strings.Join(linesOf(t.plan.Container, t.plan.Pending), "; ") +
			". To restart it, set spec.lifecycle.reboot to a new value. A restart in Proxmox does not apply them."
	}

	return c
}

// status of the composite.
func (t reporter) status() v1alpha1.ContainerStatus {
	m := t.plan.Container
	out := v1alpha1.ContainerStatus{
		Phase: t.phase(), Node: m.Placement.Node, Class: m.Class, Image: m.Boot.Image, Hostname: m.Hostname, Power: m.Power,
		Size: &v1alpha1.ResolvedSize{Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: m.Boot.DiskGiB},
	}

	if t.exists() {
		at := t.o.Status.AtProvider
		has := at.Parameters.ContainerParameters

		if id, err := strconv.ParseInt(at.ID, 10, 64); err == nil {
			out.VMID = &id
		}

		out.Node, out.Hostname, out.Addresses = has.NodeName, has.Hostname(), at.Addresses()
		out.Size = &v1alpha1.ResolvedSize{Cores: parse(cores(has)), MemoryMiB: parse(strings.TrimSuffix(memory(has), " MiB")), DiskGiB: size(has)}

		if len(out.Addresses) > 0 {
			out.PrimaryAddress = out.Addresses[0]
		}
	}

	if !t.plan.Power.Phase.TakesChanges() {
		out.PendingReboot = linesOf(t.plan.Container, t.plan.Pending)
	}

	out.Refused = linesOf(t.plan.Container, t.plan.Refused)
	out.Replacement, out.Left, out.Plan = replacing(t.plan), left(t.plan), planned(t.plan)

	if a := t.plan.Adoption; a != nil {
		out.Adoption = &v1alpha1.AdoptionStatus{VMID: a.VMID}

		if a.Outcome == lifecycle.OutcomeTaken {
			out.Adoption.Name, out.Adoption.Node, out.Adoption.Plan = message.Excerpt(a.Name), a.Node, a.Plan
			out.Adoption.Changes, out.Adoption.Reboots = linesOf(t.plan.Container, of(change.InPlace, a.Changes)), linesOf(t.plan.Container, of(Restart, a.Changes))
			out.Adoption.Refused = linesOf(t.plan.Container, of(change.Refused, a.Changes))
		}
	}

	return out
}

func parse(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}

	return n
}

func (t reporter) phase() v1alpha1.Phase {
	fatal := slices.ContainsFunc(t.errors, func(f status.Finding) bool { return !f.Row.Retryable })

	switch {
	case fatal && (!t.exists() || t.gone()):
		return v1alpha1.PhaseFailed
	case t.plan.Adoption != nil:
		return v1alpha1.PhaseAdopting
	case t.plan.Replacement.Stops():
		return v1alpha1.PhaseReplacing
	case t.plan.Action == ActionCheck:
		return v1alpha1.PhasePending
	case !t.exists(), t.gone():
		return v1alpha1.PhaseCreating
	case t.runs():
		return v1alpha1.PhaseRunning
	case t.plan.Power.Started:
		return v1alpha1.PhaseStarting
	}

	return v1alpha1.PhaseStopped
}

// ready says which composed resources are.
func (t reporter) ready(r Rendering) map[string]bool {
	out := map[string]bool{}

	for name := range r.Templates {
		f, ok := t.plan.Observed.DownloadFiles[name]
		out[name] = ok && (f.Found() || proxmox.AlreadyPresent(f))
	}

	maps.Copy(out, status.FirewallsReady(r.Firewalls, t.plan.Observed.Firewalls))

	for name := range r.Containers {
		// What was replaced is nothing that the claim waits for.
		out[name] = t.plan.Next == nil || name != t.plan.Next.Guest
	}

	if _, there := r.Containers[t.plan.Guest]; there {
		reason, _ := t.why()
		out[t.plan.Guest] = (reason == status.ReasonRunning || reason == status.ReasonStopped) && !t.o.Working()
	}

	return out
}

// events are the transitions since the status before.
func (t reporter) events(before v1alpha1.ContainerStatus, now status.Condition) []status.Event {
	var out []status.Event

	was := slices.IndexFunc(before.Conditions, func(c metav1.Condition) bool { return c.Type == now.Type })

	if t.exists() && before.VMID == nil {
		reason, text := status.EventVMCreated, t.title()+" was created."
		if t.plan.Adopted {
			reason, text = status.EventVMAdopted, t.title()+" was adopted."
		}

		out = append(out, status.Event{Reason: reason, Message: text})
	}

	if now.Status == metav1.ConditionTrue && (was < 0 || before.Conditions[was].Status != metav1.ConditionTrue) {
		out = append(out, status.Event{Reason: status.EventBecameReady, Message: now.Message})
	}

	return out
}

// firewallConditions has the condition on the container's own firewall, where the claim has one, or did.
func firewallConditions(t reporter, before v1alpha1.ContainerStatus) []status.Condition {
	g := status.FirewalledGuest{Kind: kindContainer, Title: strings.ToLower(t.title()), Machine: &t.plan.Container.Machine, Stands: status.LostRules}
	if t.plan.Action == ActionKeep {
		g.Stands = "the provider cannot read the container just now"
	}

	switch {
	case t.plan.Approval.Waits():
		g.Stands = "an edit of the claim waits for approval"
	case t.plan.Replacement.Begun():
		g.Stands = "a new container is to replace this one"
	}

	if slices.ContainsFunc(t.plan.Pending, func(c change.Change) bool { return c.Field == nicFirewall }) {
		g.Unswitched = cmp.Or(t.plan.Container.Typed[nicFirewall], nicFirewall) + " waits for a restart of the container. To restart it, set spec.lifecycle.reboot to a new value."
	}

	if waits := func(c change.Change) bool { return c.Field == nicsField }; g.Unswitched == "" && slices.ContainsFunc(t.plan.Pending, waits) && furtherSwitches(t.plan) {
		g.Unswitched = nicsField + " waits for a restart of the container. To restart it, set spec.lifecycle.reboot to a new value."
	}

	if out := outsideFirewall(t.plan); len(out) > 0 {
		g.Unswitched = "An adopted container keeps its interfaces, and " + strings.Join(out, ", ") + " is not behind the firewall: put it behind it in Proxmox (CT, Network)."
	}

	g.Before = before.Conditions

	return status.FirewallConditions(t.plan.Firewall, g)
}
