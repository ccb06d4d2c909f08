package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// ready says of every rendered resource whether it is ready.
func (s sight) ready() map[string]bool {
	out := make(map[string]bool, len(s.in.Rendered.Manifests))

	for name, m := range s.in.Rendered.Manifests {
		switch proxmox.KindOf(m) {
		case proxmox.VMKind:
			out[name] = name == render.VMName && s.vmReady()
		case proxmox.FileKind:
			f, ok := s.in.State.Files[name]
			out[name] = ok && f.Found() && f.Status.AtProvider.ID != ""
		case proxmox.DownloadFileKind:
			out[name] = s.imageReady(name)
		default:
			out[name] = false
		}
	}

	return out
}

// imageReady says whether nothing waits for an image any more. A VM that was made has its disk, so its image may be gone.
func (s sight) imageReady(name string) bool {
	f, ok := s.in.State.DownloadFiles[name]
	return s.made || ok && (f.Found() || proxmox.AlreadyPresent(f))
}

// vmReady says whether the VM is as asked. The provider's own Ready means no more than that it found the VM at some time.
func (s sight) vmReady() bool {
	at := s.vm.Status.AtProvider

	return s.observed && s.vm.Found() && at.ID != "" && !s.faulty() &&
		at.Started == s.wantsRunning() && s.addressed()
}

// addressed says whether all is known of the VM's addresses that there is to know. A guest agent that falls silent takes
// nothing back: an address that was known still counts, and so does a VM that ran without one, for instance since the
// agent belongs to bootstrap data that only a new VM will have.
func (s sight) addressed() bool {
	if !s.wantsRunning() || !s.in.Rendered.GuestAgent {
		return true
	}

	return len(s.addresses.all) > 0 || s.addresses.silent && s.in.Previous.Phase == v1alpha1.PhaseRunning
}

func (s sight) wantsRunning() bool { return s.in.Machine.Power == v1alpha1.PowerRunning }

// faulty says whether the provider reports an error of the VM. Between two tries of an update that fails, the VM is found
// and synced all the same.
func (s sight) faulty() bool {
	return slices.ContainsFunc(s.findings, func(f finding) bool { return f.name == render.VMName })
}

// machineReady is the condition on the VM. What keeps it waiting stands in the order in which things happen.
func (s sight) machineReady() Condition {
	reason, message := s.whyNotReady()
	if reason != "" {
		return Condition{Type: TypeMachineReady, Status: status(false), Reason: reason, Message: message}
	}

	c := Condition{Type: TypeMachineReady, Status: status(true), Reason: ReasonStopped, Message: s.vmName() + " is stopped, as asked."}
	if s.wantsRunning() {
		c.Reason, c.Message = ReasonRunning, s.vmName()+" runs."
	}

	if s.wantsRunning() && s.in.Rendered.GuestAgent && s.addresses.silent {
		c.Message += " Its guest agent does not answer; its addresses are the last known ones."
	}

	return c
}

// whyNotReady says what a machine waits for; nothing where it is ready.
func (s sight) whyNotReady() (reason, message string) {
	if s.vmReady() {
		return "", ""
	}

	if blocking := urgentFirst(s.blocking()); len(blocking) > 0 {
		f := blocking[0]
		return ReasonProviderError, s.fill(affected(blocking, f)+": "+f.row.Meaning, f) + " Condition " + TypeProviderHealthy + " says what to do."
	}

	if !s.made {
		return s.whyNotMade()
	}

	at := s.vm.Status.AtProvider

	switch {
	case s.vm.Condition(managedReady).Reason == reasonDeleting:
		return ReasonDeleting, "The managed resource of the VM is being deleted, and the VM with it if the resource may delete it. It is made again after that."
	case !s.vm.Found() || at.ID == "":
		return ReasonCreating, "The provider makes the VM on node " + s.plannedNode() + "."
	case s.wantsRunning() && !at.Started:
		return ReasonStarting, s.vmName() + " is stopped, and is started by the provider."
	case !s.wantsRunning() && at.Started:
		return ReasonStopping, s.vmName() + " runs, and is shut down by the provider; a guest that does not answer takes up to half an hour."
	}

	return ReasonWaitingForAddress, s.noAddress()
}

// whyNotMade says what the making of a VM waits for.
func (s sight) whyNotMade() (reason, message string) {
	if lacks := s.in.Bootstrap.Lacks; lacks != "" {
		return ReasonWaitingForToken, "The VM is made when its K3s token is there: Secret " + lacks + " in the claim's namespace, with the key that the claim names."
	}

	var snippets, images []string

	for _, name := range s.in.Rendered.Waiting {
		if proxmox.KindOf(s.in.Rendered.Manifests[name]) == proxmox.DownloadFileKind {
			images = append(images, name)
		} else {
			snippets = append(snippets, name)
		}
	}

	node, at := s.plannedNode(), s.in.Machine.Placement
	imageText := fmt.Sprintf("its cloud image is on datastore %s of node %s (%s)", at.ImageDatastore, node, strings.Join(images, ", "))
	snippetText := fmt.Sprintf("its cloud-init snippets are on datastore %s of node %s (%s)", at.SnippetDatastore, node, strings.Join(snippets, ", "))

	switch {
	case len(snippets) > 0 && len(images) > 0:
		return ReasonWaitingForSnippets, "The VM is made when " + snippetText + " and " + imageText + "."
	case len(snippets) > 0:
		return ReasonWaitingForSnippets, "The VM is made when " + snippetText + "."
	case len(images) > 0:
		return ReasonWaitingForImage, "The VM is made when " + imageText + "."
	}

	return ReasonCreating, "The provider makes the VM on node " + node + "."
}

// noAddress says why a running VM may have no address.
func (s sight) noAddress() string {
	if !s.addresses.silent {
		return s.vmName() + " runs, and its guest agent reports no address of the VM's own interfaces: " +
			"does its network hand out addresses (bridge, vlan, DHCP server)?"
	}

	return s.vmName() + " runs, and its guest agent has not reported an address yet; the provider asks every few minutes. " +
		"If it stays so: does qemu-guest-agent run in the guest, and may the provider's token ask it (VM.GuestAgent.Audit, before Proxmox VE 9 VM.Monitor)?"
}

// vmName is the VM in messages.
func (s sight) vmName() string {
	name := "The VM"
	if id := s.vmID(); id != nil {
		name = "VM " + strconv.FormatInt(*id, 10)
	}

	return name + " on node " + s.plannedNode()
}

// plannedNode is the node that the VM is on, or is to be on.
func (s sight) plannedNode() string {
	if node := s.node(); node != "" {
		return node
	}

	return s.in.Machine.Placement.Node
}
