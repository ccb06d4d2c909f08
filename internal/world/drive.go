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
			vm.read = List(Copy(drive["ipConfig"]))
		default:
			drive["ipConfig"] = Copy(vm.read)
		}
	}
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
			if written, read := addressesOf(List(Object(i)["ipConfig"])), addressesOf(vm.read); vm.read != nil && !slices.Equal(written, read) {
				tell(id, written, read)
			}
		}
	}
}
