package world

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// cannotMake says whether a VM that is not there stays so: for want of a management policy, because a container has the VMID, or because the provider fails.
func cannotMake(r reconciliation, may string, id int) bool {
	switch {
	case !strings.Contains(may, "Create"):
		r.fault("%s may neither be observed alone nor be made: %s", r.name, may)
	case r.proxmox.Containers[id] != nil: // The plugin takes "CT ... already exists" for its own success, and then does not find the VM.
		failToCreate(r.object, fmt.Sprintf("create failed: apply failed: error resizing VM disk: received an HTTP 500 response - Reason: Configuration file 'nodes/%v/qemu-server/%d.conf' does not exist",
			r.forProvider["nodeName"], id), r.generation)
	case r.provider.FailsToCreate != "":
		failToCreate(r.object, r.provider.FailsToCreate, r.generation)
	default:
		return false
	}

	return true
}

// vm reads, creates and updates a VM as the provider does, as far as the management policies allow.
func (r reconciliation) vm() {
	may, external := Policies(r.object), Annotation(r.object, ExternalName)

	if may == onlyObserves {
		r.importVM(external)
		return
	}

	if strings.Contains(external, "/") {
		r.fault("%s has external name %s, which only an import may have", r.name, external)
	}

	id, err := strconv.Atoi(external)
	if err != nil {
		id = r.proxmox.free()
	}

	if want, ok := r.forProvider["vmId"].(float64); ok && int(want) != id {
		r.fault("%s has VMID %v and external name %s", r.name, want, external)
	}

	_, there := r.proxmox.VMs[id]

	if !there && cannotMake(r, may, id) {
		return
	}

	if there && !strings.Contains(may, "Update") && r.proxmox.VMs[id].Owner != r.owner() {
		r.report(id)
		return
	}

	if !there && r.begin(id) {
		r.report(id)
		return
	}

	if there && (r.looksFirst(id) || r.provider.awaitsAgent(r.name, r.object)) {
		return
	}

	r.own(id)

	moved := r.moved(id)
	refusal := ""

	if there && !moved {
		refusal = refusedBy(id, r.proxmox.VMs[id], r.forProvider)
	}

	mayWrite := strings.Contains(may, "Update") || !there
	if !moved && refusal == "" && mayWrite && writes(r, id, there) {
		return
	}

	r.report(id)

	if moved {
		r.unsynced("ReconcileError", "observe failed: cannot run plan: plan failed: Instance cannot be destroyed: "+
			"Resource proxmox_virtual_environment_vm.x has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed.")
	}

	if refusal != "" {
		message := "apply failed: " + refusal + ": "
		SetConditions(r.object, Condition("Synced", "False", "ReconcileError", "update failed: "+message, r.generation),
			Condition("LastAsyncOperation", "False", "ApplyFailure", message, nil))
	}
}

// writes what is written of a VM. It says whether the provider waits for the guest agent now.
func writes(r reconciliation, id int, there bool) (awaits bool) {
	if there && r.provider.TellsAfter > 0 { // What it finds it tells before it does anything.
		r.say(id)
	}

	return r.update(id, there) && r.provider.startsAwaiting(r.name, r.object)
}

// looksFirst at a stranger's VM or a restored one, in the place of the VM that was there: that tells whose it is, and the next turn would change it.
func (r reconciliation) looksFirst(id int) bool {
	vm := r.proxmox.VMs[id]
	if vm.Owner != "" && !vm.back || !r.provider.owned[r.name] || vm.looked {
		return false
	}

	vm.looked = true
	r.say(id)

	return true
}

// refusedBy is what Proxmox says against what is written of a VM; empty where it is done. The provider then fails before it writes anything else.
func refusedBy(id int, vm *VM, forProvider map[string]any) string {
	migrates := forProvider["nodeName"] != vm.Config["nodeName"]
	devices := len(List(vm.Config["hostpci"])) + len(List(vm.Config["usb"]))

	switch {
	case migrates && vm.Running != nil && devices > 0: // PVE/QemuMigrate.pm. No mapping is marked as one whose device migrates.
		return "error migrating VM: can't migrate VM which uses local devices"
	case slices.ContainsFunc(List(forProvider["cdrom"]), func(d any) bool { return slices.Contains(vm.mediaGone, Object(d)["fileId"]) }):
		return fmt.Sprintf("error updating VM: volume '%v' does not exist", vm.mediaGone[0]) // create_disks in PVE/API2/Qemu.pm.
	case shrinks(vm.Config, forProvider):
		return fmt.Sprintf("Cannot shrink local-lvm:vm-%d-disk-0 in VM %d, it is not supported!", id, id)
	}

	return ""
}

// shrinks says whether a disk is written smaller than it is.
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

// report what is in Proxmox. What may be deleted with its managed resource has to be the machine's own.
func (r reconciliation) report(id int) {
	vm := r.proxmox.VMs[id]
	if strings.Contains(Policies(r.object), "Delete") && vm.Owner != r.owner() {
		r.fault("%s may delete VM %d, which is not its own", r.name, id)
	}

	r.say(id)
}

// say what is in Proxmox.
func (r reconciliation) say(id int) {
	setExternalName(r.object, strconv.Itoa(id))
	r.object["status"] = map[string]any{
		"atProvider": withSwitches(r.proxmox.VMs[id].look(id), r.forProvider), "conditions": Object(r.object["status"])["conditions"],
	}
	SetWell(r.object, r.generation)
}

// begin to create a VM. It says whether somebody made a VM with the VMID meanwhile. Terraform takes the refusal of Proxmox for its own
// success then, and goes on: it starts the VM.
func (r reconciliation) begin(id int) bool {
	r.create()

	if r.proxmox.BeforeCreate != nil {
		r.proxmox.BeforeCreate(id)
	}

	vm, there := r.proxmox.VMs[id]
	if there && r.forProvider["started"] == true && vm.Running == nil {
		r.fault("%s starts VM %d, which is not its own", r.name, id)
	}

	return there
}

// own creates the VM, or adopts the VM that has the VMID already. The real provider adopts silently, so it is a fault unless the
// function marked the resource as one that adopts.
func (r reconciliation) own(id int) {
	vm, there := r.proxmox.VMs[id]
	r.provider.owns(r.name)

	switch {
	case !there:
		r.proxmox.VMs[id] = &VM{Owner: r.owner(), created: true, Config: configOf(r.forProvider), Silent: r.proxmox.SilentAgents, before: r.proxmox.made[id]}
		r.proxmox.made[id]++

		if r.provider.ReadsInParts {
			r.proxmox.VMs[id].parts = 2
		}

		r.proxmox.note("make %d", id)
	case vm.Owner != r.owner():
		if Annotation(r.object, adopted) != "true" {
			r.fault("%s adopts VM %d without a word", r.name, id)
		}

		r.proxmox.note("adopt %d", id)
		vm.Owner = r.owner()
	}
}

// importVM is what the provider says of a VM that it may only observe.
func (r reconciliation) importVM(external string) {
	_, vmid, ok := strings.Cut(external, "/")
	id, err := strconv.Atoi(vmid)

	if !ok || err != nil {
		r.unsynced("ReconcileError", "observe failed: cannot run import: unexpected format of ID (), expected node/id: import failed")
		return
	}

	vm, there := r.proxmox.VMs[id]

	switch {
	case there && vm.Silent:
		r.unsynced("ReconcileError", "observe failed: cannot run import: vm: Refreshing state... [id="+vmid+"]: import failed")
	case there:
		r.object["status"] = map[string]any{"atProvider": vm.Seen(id)}
		SetConditions(r.object, Condition("Ready", "True", "Available", "", r.generation), Condition("Synced", "True", "ReconcileSuccess", "", r.generation))
	default:
		// What an earlier import saw stays where it is.
		r.unsynced("ReconcileError", "observe failed: external resource does not exist")
	}
}

// moved says whether a VM is elsewhere than it is written to be. The provider sees where, and would make it anew, which it
// refuses. Nobody may write a node without asking for a migration but the one that the VM is on.
func (r reconciliation) moved(id int) bool {
	vm := r.proxmox.VMs[id]
	written := vm.written
	vm.written = r.forProvider["nodeName"]

	if r.forProvider["nodeName"] == vm.Config["nodeName"] || r.forProvider["migrate"] == true {
		return false
	}

	// It may have moved on since it was reported.
	reported := Object(Object(r.object["status"])["atProvider"])["nodeName"]
	if written != nil && written != r.forProvider["nodeName"] && reported != r.forProvider["nodeName"] {
		r.fault("VM %d is on %v, and is written to be on %v", id, vm.Config["nodeName"], r.forProvider["nodeName"])
	}

	return true
}

// update a VM into what is written of it. It says whether one that was made before was started.
func (r reconciliation) update(id int, there bool) (started bool) {
	vm := r.proxmox.VMs[id]
	want := configOf(r.forProvider)

	var changed []string

	for field := range want {
		if field != "nodeName" && !reflect.DeepEqual(Essence(vm.Config[field]), Essence(want[field])) {
			changed = append(changed, field)
		}
	}

	gone := takenAway(vm.Config, want)
	changed = append(changed, gone...)
	slices.Sort(changed)

	if want["nodeName"] != vm.Config["nodeName"] {
		r.proxmox.note("migrate %d to %v", id, want["nodeName"])
		vm.Config["nodeName"] = want["nodeName"]
	}

	if len(changed) > 0 && there {
		r.proxmox.note("change %s of %d", strings.Join(changed, ", "), id)
	}

	goes := goesBehind(vm.Config, want)

	if vm.Running != nil && replugs(vm.Config, want) {
		vm.plugs++
		vm.cut = turnsUnplugged
	}

	maps.Copy(vm.Config, want)

	for _, field := range gone {
		delete(vm.Config, field)
	}

	if goes {
		r.lockedOut(id)
	}

	switch on := vm.Config["started"] == true; {
	case r.forProvider["started"] == true && !on:
		if started = there && !vm.created; started {
			r.proxmox.note("start %d", id)
		}

		r.proxmox.Start(id)
	case r.forProvider["started"] != true && on:
		if r.proxmox.HA[id] == haStarted {
			r.fault("the provider stops VM %d, which the HA manager keeps running", id)
		}

		r.proxmox.note("stop %d", id)
		r.proxmox.Stop(id)
	}

	vm.created = vm.created && !there

	return started
}

// takenAway are the fields that a VM or a container has and that are written no more, of those that the provider then takes away: bpg/terraform-provider-proxmox
// v0.111.1, vmUpdate in proxmoxtf/resource/vm/vm.go and containerUpdate in proxmoxtf/resource/container/container.go. All others stay as they are.
func takenAway(has, written map[string]any) []string {
	return slices.DeleteFunc([]string{"hostpci", "startup", "usb"}, func(field string) bool {
		return Essence(has[field]) == nil || Essence(written[field]) != nil
	})
}

// turnsUnplugged are those of a guest in which nobody reaches it after its interface was plugged in elsewhere: the one of the change, and the next one.
const turnsUnplugged = 2

// replugs says whether the first interface of a VM, by whose address K3s knows it, is plugged in elsewhere, or anew.
func replugs(has, wants map[string]any) bool {
	before, after := List(has["networkDevice"]), List(wants["networkDevice"])
	if len(before) == 0 || len(after) == 0 {
		return false
	}

	return slices.ContainsFunc([]string{"bridge", "vlanId", "macAddress", "mtu"}, func(field string) bool {
		was, is := Object(before[0])[field], Object(after[0])[field]

		// A MAC address that nobody names is there all the same, and can be written down.
		return !reflect.DeepEqual(Essence(was), Essence(is)) && (field != "macAddress" || was != nil && is != nil)
	})
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
