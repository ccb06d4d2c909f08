package world

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// reconcileVM reads, creates and updates a VM as the provider does, as far as the management policies allow.
func (p *Provider) reconcileVM(m *Machine, name string, o map[string]any, generation any) {
	forProvider := Object(terraformed(Object(Object(o["spec"])["forProvider"])))
	may, external := Policies(o), Annotation(o, ExternalName)

	if may == onlyObserves {
		p.importVM(o, external, generation)
		return
	}

	if strings.Contains(external, "/") {
		m.cluster.Fault("%s has external name %s, which only an import may have", name, external)
	}

	id, err := strconv.Atoi(external)
	if err != nil {
		id = p.Proxmox.free()
	}

	if want, ok := forProvider["vmId"].(float64); ok && int(want) != id {
		m.cluster.Fault("%s has VMID %v and external name %s", name, want, external)
	}

	_, there := p.Proxmox.VMs[id]

	if !there && !strings.Contains(may, "Create") {
		m.cluster.Fault("%s may neither be observed alone nor be made: %s", name, may)
		return
	}

	if !there && p.FailsToCreate != "" {
		failToCreate(o, p.FailsToCreate, generation)
		return
	}

	if there && !strings.Contains(may, "Update") && p.Proxmox.VMs[id].Owner != key(m, name) {
		p.report(m, name, o, id, forProvider, generation)
		return
	}

	if !there && p.begin(m, name, o, id, forProvider) {
		p.report(m, name, o, id, forProvider, generation)
		return
	}

	// Its first look at a stranger's VM, in the place of the VM that was there, tells whose that is; the next turn would change it.
	if vm := p.Proxmox.VMs[id]; there && vm.Owner == "" && p.owned[name] && !vm.looked {
		vm.looked = true
		p.say(o, id, forProvider, generation)

		return
	}

	p.own(m, name, o, id, forProvider)

	moved := p.moved(m, id, forProvider)
	shrinks := there && shrinks(p.Proxmox.VMs[id].Config, forProvider)

	if !moved && !shrinks && (strings.Contains(may, "Update") || !there) {
		p.update(id, forProvider, there)
	}

	p.report(m, name, o, id, forProvider, generation)

	if moved {
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run plan: plan failed: Instance cannot be destroyed: "+
			"Resource proxmox_virtual_environment_vm.x has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed.", generation))
	}

	if shrinks && !moved {
		message := fmt.Sprintf("apply failed: Cannot shrink local-lvm:vm-%d-disk-0 in VM %d, it is not supported!: ", id, id)
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "update failed: "+message, generation),
			Condition("LastAsyncOperation", "False", "ApplyFailure", message, nil))
	}
}

// shrinks says whether a disk is written smaller than it is. The provider then fails before it writes anything else.
func shrinks(config, forProvider map[string]any) bool {
	for _, written := range List(forProvider["disk"]) {
		for _, has := range List(config["disk"]) {
			w, h := Object(written), Object(has)
			if w["interface"] == h["interface"] && number(w["size"]) < number(h["size"]) {
				return true
			}
		}
	}

	return false
}

func number(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int64:
		return float64(v)
	case int:
		return float64(v)
	}

	return 0
}

// report what is in Proxmox. What may be deleted with its managed resource has to be the machine's own.
func (p *Provider) report(m *Machine, name string, o map[string]any, id int, forProvider map[string]any, generation any) {
	vm := p.Proxmox.VMs[id]
	if strings.Contains(Policies(o), "Delete") && vm.Owner != key(m, name) {
		m.cluster.Fault("%s may delete VM %d, which is not its own", name, id)
	}

	p.say(o, id, forProvider, generation)
}

// say what is in Proxmox.
func (p *Provider) say(o map[string]any, id int, forProvider map[string]any, generation any) {
	setExternalName(o, strconv.Itoa(id))
	o["status"] = map[string]any{"atProvider": withSwitches(p.Proxmox.VMs[id].Seen(id), forProvider), "conditions": Object(o["status"])["conditions"]}
	SetWell(o, generation)
}

// begin to create a VM: the reconciler marks the managed resource, and only then asks Proxmox. It says whether somebody made a VM
// with the VMID meanwhile. Terraform takes the refusal of Proxmox for its own success then, and goes on: it starts the VM.
func (p *Provider) begin(m *Machine, name string, o map[string]any, id int, forProvider map[string]any) bool {
	p.creations++
	annotate(o, createPending, fmt.Sprintf("2026-01-01T00:%02d:%02dZ", p.creations/60%60, p.creations%60))

	if p.Proxmox.BeforeCreate != nil {
		p.Proxmox.BeforeCreate(id)
	}

	vm, there := p.Proxmox.VMs[id]
	if there && forProvider["started"] == true && vm.Running == nil {
		m.cluster.Fault("%s starts VM %d, which is not its own", name, id)
	}

	return there
}

// own creates the VM, or adopts the VM that has the VMID already. The real provider adopts silently, so it is a fault unless the
// function marked the resource as one that adopts.
func (p *Provider) own(m *Machine, name string, o map[string]any, id int, forProvider map[string]any) {
	vm, there := p.Proxmox.VMs[id]
	if p.owned == nil {
		p.owned = map[string]bool{}
	}

	p.owned[name] = true

	switch {
	case !there:
		p.Proxmox.VMs[id] = &VM{Owner: key(m, name), created: true, Config: configOf(forProvider), Silent: p.Proxmox.SilentAgents, before: p.Proxmox.made[id]}
		p.Proxmox.made[id]++
		p.Proxmox.note("make %d", id)
	case vm.Owner != key(m, name):
		if Annotation(o, adopted) != "true" {
			m.cluster.Fault("%s adopts VM %d without a word", name, id)
		}

		p.Proxmox.note("adopt %d", id)
		vm.Owner = key(m, name)
	}
}

// importVM is what the provider says of a VM that it may only observe.
func (p *Provider) importVM(o map[string]any, external string, generation any) {
	_, vmid, ok := strings.Cut(external, "/")
	id, err := strconv.Atoi(vmid)

	if !ok || err != nil {
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: unexpected format of ID (), expected node/id: import failed", generation))
		return
	}

	vm, there := p.Proxmox.VMs[id]

	switch {
	case there && vm.Silent:
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: cannot run import: vm: Refreshing state... [id="+vmid+"]: import failed", generation))
	case there:
		o["status"] = map[string]any{"atProvider": vm.Seen(id)}
		SetConditions(o, Condition("Ready", "True", "Available", "", generation), Condition("Synced", "True", "ReconcileSuccess", "", generation))
	default:
		// What an earlier import saw stays where it is.
		SetConditions(o, Condition("Synced", "False", "ReconcileError", "observe failed: external resource does not exist", generation))
	}
}

// moved says whether a VM is elsewhere than it is written to be. The provider sees where, and would make it anew, which it
// refuses. Nobody may write a node without asking for a migration but the one that the VM is on.
func (p *Provider) moved(m *Machine, id int, forProvider map[string]any) bool {
	vm := p.Proxmox.VMs[id]
	written := vm.written
	vm.written = forProvider["nodeName"]

	if forProvider["nodeName"] == vm.Config["nodeName"] || forProvider["migrate"] == true {
		return false
	}

	if written != nil && written != forProvider["nodeName"] {
		m.cluster.Fault("VM %d is on %v, and is written to be on %v", id, vm.Config["nodeName"], forProvider["nodeName"])
	}

	return true
}

// update a VM into what is written of it.
func (p *Provider) update(id int, forProvider map[string]any, there bool) {
	vm := p.Proxmox.VMs[id]
	want := configOf(forProvider)

	var changed []string

	for field := range want {
		if field != "nodeName" && !reflect.DeepEqual(Essence(vm.Config[field]), Essence(want[field])) {
			changed = append(changed, field)
		}
	}

	slices.Sort(changed)

	if want["nodeName"] != vm.Config["nodeName"] {
		p.Proxmox.note("migrate %d to %v", id, want["nodeName"])
		vm.Config["nodeName"] = want["nodeName"]
	}

	if len(changed) > 0 && there {
		p.Proxmox.note("change %s of %d", strings.Join(changed, ", "), id)
	}

	maps.Copy(vm.Config, want)

	switch on := vm.Config["started"] == true; {
	case forProvider["started"] == true && !on:
		if there && !vm.created {
			p.Proxmox.note("start %d", id)
		}

		p.Proxmox.Start(id)
	case forProvider["started"] != true && on:
		if p.Proxmox.HA[id] == haStarted {
			p.Proxmox.cluster.Fault("the provider stops VM %d, which the HA manager keeps running", id)
		}

		p.Proxmox.note("stop %d", id)
		p.Proxmox.Stop(id)
	}

	vm.created = vm.created && !there
}

// switches are fields of a VM's forProvider that tell the provider what to do, and are no part of the VM.
var switches = []string{
	"reboot", "rebootAfterUpdate", "migrate", "stopOnDestroy", "purgeOnDestroy", "deleteUnreferencedDisksOnDestroy", "started", "vmId",
}

// withSwitches are added to what is in Proxmox: the provider reports them as it was told.
func withSwitches(at, forProvider map[string]any) map[string]any {
	for _, s := range switches {
		if v, told := forProvider[s]; told && at[s] == nil {
			at[s] = v
		}
	}

	return at
}

// configOf a VM of which this is written.
func configOf(forProvider map[string]any) map[string]any {
	out := Object(Copy(forProvider))
	for _, s := range switches {
		delete(out, s)
	}

	return out
}

// Essence of a value: what says nothing, and what the provider finds out by itself, is left out.
func Essence(v any) any {
	switch v := v.(type) {
	case []any:
		out := []any{}
		for _, e := range v {
			out = append(out, Essence(e))
		}

		if len(out) == 0 {
			return nil
		}

		return out
	case map[string]any:
		out := map[string]any{}

		for k, e := range v {
			if e = Essence(e); e != nil && !slices.Contains([]string{"fileFormat", "pathInDatastore", "enabled"}, k) {
				out[k] = e
			}
		}

		return out
	}

	if v == nil || reflect.ValueOf(v).IsZero() {
		return nil
	}

	return v
}
