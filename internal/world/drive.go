package world

import (
	"fmt"
	"slices"
)

// readDrive as cloud-init does when the guest starts: one with an instance ID of its own keeps the addresses of its first boot, whatever is on the drive later.
func (vm *VM) readDrive() {
	for _, i := range List(vm.Running["initialization"]) {
		drive := Object(i)

		switch {
		case drive["metaDataFileId"] == nil:
		case vm.read == nil:
			vm.read = map[string]any{"ipConfig": Copy(drive["ipConfig"]), "dns": Copy(drive["dns"]), "name": vm.Running["name"]}
		default:
			drive["ipConfig"] = Copy(vm.read["ipConfig"])
		}
	}
}

// InGuest is a VM's configuration as its guest has it, and as it is: both are alike where the guest has what is configured. A guest that reads its drive
// once has what it read then, whether it runs or not; any other has what it was started with, and nothing while it is stopped.
func (vm *VM) InGuest(id int) (has, configured map[string]any) {
	configured = Object(Copy(vm.Config))
	has = Object(Copy(configured))

	if vm.Running != nil {
		has = Object(Copy(vm.Running))
	}

	if vm.read != nil {
		has["name"] = vm.read["name"]

		for _, i := range List(has["initialization"]) {
			Object(i)["ipConfig"], Object(i)["dns"] = Copy(vm.read["ipConfig"]), Copy(vm.read["dns"])
		}
	}

	vm.nameMACs(id, has)
	vm.nameMACs(id, configured)

	return has, configured
}

// addressesOf interfaces, as the drive has them.
func addressesOf(interfaces []any) []string {
	var out []string

	for i, c := range interfaces {
		for _, family := range []string{"ipv4", "ipv6"} {
			for _, a := range List(Object(c)[family]) {
				out = append(out, fmt.Sprint(i, " ", Object(a)["address"]))
			}
		}
	}

	return out
}

// otherAddresses tells of each VM whose drive has other addresses than its guest, which read it once: they look free and are not.
func (p *Proxmox) otherAddresses(tell func(id int, written, read []string)) {
	for id, vm := range p.VMs {
		for _, i := range List(vm.Config["initialization"]) {
			if written, read := addressesOf(List(Object(i)["ipConfig"])), addressesOf(List(vm.read["ipConfig"])); vm.read != nil && !slices.Equal(written, read) {
				tell(id, written, read)
			}
		}
	}
}
