package standin

import (
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
)

// A Guest is what the system in a VM that runs finds on its virtual hardware.
type Guest struct {
	VM int
	// Disk tells VMs apart that have one number one after the other: a new VM has a new disk.
	Disk string
	// Booted is when the VM was started.
	Booted time.Time
	// SystemUUID of the SMBIOS, in lower case as Linux shows it. Proxmox makes one up for a VM that none was written for.
	SystemUUID string
	// Address of the first interface; empty while it has none.
	Address string
	// UserData of its cloud-init drive; empty without one.
	UserData string
}

// Guests are the systems of all VMs that run.
func (w *World) Guests() map[int]Guest {
	w.mu.Lock()
	defer w.mu.Unlock()

	out := map[int]Guest{}

	for id, vm := range w.vms {
		if vm.disk == "" {
			vm.disk = string(uuid.NewUUID())
		}

		if vm.Started {
			out[id] = w.guest(vm)
		}
	}

	return out
}

func (w *World) guest(vm *VM) Guest {
	g := Guest{VM: vm.ID, Disk: vm.disk, Booted: vm.startedAt, SystemUUID: vm.disk}

	if id := text(block(vm.Running["smbios"])["uuid"]); id != "" {
		g.SystemUUID = strings.ToLower(id)
	}

	if len(items(vm.Running["networkDevice"])) > 0 && time.Since(vm.startedAt) >= vm.AgentAfter {
		g.Address = vm.address(0)
	}

	// The drive is written at each start, and read at the first one only: no VM gets another snippet.
	if file := text(block(vm.Running["initialization"])["userDataFileId"]); file != "" {
		if v := w.volumes[vm.Node+" "+file]; v != nil {
			g.UserData = v.Content
		}
	}

	return g
}

// String names a guest in messages.
func (g Guest) String() string { return "VM " + strconv.Itoa(g.VM) }
