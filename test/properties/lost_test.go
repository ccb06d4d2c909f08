package properties

import (
	"fmt"
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// lost is a machine whose VM was deleted in Proxmox, where somebody made another one with the VMID. Whatever the machine is like and waits for,
// nobody touches that VM, also when the claim goes.
func (l *history) lost() {
	name := "vm"
	if vms := vmsOf(l.m); len(vms) == 1 {
		name = vms[0]
	}

	o := l.m.Observed[name]
	at := world.Object(world.Object(o["status"])["atProvider"])
	id, _ := at["vmId"].(float64)
	vm := l.m.Proxmox.VMs[int(id)]

	// A VM of whose creation nothing is noted may be on its way.
	if vm == nil || vm.Owner == "" || world.Annotation(o, "homelab.io/created") == "" {
		return
	}

	delete(l.m.Proxmox.HA, int(id))
	delete(l.m.Proxmox.Firewalls, int(id))

	stranger := l.m.Proxmox.ByHand(int(id), fake.HandMade(l.t, `smbios: [{uuid: "11111111-2222-3333-4444-555555555555"}]`))
	before := world.Copy([]any{stranger.Config, stranger.Running})

	// The provider has read it, and nothing else yet.
	status := world.Object(o["status"])
	status["atProvider"] = stranger.Seen(int(id))
	o["status"] = status

	for range 6 {
		l.m.Turn()
	}

	// Where every number that it may have is somebody's by now, its new VM is paused, and the claim waits for that.
	l.m.Cluster().Lingers = true
	l.m.Leave()

	left := l.m.Proxmox.VMs[int(id)]
	if left == nil || left.Owner != "" || !reflect.DeepEqual(before, world.Copy([]any{left.Config, left.Running})) {
		l.wrong("lost", fmt.Sprintf("VM %d, which is somebody else's, is not what it was: %v", int(id), left))
	}
}
