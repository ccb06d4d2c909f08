package render

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// vms are the managed resources of VMs that stay or come to be, by composed resource name.
func (w writer) vms() map[string]proxmox.VM {
	out := make(map[string]proxmox.VM, len(w.plan.Steps))

	for name, step := range w.plan.Steps {
		o := w.r.Observed.VMs[name]

		switch step.Action {
		case lifecycle.ActionWait, lifecycle.ActionRelease:
		case lifecycle.ActionCheck:
			out[name] = w.checked(step)
		case lifecycle.ActionReserve:
			out[name] = w.reserving(step)
		case lifecycle.ActionCreate:
			out[name] = w.created(step, o)
		case lifecycle.ActionAdopt:
			out[name] = w.adopted(step, o)
		case lifecycle.ActionFollow:
			out[name] = w.following(step, o)
		case lifecycle.ActionKeep:
			out[name] = kept(step, o)
		case lifecycle.ActionReplaced, lifecycle.ActionRetire:
			out[name] = leaving(step, o)
		case lifecycle.ActionDisown:
			out[name] = disowned(step, o)
		}

		if vm, there := out[name]; there {
			saysLost(&vm, o, w.r.Machine.Lifecycle.Lost)
		}
	}

	return out
}

// saysLost notes on a VM that its Proxmox node does not come back, where it is the one of which a person says so.
func saysLost(vm *proxmox.VM, o proxmox.ObservedVM, node string) {
	delete(vm.Metadata.Annotations, proxmox.LostAnnotation)

	if lifecycle.HostOf(o) == node {
		note(vm, proxmox.LostAnnotation, node)
	}
}

// kept is a VM as it was last written, with the policies of today. One that is being created keeps its own, and so does one that is only observed.
func kept(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	if o.ObserveOnly() {
		return asWritten(o)
	}

	if o.Metadata.Annotations[proxmox.CreatingAnnotation] != "" {
		vm := asWritten(o)
		if step.LookAgain {
			proxmox.LookAgain(&vm.Spec.ForProvider)
		}

		return vm
	}

	return retainedVM(o, step.MayDelete)
}

// disowned is a VM as it was last written, of which the provider only observes who has the VMID now.
func disowned(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	vm := asWritten(o)
	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	annotate(&vm.Metadata, proxmox.ExternalNameAnnotation, step.ImportName)

	return vm
}

// fresh is a VM with the labels and annotations of one that is made today.
func (w writer) fresh(d proxmox.Deletion, p proxmox.VMParameters) proxmox.VM {
	annotations := map[string]string{
		proxmox.BootstrapHashAnnotation:   w.r.Bootstrap.Hash,
		proxmox.ReplaceTriggersAnnotation: lifecycle.WriteTriggers(w.r.Roles.Triggers),
	}

	if !w.plan.Promoted {
		annotations[proxmox.CandidateAnnotation] = "true"
	}

	if v := proxmox.WriteBuiltIn(w.r.Machine.BuiltIn); v != "" {
		annotations[proxmox.BuiltInAnnotation] = v
	}

	if v := proxmox.WriteOverrides(w.r.Machine.Overrides); v != "" {
		annotations[proxmox.OverridesAnnotation] = v
	}

	// The trigger of a VM that is made today has nothing to restart.
	annotations[proxmox.RebootTriggersAnnotation] = w.r.Machine.Lifecycle.Reboot

	vm := proxmox.NewVM(w.r.Flavour, w.r.providerConfig(), w.r.metadataWith(annotations), d, p)
	if id := w.r.VMID.VMID; id != 0 {
		number(&vm, id)
	}

	// The other servers of its cluster count it by this.
	if k := w.r.Machine.K3s; k != nil && k.Etcd != "" {
		vm.Metadata.Labels[proxmox.EtcdLabel] = string(k.Etcd)
	}

	if a := w.r.Machine.NICs[0].IPv4; a.Pool != nil && a.Address != "" {
		note(&vm, proxmox.PoolAddressAnnotation, fmt.Sprintf("%s/%d", a.Address, a.Prefix))

		if !a.Pool.Of.IsZero() {
			note(&vm, proxmox.AddressPoolAnnotation, a.Pool.Of.Text())
			note(&vm, proxmox.PoolGatewayAnnotation, a.Gateway)
		}
	}

	if n := w.r.Machine.NICs[0]; n.StableMAC {
		note(&vm, proxmox.StableMACAnnotation, n.MAC)
	}

	note(&vm, proxmox.DNSRecordAnnotation, w.r.Machine.DNSRecord)
	note(&vm, proxmox.FirewallDefaultAnnotation, w.r.Machine.FirewallDefault)

	for _, a := range w.r.Machine.Addresses() {
		// A guest keeps the MAC address of its first boot.
		if a.Kind == "mac" && a.NIC < len(p.NetworkDevice) {
			a.Value = p.NetworkDevice[a.NIC].MACAddress
		}

		if v := a.Label(); v != "" {
			vm.Metadata.Labels[proxmox.AddressLabel(a.Kind, a.NIC)] = v
		}
	}

	return vm
}

// number gives a VM its VMID. The external name from the start makes a create that was cut off find its own VM again.
func number(vm *proxmox.VM, id int64) {
	text := strconv.FormatInt(id, 10)
	vm.Spec.ForProvider.VMID = &id
	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = text
	vm.Metadata.Labels[proxmox.VMIDLabel] = text
}

// checked is a VM that the provider may only observe, under the name of an import.
func (w writer) checked(step lifecycle.Step) proxmox.VM {
	vm := w.fresh(w.r.MayDelete(), w.description.Parameters)
	number(&vm, step.VMID)

	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()

	if step.Ask {
		proxmox.Ask(&vm.Spec.ForProvider)
	}

	vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = step.ImportName
	w.reserve(&vm)

	if a := w.plan.Adoption; a != nil && a.Reserves != "" {
		note(&vm, proxmox.ReservesAnnotation, a.Reserves)
	}

	if step.SearchedFrom != "" {
		vm.Metadata.Annotations[proxmox.SearchedFromAnnotation] = step.SearchedFrom
	}

	return vm
}

// reserving is a VM that does not exist yet, and of which other machines only have to know its addresses and its size. The provider ignores it: it has no
// VMID for which the provider could look.
func (w writer) reserving(step lifecycle.Step) proxmox.VM {
	vm := w.fresh(step.MayDelete, w.description.Parameters)
	vm.Spec.ManagementPolicies = proxmox.ObserveOnly()
	w.reserve(&vm)

	if w.r.Machine.Placement.Reserves == machine.ReservesSize {
		note(&vm, proxmox.ReservesAnnotation, w.r.reservation().String())
	}

	return vm
}

// reserve writes the address of the pool that a VM is to have.
func (w writer) reserve(vm *proxmox.VM) {
	if a := w.r.PoolAddress; a != nil && a.Address.IsValid() {
		note(vm, proxmox.ReservedAddressAnnotation, a.Address.String())
	}
}

// created is a VM that the provider may create, stopped. It may neither change nor delete the VM before it is known to be ours.
func (w writer) created(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	vm := w.fresh(step.MayDelete, w.description.Parameters)
	vm.Spec.ManagementPolicies, vm.Spec.ForProvider.Started = proxmox.CreatePolicies(), false
	vm.Metadata.Annotations[proxmox.CreatingAnnotation] = proxmox.BeginCreation(o)
	note(&vm, proxmox.NodeNameAnnotation, w.nodeName())
	note(&vm, proxmox.SearchedFromAnnotation, step.SearchedFrom)
	note(&vm, proxmox.SeenInCheckAnnotation, step.SeenInCheck)
	joins(&vm, step)
	drains(&vm, step)

	return vm
}

// adopted is a VM as it is taken over: what the models do not know of it stays as the provider read it.
func (w writer) adopted(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	vm := w.fresh(step.MayDelete, step.Parameters)
	vm.Spec.Rest = o.Status.AtProvider.Parameters.Rest
	number(&vm, step.VMID)
	vm.Metadata.Annotations[proxmox.AdoptedAnnotation] = "true"
	delete(vm.Metadata.Annotations, proxmox.BootstrapHashAnnotation)
	note(&vm, proxmox.ApprovalAnnotation, step.Approval.String())
	runsWith(&vm, step)

	return vm
}

// following is a VM that lives: the same managed resource, with what the claim says now.
func (w writer) following(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	vm := w.fresh(step.MayDelete, step.Parameters)

	// What waits for approval is not announced, either: other machines find addresses and clusters by labels. Labels that somebody removed come back.
	if step.Stands {
		if has := Ours(o.Metadata.Metadata).Labels; has[proxmox.MachineLabel] != "" {
			vm.Metadata.Labels = has
		}

		for _, recorded := range []string{proxmox.BuiltInAnnotation, proxmox.OverridesAnnotation} {
			delete(vm.Metadata.Annotations, recorded)
			note(&vm, recorded, o.Metadata.Annotations[recorded])
		}
	}

	// Under another API version or provider configuration this would be another VM, and the old one would be deleted.
	vm.APIVersion, vm.Spec.ProviderConfigRef, vm.Spec.Rest = o.APIVersion, o.Spec.ProviderConfigRef, o.Spec.Rest

	delete(vm.Metadata.Annotations, proxmox.ExternalNameAnnotation)

	if id := proxmox.VMIDOf(o); id != 0 {
		number(&vm, id)
	}

	// The name that the provider goes by counts, also where somebody changed it.
	if name := o.Metadata.ExternalName(); name != "" {
		vm.Metadata.Annotations[proxmox.ExternalNameAnnotation] = name
	}

	runsWith(&vm, step)
	powered(&vm, step.Power)
	joins(&vm, step)
	drains(&vm, step)
	note(&vm, proxmox.NodeJoinedAnnotation, string(step.NodeJoin))
	note(&vm, proxmox.ApprovalAnnotation, step.Approval.String())
	note(&vm, proxmox.OutageAnnotation, step.Outage.String())
	note(&vm, proxmox.CreatedAnnotation, step.Origin.Created)
	note(&vm, proxmox.RecreatedAnnotation, step.Origin.Recreated)
	remember(&vm, o)

	return vm
}

// powered writes what becomes of a VM's power.
func powered(vm *proxmox.VM, p lifecycle.Power) {
	annotations := vm.Metadata.Annotations
	vm.Spec.ForProvider.Started = p.Started

	if p.StoppedFor != "" {
		annotations[proxmox.StoppedForAnnotation] = p.StoppedFor
	}

	note(vm, proxmox.RebootingForAnnotation, p.RebootingFor)
	note(vm, proxmox.AwaitsRestartAnnotation, p.AwaitsRestart.Boot)
	note(vm, proxmox.AwaitsRestartWrittenAnnotation, p.AwaitsRestart.Written)

	if p.Phase.StartsAgain() {
		annotations[proxmox.StartingAgainAnnotation] = "true"
	}

	delete(annotations, proxmox.RebootTriggersAnnotation)

	if len(p.Followed) > 0 {
		annotations[proxmox.RebootTriggersAnnotation] = lifecycle.WriteTriggers(p.Followed)
	}

	if p.Phase == lifecycle.PowerFirstStart {
		annotations[proxmox.FirstStartAnnotation] = "true"
	}

	if p.Phase == lifecycle.PowerReleased {
		vm.Spec.ManagementPolicies = proxmox.WithoutUpdate(vm.Spec.ManagementPolicies)
	}
}

// nodeName under which K3s in a VM that is created today registers its Node; empty where nobody reads it.
func (w writer) nodeName() string {
	if w.r.Node.Name == "" {
		return ""
	}

	return lifecycle.NodeName(w.r.Machine.FullHostname())
}

// joins writes of a K3s server whether it has joined its cluster after it replaced another one, and which triggers were forced.
func joins(vm *proxmox.VM, step lifecycle.Step) {
	note(vm, proxmox.JoiningAnnotation, step.Join.Awaited)
	note(vm, proxmox.JoinedAnnotation, step.Join.Confirmed)
	note(vm, proxmox.ForceTriggersAnnotation, lifecycle.WriteTriggers(step.Forced))
}

// drains writes what a VM remembers of the drains of its Node.
func drains(vm *proxmox.VM, step lifecycle.Step) {
	note(vm, proxmox.DrainAnnotation, step.Drain.String())
	note(vm, proxmox.DrainTriggerAnnotation, step.Drain.Trigger)
}

// note writes an annotation that has a value.
func note(vm *proxmox.VM, annotation, value string) {
	if value != "" {
		annotate(&vm.Metadata, annotation, value)
	}
}

// remember keeps what the VM remembers of how it came to be.
func remember(vm *proxmox.VM, o proxmox.ObservedVM) {
	if v := o.Metadata.Annotations[proxmox.SeenInCheckAnnotation]; v != "" && !o.Resting() {
		vm.Metadata.Annotations[proxmox.SeenInCheckAnnotation] = v
	}

	// A claim that named its address may leave it to the function: then nothing is remembered yet.
	for _, a := range []string{
		proxmox.PoolAddressAnnotation, proxmox.AddressPoolAnnotation, proxmox.PoolGatewayAnnotation, proxmox.StableMACAnnotation,
	} {
		note(vm, a, o.Metadata.Annotations[a])
	}

	for _, a := range []string{proxmox.BootstrapHashAnnotation, proxmox.AdoptedAnnotation, proxmox.NodeNameAnnotation} {
		delete(vm.Metadata.Annotations, a)

		if v := o.Metadata.Annotations[a]; v != "" {
			vm.Metadata.Annotations[a] = v
		}
	}
}

// runsWith writes down what a running VM still has of what was changed since it started.
func runsWith(vm *proxmox.VM, step lifecycle.Step) {
	if len(step.RunsWith) == 0 {
		return
	}

	if b, err := json.Marshal(step.RunsWith); err == nil {
		vm.Metadata.Annotations[proxmox.RebootPendingAnnotation] = string(b)
	}
}

// retainedVM is a VM as it was last written, but for what somebody did in Proxmox that cannot be undone: with a smaller disk the provider could
// not even stop the VM.
func retainedVM(o proxmox.ObservedVM, d proxmox.Deletion) proxmox.VM {
	vm := o.Retained(Ours(o.Metadata.Metadata), d)
	vm.Spec.ForProvider = proxmox.AsFound(o)

	return vm
}

// leaving is a VM that retires or is replaced: as it was last written, but for what it takes to let it go.
func leaving(step lifecycle.Step, o proxmox.ObservedVM) proxmox.VM {
	vm := kept(step, o)
	if proxmox.CreationOf(o) == proxmox.CreationOurs {
		vm.Spec.ManagementPolicies = proxmox.Policies(step.MayDelete)
		delete(vm.Metadata.Annotations, proxmox.CreatingAnnotation)
	}

	p := &vm.Spec.ForProvider
	p.Migrate = false // It stays where it is, also where somebody moves it.

	if n := o.Status.AtProvider.NodeName; n != "" {
		p.NodeName = n
	}

	if step.Announce != "" {
		vm.Metadata.Annotations[proxmox.ReplacingAnnotation] = step.Announce
	}

	drains(&vm, step)
	note(&vm, proxmox.ApprovalAnnotation, step.Approval.String())

	if step.NodeRemoved {
		vm.Metadata.Annotations[proxmox.NodeRemovedAnnotation] = "true"
	}

	if step.Stop {
		// A VM that ran is marked, so that it is started again where the replacement comes to nothing.
		known := o.Status.AtProvider.ID != ""
		if o.Status.AtProvider.Started || !known && o.Spec.ForProvider.Started {
			vm.Metadata.Annotations[proxmox.StoppedForAnnotation] = lifecycle.StoppedForReplacement
		}

		p.Started, p.OnBoot = false, false
	}

	return vm
}
