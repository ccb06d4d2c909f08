package standin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// vms are EnvironmentVMs.
type vms struct{}

// switches of the provider are no part of a VM.
var switches = []string{
	"vmId", "nodeName", "started", "reboot", "rebootAfterUpdate", "migrate", "stopOnDestroy", "purgeOnDestroy",
	"deleteUnreferencedDisksOnDestroy", "protection",
}

// config of a VM that is asked for.
func (vms) config(r request) values {
	out := r.fields.clone()
	maps.DeleteFunc(out, func(name string, _ any) bool {
		return slices.Contains(switches, name) || strings.HasPrefix(name, "timeout")
	})

	return out
}

func (vms) find(r request) *VM {
	id, err := strconv.Atoi(r.id)
	if err != nil {
		return nil
	}

	return r.world.vms[id]
}

func (v vms) look(r request) values {
	vm := v.find(r)
	if vm == nil {
		return nil
	}

	out := values{}
	if !r.anywhere {
		out = r.fields.clone()
	}

	maps.Copy(out, vm.Config.clone())
	out["id"], out["vmId"] = strconv.Itoa(vm.ID), int64(vm.ID)
	out["nodeName"], out["started"], out["protection"] = vm.Node, vm.Started, vm.Protected
	vm.addresses(out)

	return out
}

// hangs: whoever may write the VM has a short timeout of the agent in Terraform's state. Import has the default, a quarter of
// an hour, so it is ended. That the agent is switched off in Proxmox counts at once, also before the VM's next start.
func (v vms) hangs(r request) bool {
	vm, out := v.find(r), values{}
	if vm == nil || !vm.Started || !flag(block(vm.Config["agent"])["enabled"]) {
		return false
	}

	vm.addresses(out)

	return len(out) == 0
}

// addresses as the guest agent reports them, once the guest has some. Without it the lists are empty.
func (vm *VM) addresses(out values) {
	if !vm.Started || !vm.Agent || !flag(block(vm.Running["agent"])["enabled"]) || time.Since(vm.startedAt) < vm.AgentAfter {
		return
	}

	names, macs, v4, v6 := []any{"lo"}, []any{"00:00:00:00:00:00"}, []any{[]any{"127.0.0.1"}}, []any{[]any{"::1"}}

	for i, d := range items(vm.Config["networkDevice"]) {
		names, macs = append(names, "eth"+strconv.Itoa(i)), append(macs, strings.ToLower(text(object(d)["macAddress"])))
		v4, v6 = append(v4, []any{vm.address(i)}), append(v6, vm.told(i, "ipv6"))
	}

	for _, name := range vm.Links {
		names, macs, v4, v6 = append(names, name), append(macs, "00:00:00:00:00:01"), append(v4, []any{}), append(v6, []any{})
	}

	out["networkInterfaceNames"], out["macAddresses"], out["ipv4Addresses"], out["ipv6Addresses"] = names, macs, v4, v6
}

// address of an interface: the one that cloud-init was told, or one that a DHCP server made up.
func (vm *VM) address(i int) string {
	if told := vm.told(i, "ipv4"); len(told) > 0 {
		return text(told[0])
	}

	return fmt.Sprintf("192.0.2.%d", vm.ID%250+1)
}

// told are the addresses of a family, ipv4 or ipv6, that cloud-init was told for an interface: one, or none.
func (vm *VM) told(i int, family string) []any {
	if configs := items(block(vm.Running["initialization"])["ipConfig"]); i < len(configs) {
		if ip, _, ok := strings.Cut(text(block(object(configs[i])[family])["address"]), "/"); ok {
			return []any{ip}
		}
	}

	return []any{}
}

// begin to create: a VM that has the number is taken over, unless it is to be a clone.
func (v vms) begin(r request) (string, error) {
	w, node := r.world, text(r.fields["nodeName"])
	if err := w.reachable(node); err != nil {
		return "", err
	}

	id := number(r.fields["vmId"])
	if id == 0 {
		id = w.free()
	}

	name, clone := strconv.Itoa(id), block(r.fields["clone"])

	if _, taken := w.vms[id]; taken {
		if clone != nil {
			return "", fmt.Errorf("VM clone: All attempts fail: #1: error cloning VM: the requested resource already exists received an HTTP 500 response - Reason: unable to create VM %d: config file already exists", id)
		}

		w.note("take over VM %d", id)

		return name, nil
	}

	// The plugin takes "CT ... already exists" for its own success, too, and then does not find the VM.
	if _, taken := w.containers[id]; taken {
		return "", fmt.Errorf("VM disk resize: All attempts fail:\n#1: error resizing VM disk: the requested resource does not exist\n"+ //nolint:revive,staticcheck // Its words.
			"received an HTTP 500 response - Reason: Configuration file 'nodes/%s/qemu-server/%d.conf' does not exist", node, id)
	}

	if clone != nil && w.vms[number(clone["vmId"])] == nil {
		return "", fmt.Errorf("VM clone: All attempts fail: #1: error cloning VM: the requested resource does not exist received an HTTP 500 response - Reason: Configuration file 'nodes/%s/qemu-server/%d.conf' does not exist", text(clone["nodeName"]), number(clone["vmId"]))
	}

	for _, d := range items(r.fields["disk"]) {
		if image := text(object(d)["importFrom"]); image != "" && w.volumes[node+" "+image] == nil {
			return "", fmt.Errorf("VM create: task \"UPID:%s:%d\" failed to complete with exit code: unable to create VM %d - cannot import from '%s'", node, id, id, image)
		}
	}

	w.vms[id] = &VM{ID: id, Node: node, Config: v.config(r), Agent: true}
	w.note("create VM %d on %s", id, node)

	return name, nil
}

// finish: the VM gets what it lacks, and is started. One that does not start is tainted, since it was being created.
func (v vms) finish(r request) error {
	vm := v.find(r)
	if vm == nil {
		return nil
	}

	v.assume(vm, r)

	if !flag(r.fields["started"]) {
		return nil
	}

	if err := r.world.power(vm, true); err != nil {
		return taintError{err}
	}

	return nil
}

// assume what is asked for.
func (v vms) assume(vm *VM, r request) {
	config := v.config(r)

	// A MAC address that was not asked for stays as it is, and a new device gets one.
	had := items(vm.Config["networkDevice"])
	for i, d := range items(config["networkDevice"]) {
		device := object(d)
		if text(device["macAddress"]) == "" && i < len(had) {
			device["macAddress"] = text(object(had[i])["macAddress"])
		}

		if text(device["macAddress"]) == "" {
			device["macAddress"] = fmt.Sprintf("BC:24:11:%02X:%02X:%02X", vm.ID>>8&0xff, vm.ID&0xff, i)
		}
	}

	for i, d := range items(config["disk"]) {
		object(d)["pathInDatastore"] = fmt.Sprintf("vm-%d-disk-%d", vm.ID, i)
	}

	maps.Copy(vm.Config, config)

	if p, ok := r.fields["protection"]; ok {
		vm.Protected = flag(p)
	}
}

// power a VM on or off. One whose snippets are not there does not start.
func (w *World) power(vm *VM, on bool) error {
	if on == vm.Started || requested(w, vm.ID, on) {
		return nil
	}

	if !on {
		vm.stop()
		w.note("stop VM %d", vm.ID)

		return nil
	}

	init := block(vm.Config["initialization"])
	for _, file := range []string{"userDataFileId", "metaDataFileId", "vendorDataFileId", "networkDataFileId"} {
		if id := text(init[file]); id != "" && w.volumes[vm.Node+" "+id] == nil {
			return fmt.Errorf("VM start: task \"UPID:%s:%d\" failed to complete with exit code: volume '%s' does not exist", vm.Node, vm.ID, id)
		}
	}

	vm.start()
	w.note("start VM %d", vm.ID)

	return nil
}

func (v vms) replaced(r request) string {
	vm := v.find(r)
	if vm == nil {
		return ""
	}

	if id, ok := r.fields["vmId"]; ok && number(id) != vm.ID {
		return "vm_id"
	}

	if node := text(r.fields["nodeName"]); node != vm.Node && !flag(r.fields["migrate"]) {
		return "node_name"
	}

	want, have := block(r.fields["initialization"]), block(vm.Config["initialization"])
	for _, file := range []string{"userDataFileId", "metaDataFileId", "vendorDataFileId", "networkDataFileId"} {
		if id, ok := want[file]; ok && text(id) != text(have[file]) {
			return "initialization." + file
		}
	}

	if clone, ok := r.fields["clone"]; ok && !covers(vm.Config["clone"], clone) {
		return "clone"
	}

	return ""
}

func (v vms) current(r request) bool {
	vm := v.find(r)

	return covers(map[string]any(vm.Config), map[string]any(v.config(r))) && text(r.fields["nodeName"]) == vm.Node &&
		(r.fields["started"] == nil || flag(r.fields["started"]) == vm.Started) &&
		(r.fields["protection"] == nil || flag(r.fields["protection"]) == vm.Protected)
}

func (v vms) change(r request) error {
	vm := v.find(r)
	if vm == nil {
		return nil
	}

	if node := text(r.fields["nodeName"]); node != vm.Node {
		// PVE/QemuMigrate.pm. No mapping is marked as one whose device migrates.
		if vm.Started && len(items(vm.Config["hostpci"]))+len(items(vm.Config["usb"])) > 0 {
			return errors.New("error migrating VM: can't migrate VM which uses local devices")
		}

		r.world.note("migrate VM %d to %s", vm.ID, node)
		vm.Node = node
	}

	for i, d := range items(vm.Config["disk"]) {
		for _, to := range items(r.fields["disk"]) {
			if object(to)["interface"] == object(d)["interface"] && number(object(to)["size"]) < number(object(d)["size"]) {
				return fmt.Errorf("Cannot shrink local-lvm:vm-%d-disk-%d in VM %d, it is not supported!: ", vm.ID, i, vm.ID) //nolint:revive,staticcheck // Its words.
			}
		}
	}

	v.assume(vm, r)
	r.world.note("change VM %d", vm.ID)

	if started, ok := r.fields["started"]; ok {
		return r.world.power(vm, flag(started))
	}

	return nil
}

func (v vms) destroy(r request) error {
	vm := v.find(r)
	if vm == nil {
		return nil
	}

	if err := r.world.power(vm, false); err != nil {
		return err
	}

	if vm.Protected {
		return fmt.Errorf("received an HTTP 500 response - Reason: can't remove VM %d - protection mode enabled", vm.ID)
	}

	// With its purge, Proxmox deletes the entry of the HA manager with the VM, and the firewall in any case (qemu-server: destroy_vm).
	delete(r.world.ha, vm.ID)
	delete(r.world.firewalls, vm.ID)
	delete(r.world.vms, vm.ID)
	r.world.note("destroy VM %d", vm.ID)

	return nil
}
