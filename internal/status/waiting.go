package status

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
)

// machineReady is the condition on the VM. What keeps it waiting stands in the order in which things happen.
func (s reporter) machineReady() Condition {
	reason, message := s.whyNotReady()
	if reason != "" {
		return Condition{Type: TypeMachineReady, Status: status(false), Reason: reason, Message: message}
	}

	c := Condition{Type: TypeMachineReady, Status: status(true), Reason: ReasonStopped, Message: s.vmName() + " is stopped, as requested."}

	switch {
	case s.wantsRunning():
		c.Reason, c.Message = ReasonRunning, s.vmName()+" runs."
	case s.in.Machine.Power == v1alpha1.PowerUnmanaged:
		c.Message = s.vmName() + " is stopped until somebody starts it in Proxmox, because spec.power is Unmanaged."
	}

	c.Message += s.migration()

	if s.wantsRunning() && s.hasGuestAgent() && s.addresses.silent {
		c.Message += " Its guest agent does not answer; status has its last known addresses."
	}

	return c
}

// whyNotReady says what a machine waits for; nothing where it is ready.
func (s reporter) whyNotReady() (reason, message string) {
	if s.vmReady() {
		return "", ""
	}

	if blocking := urgentFirst(s.blocking()); len(blocking) > 0 {
		meaning := func(f finding) string { return s.fill(f.row.Meaning, f) }
		first := meaning(blocking[0])
		alike := slices.DeleteFunc(blocking, func(f finding) bool { return meaning(f) != first })

		return ReasonProviderError, names(alike) + ": " + first + " Condition " + TypeProviderHealthy + " says what to do."
	}

	switch {
	case s.in.Plan.Adoption != nil:
		return s.whyNotAdopted(*s.in.Plan.Adoption)
	case !s.made:
		return s.whyNotMade()
	}

	return s.whyNotAsAsked()
}

// whyNotAsAsked says what a VM that was made waits for.
func (s reporter) whyNotAsAsked() (reason, message string) {
	at := s.vm.Status.AtProvider

	switch {
	case s.vm.Condition(managedReady).Reason == reasonDeleting:
		return ReasonDeleting, "Somebody deleted the managed resource of the VM; the VM is deleted too if the resource's policies allow it. Crossplane " +
			"then creates the resource again."
	case s.stoppedForReplacement():
		return ReasonReplacing, s.vmName() + " is being replaced by a new VM. Condition " + TypeReplacementRequired + " has the details."
	case s.in.Plan.Restarting && at.Started:
		return ReasonRebooting, s.vmName() + " is shutting down, and the provider then starts it again. If the guest does not answer, the shutdown " +
			"takes up to half an hour."
	case s.in.Plan.Restarting:
		return ReasonRebooting, s.vmName() + " is stopped, and the provider starts it again."
	case at.ID != "" && resumed(s.in, s.vm, s.name):
		return ReasonWaitingForProvider, "The provider will read " + s.vmName() + " again, and then apply the claim."
	case !s.vm.Found() || at.ID == "":
		return ReasonCreating, "The provider is creating the VM on node " + s.plannedNode() + "."
	case s.wantsRunning() && !at.Started:
		return ReasonStarting, s.vmName() + " is stopped, and the provider starts it."
	case !s.wantsRunning() && at.Started:
		return ReasonStopping, s.vmName() + " runs, and the provider shuts it down. If the guest does not answer, the shutdown takes up to half an hour."
	}

	return ReasonWaitingForAddress, s.noAddress()
}

// whyNotMade says what the making of a VM waits for.
func (s reporter) whyNotMade() (reason, message string) {
	if l := s.in.Plan.Check; l != nil && l.Outcome.InUse() {
		return ReasonVMIDInUse, s.whoHas(*l) + " Condition " + TypeVMIDInUse + " says what to do."
	}

	if lacks := s.in.Bootstrap.Lacks; lacks != "" {
		return ReasonWaitingForToken, "The provider creates the VM when its K3s token exists: Secret " + lacks + " in the claim's namespace, with the " +
			"key that the claim names."
	}

	snippets, images := s.waiting()
	node, at := s.plannedNode(), s.in.Machine.Placement
	imageText := fmt.Sprintf("its cloud image is on datastore %s of node %s (%s)", at.ImageDatastore, node, strings.Join(images, ", "))
	snippetText := fmt.Sprintf("its cloud-init snippets are on datastore %s of node %s (%s)", at.SnippetDatastore, node, strings.Join(snippets, ", "))

	switch {
	case len(snippets) > 0 && len(images) > 0:
		return ReasonWaitingForSnippets, "The provider creates the VM when " + snippetText + " and " + imageText + "."
	case len(snippets) > 0:
		return ReasonWaitingForSnippets, "The provider creates the VM when " + snippetText + "."
	case len(images) > 0:
		return ReasonWaitingForImage, "The provider creates the VM when " + imageText + "."
	case s.in.Plan.Check != nil && s.in.Plan.Check.Outcome == lifecycle.OutcomeChecking:
		return ReasonLookingAtVMID, lookingAt(s.in.Plan.Check.VMID)
	}

	return ReasonCreating, "The provider is creating the VM on node " + node + "."
}

// waiting names the snippets and images that are waited for. While one snippet lacks it names all of them, and the image: they
// come within seconds, and every change of what is said costs writes of the composite, which Crossplane limits.
func (s reporter) waiting() (snippets, images []string) {
	snippets, images = slices.Sorted(maps.Keys(s.in.Desired.Files)), slices.Sorted(maps.Keys(s.in.Desired.DownloadFiles))

	switch {
	case slices.ContainsFunc(snippets, s.waitsFor):
		return snippets, images
	case slices.ContainsFunc(images, s.waitsFor):
		return nil, images
	}

	return nil, nil
}

// waitsFor says whether the VM waits for a composed resource.
func (s reporter) waitsFor(name string) bool { return slices.Contains(s.in.Plan.Waiting, name) }

// migration says that the VM moves, where the claim moves it.
func (s reporter) migration() string {
	at, has := s.in.Machine.Placement, s.vm.Status.AtProvider.NodeName
	if !at.Migrate || has == "" || has == at.Node {
		return ""
	}

	if lacks := s.lacking(at.Node); len(lacks) > 0 {
		return fmt.Sprintf(" It moves to node %s when its snippets are on that node (%s).", at.Node, strings.Join(lacks, ", "))
	}

	return " It moves to node " + at.Node + "."
}

// lacking names the snippets that are to be written to a node and are not there yet.
func (s reporter) lacking(node string) []string {
	var out []string

	for _, name := range slices.Sorted(maps.Keys(s.in.Desired.Files)) {
		if s.in.Desired.Files[name].Spec.ForProvider.NodeName == node && !s.fileReady(name) {
			out = append(out, name)
		}
	}

	return out
}

// noAddress says why a running VM may have no address.
func (s reporter) noAddress() string {
	if !s.addresses.silent {
		return s.vmName() + " runs, but its guest agent reports no address of the VM's own interfaces: check bridge, VLAN and DHCP server of its network."
	}

	return s.vmName() + " runs, but its guest agent has not reported an address yet; the provider asks every few minutes. If this stays, check that " +
		"qemu-guest-agent runs in the guest, and that the provider's token may ask it (VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor)."
}
