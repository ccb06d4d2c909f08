package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A machineReport is about the VM as a person asked for it.
type machineReport struct {
	machine    *machine.Machine
	plan       *lifecycle.Plan
	desired    proxmox.Desired
	vm         *activeVM
	errors     *providerErrors
	ready      *readyReport
	adoption   *adoptionReport
	bootstrap  *bootstrap.Bootstrap
	recreation *recreationReport
}

// condition is the condition on the VM. What keeps it waiting stands in the order in which things happen.
func (m *machineReport) condition() Condition {
	reason, message := m.whyNotReady()
	if reason != "" {
		return Condition{Type: TypeMachineReady, Status: Truth(false), Reason: reason, Message: message + m.recreation.note()}
	}

	c := Condition{Type: TypeMachineReady, Status: Truth(true), Reason: ReasonStopped, Message: m.vm.title() + " is stopped, as requested."}

	switch {
	case m.vm.wantsRunning():
		c.Reason, c.Message = ReasonRunning, m.vm.title()+" runs."
	case m.machine.Power == v1alpha1.PowerUnmanaged:
		c.Message = m.vm.title() + " is stopped until somebody starts it in Proxmox, because spec.power is Unmanaged."
	}

	if m.recreation.noted() != "" {
		c.Reason = ReasonRecreated
	}

	switch {
	case holds(m.plan, lifecycle.OutageMigration):
		c.Reason, _ = waitsFor(m.plan)
	case holds(m.plan, lifecycle.OutageReconnection):
		c.Reason, _ = reconnectionWaits(m.plan)
	}

	c.Message += m.migration() + m.reconnection()

	if m.vm.wantsRunning() && m.vm.hasGuestAgent() && m.ready.addresses.silent {
		c.Message += " Its guest agent does not answer; status has its last known addresses."
	}

	c.Message += m.recreation.note()

	return c
}

// whyNotReady says what a machine waits for; nothing where it is ready.
func (m *machineReport) whyNotReady() (reason, message string) {
	if m.ready.activeVM() {
		return "", ""
	}

	if blocking := urgentFirst(m.errors.blocking()); len(blocking) > 0 {
		meaning := func(f Finding) string { return m.vm.fill(f.Row.Meaning, f) }
		first := meaning(blocking[0])
		alike := slices.DeleteFunc(blocking, func(f Finding) bool { return meaning(f) != first })

		return ReasonProviderError, names(alike) + ": " + first + " Condition " + TypeProviderHealthy + " says what to do."
	}

	switch {
	case m.plan.Adoption != nil:
		return m.adoption.whyNot()
	case !m.vm.made:
		return m.whyNotMade()
	}

	return m.whyNotAsAsked()
}

// whyNotAsAsked says what a VM that was made waits for.
func (m *machineReport) whyNotAsAsked() (reason, message string) {
	at := m.vm.seen.Status.AtProvider

	switch {
	case m.vm.seen.Condition(proxmox.ConditionReady).Reason == proxmox.ReasonDeleting:
		return ReasonDeleting, "Somebody deleted the managed resource of the VM; the VM is deleted too if the resource's policies allow it. Crossplane " +
			"then creates the resource again."
	case m.vm.stoppedForReplacement():
		return ReasonReplacing, m.vm.title() + " is being replaced by a new VM. Condition " + TypeReplacementRequired + " has the details."
	case m.plan.Rival() != "":
		return ReasonReplacing, afterRival(m.vm.title(), m.plan)
	case m.plan.Restarting && at.Started && switchedOff(m.vm.wanted):
		return ReasonRebooting, m.vm.title() + " is being switched off, because it has no guest agent, and the provider then starts it again."
	case m.plan.Restarting && at.Started:
		return ReasonRebooting, m.vm.title() + " is shutting down, and the provider then starts it again. If the guest does not answer, the shutdown " +
			"takes up to half an hour, and the VM is then switched off."
	case holds(m.plan, lifecycle.OutageStop):
		reason, text := waitsFor(m.plan)
		return reason, m.vm.title() + " is to be stopped, as spec.power requests, and waits. " + text
	case m.plan.Restarting:
		return ReasonRebooting, m.vm.title() + " is stopped, and the provider starts it again."
	case at.ID != "" && resumed(m.errors, m.vm.seen, m.vm.name):
		return ReasonWaitingForProvider, "The provider will read " + m.vm.title() + " again, and then apply the claim."
	case m.recreation.underWay():
		return ReasonCreating, m.recreation.progress()
	case !m.vm.seen.Found() || at.ID == "" || proxmox.Unread(m.vm.seen):
		return ReasonCreating, m.creation()
	case m.vm.startsFirst():
		return ReasonCreating, m.creation()
	case m.vm.wantsRunning() && !at.Started:
		return ReasonStarting, m.vm.title() + " is stopped, and the provider starts it."
	case !m.vm.wantsRunning() && at.Started && switchedOff(m.vm.wanted):
		return ReasonStopping, m.vm.title() + " runs, and the provider switches it off, because it has no guest agent."
	case !m.vm.wantsRunning() && at.Started:
		return ReasonStopping, m.vm.title() + " runs, and the provider shuts it down. If the guest does not answer, the shutdown takes up to half an " +
			"hour, and the VM is then switched off."
	}

	return ReasonWaitingForAddress, m.noAddress()
}

// AddressInUse says why a new VM or container is not made beside another one that has its address, and what helps.
func AddressInUse(guest string, s lifecycle.SharedAddress) string {
	which := "which runs"
	if s.Held == lifecycle.HeldFirst {
		which = "which asked for it first,"
	}

	return fmt.Sprintf("%s is not created, because %s of %s is the address of %s, %s in the same network: neither would be reached reliably. Give one of them another "+
		"address, or stop or delete the other one. If they are two networks of one name, set spec.lifecycle.force to a new value.", guest, s.Address.Value, s.Address.Path(), s.With, which)
}

// serversBehind says why a new agent is not made before its servers are upgraded, and what helps.
func serversBehind(vm string, b lifecycle.ServerBehind) string {
	return fmt.Sprintf("%s is not created, because it would run K3s %s, and server %s runs %s: no agent may be newer than its servers. It is created when they run "+
		"that release: upgrade the servers first. Or set spec.k3s.version to %s for this agent.", vm, b.Wanted, b.Server, b.Runs, b.Runs)
}

// whyNotMade says what the making of a VM waits for.
func (m *machineReport) whyNotMade() (reason, message string) {
	if l := m.plan.Check; l != nil && l.Outcome.InUse() {
		return ReasonVMIDInUse, WhoHas(*l) + " Condition " + TypeVMIDInUse + " says what to do."
	}

	if m.plan.Namesake {
		return ReasonOtherMachine, "The VM is not created, because Node " + m.plan.Node.Name + " is Ready: a machine of that name runs in the cluster, and two of " +
			"them would take each other's place. Condition " + TypeNodeJoined + " says what to do."
	}

	if b := m.plan.ServerBehind; b != nil {
		return ReasonServersBehind, serversBehind("The VM", *b)
	}

	if s := m.plan.Shares; s != nil {
		return ReasonAddressInUse, AddressInUse("The VM", *s)
	}

	if lack := m.vm.lack; lack != nil {
		if !lack.Token {
			return ReasonWaitingForSecret, waitsForSecret(*lack)
		}

		if why := wrongKey(*lack); why != "" {
			return ReasonWaitingForToken, why + " The provider creates the VM when its K3s token exists."
		}

		return ReasonWaitingForToken, "The provider creates the VM when its K3s token exists: Secret " + lack.Secret + " in the claim's namespace, with the " +
			"key that the claim names."
	}

	if a := m.plan.PoolAddress; a.Lacks() {
		return lacksAddress(*a, m.machine.Identity.Namespace)
	}

	snippets, images := m.waiting()
	node, at := m.vm.plannedNode(), m.machine.Placement
	imageText := fmt.Sprintf("its cloud image is on datastore %s of node %s (%s)", at.ImageDatastore, node, strings.Join(images, ", "))
	snippetText := fmt.Sprintf("its cloud-init snippets are on datastore %s of node %s (%s)", at.SnippetDatastore, node, strings.Join(snippets, ", "))

	switch {
	case len(snippets) > 0 && len(images) > 0:
		return ReasonWaitingForSnippets, "The provider creates the VM when " + snippetText + " and " + imageText + "."
	case len(snippets) > 0:
		return ReasonWaitingForSnippets, "The provider creates the VM when " + snippetText + "."
	case len(images) > 0:
		return ReasonWaitingForImage, "The provider creates the VM when " + imageText + "."
	case m.plan.Check != nil && m.plan.Check.Outcome == lifecycle.OutcomeChecking:
		return ReasonLookingAtVMID, lookingAt(m.plan.Check.VMID)
	case !m.plan.PoolAddress.Settled():
		return ReasonReservingAddress, reservingAddress(*m.plan.PoolAddress)
	}

	return ReasonCreating, m.creation()
}

// creation says that the provider creates the VM. It checks the VMID once more, creates the VM stopped, and starts it once it is known to
// be the machine's own. One sentence says all three, because every change of what is said costs writes of the composite, which Crossplane
// limits.
func (m *machineReport) creation() string {
	check, start := "", ""

	if id := m.vm.wanted.VMID; id != nil {
		check = fmt.Sprintf("checks VMID %d, ", *id)
	}

	if lifecycle.StartedAtBirth(m.plan.Situation) {
		start = ", and starts it"
	}

	return "The provider " + check + "creates the VM on node " + m.vm.plannedNode() + start + "."
}

// waitsForSecret says which Secret a VM waits for whose first boot writes a file from it.
func waitsForSecret(lack bootstrap.Lack) string {
	if why := wrongKey(lack); why != "" {
		return why + " The provider creates the VM when this is corrected."
	}

	return "The provider creates the VM when " + lack.For + " exists: Secret " + lack.Secret + " in the claim's namespace, with the key " +
		quote(lack.Key) + "."
}

// waiting names the snippets and images that are waited for. While one snippet lacks it names all of them, and the image: they
// come within seconds, and every change of what is said costs writes of the composite, which Crossplane limits.
func (m *machineReport) waiting() (snippets, images []string) {
	snippets, images = slices.Sorted(maps.Keys(m.desired.Files)), slices.Sorted(maps.Keys(m.desired.DownloadFiles))

	switch {
	case slices.ContainsFunc(snippets, m.waitsFor):
		return snippets, images
	case slices.ContainsFunc(images, m.waitsFor):
		return nil, images
	}

	return nil, nil
}

// waitsFor says whether the VM waits for a composed resource.
func (m *machineReport) waitsFor(name string) bool { return slices.Contains(m.plan.Waiting, name) }

// migration says that the VM moves, where the claim moves it.
func (m *machineReport) migration() string {
	at, has := m.machine.Placement, m.vm.seen.Status.AtProvider.NodeName
	if !at.Migrate || has == "" || has == at.Node {
		return ""
	}

	if holds(m.plan, lifecycle.OutageMigration) {
		_, text := waitsFor(m.plan)
		return " It is to move to node " + at.Node + ", and waits. " + text
	}

	if lacks := m.lacking(at.Node); len(lacks) > 0 {
		return fmt.Sprintf(" It moves to node %s when its snippets are on that node (%s).", at.Node, strings.Join(lacks, ", "))
	}

	return " It moves to node " + at.Node + "."
}

// reconnection says that interfaces of a K3s server are to be plugged in elsewhere, and wait for that.
func (m *machineReport) reconnection() string {
	if len(m.plan.Reconnects) == 0 {
		return ""
	}

	changes := make([]string, 0, len(m.plan.Reconnects))
	for _, c := range change.AsTyped(m.plan.Reconnects, m.machine.Typed) {
		changes = append(changes, c.String())
	}

	_, text := reconnectionWaits(m.plan)

	return " An interface is to be plugged in elsewhere (" + strings.Join(changes, ", ") + "), and waits. " + text
}

// lacking names the snippets that are to be written to a node and are not there yet.
func (m *machineReport) lacking(node string) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(m.desired.Files)) {
		if m.desired.Files[name].Spec.ForProvider.NodeName == node && !m.ready.file(name) {
			out = append(out, name)
		}
	}

	return out
}

// noAddress says why a running VM may have no address.
func (m *machineReport) noAddress() string {
	if !m.ready.addresses.silent {
		return m.vm.title() + " runs, but its guest agent reports no address of the VM's own interfaces: check bridge, VLAN and DHCP server of its network."
	}

	return m.vm.title() + " runs, but its guest agent has not reported an address yet; the provider asks every few minutes. If this stays, check that " +
		"qemu-guest-agent runs in the guest, and that the provider's token may ask it (VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor)."
}
