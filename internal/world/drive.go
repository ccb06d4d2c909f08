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

// holdAddresses: a node of K3s is known by the addresses of its first boot for good. Where its VM was written with others, they look free and are not.
func (w *ClusterWorld) holdAddresses() {
	for id, vm := range w.Proxmox.VMs {
		for _, i := range List(vm.Config["initialization"]) {
			if is, read := addressesOf(List(Object(i)["ipConfig"])), addressesOf(vm.read); vm.read != nil && !slices.Equal(is, read) {
				w.Cluster().Fault("VM %d is written with %v, and its guest has %v: %v", id, is, read, w.lastDone())
			}
		}
	}
}
