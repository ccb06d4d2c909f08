package properties

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// Moments at which somebody takes a number: between the provider's look and its creation, and after each of the first answers.
const (
	betweenLookAndCreation = 1
	lastMoment             = 6
)

// A taker makes a VM in Proxmox, once, with the number that a machine is about to use. A nil taker never does.
type taker struct {
	t      testing.TB
	m      *world.Machine
	moment int
	calls  int

	vm     *world.VM
	before any
}

func newTaker(t testing.TB, m *world.Machine, moment int) *taker {
	k := &taker{t: t, m: m, moment: moment}
	if moment == betweenLookAndCreation {
		m.Proxmox.BeforeCreate = k.take
	}

	return k
}

// next answer of the function: the provider has not seen it yet.
func (k *taker) next() {
	if k == nil || k.moment == betweenLookAndCreation {
		return
	}

	if k.calls++; k.calls+betweenLookAndCreation != k.moment {
		return
	}

	for _, o := range k.m.Observed {
		if id, ok := world.Object(world.Object(o["spec"])["forProvider"])["vmId"].(float64); ok && o["kind"] == world.VMKind {
			k.take(int(id))
		}
	}
}

func (k *taker) take(id int) {
	// Nobody can make a VM where there is one, and the VM that a claim adopts is meant.
	if k.vm != nil || k.m.Proxmox.VMs[id] != nil || id == adoptedID {
		return
	}

	k.vm = k.m.Proxmox.ByHand(id, fake.StrangeVM(k.t, id))
	k.before = world.Copy([]any{k.vm.Config, k.vm.Running})
}

func (k *taker) took() bool { return k != nil && k.vm != nil }

// faults: the VM is as its owner made it.
func (k *taker) faults() []string {
	var out []string

	if k.vm.Owner != "" {
		out = append(out, "the VM of somebody else is "+k.vm.Owner)
	}

	if !reflect.DeepEqual(k.before, world.Copy([]any{k.vm.Config, k.vm.Running})) {
		out = append(out, fmt.Sprintf("the VM of somebody else changed: %v", k.m.Proxmox.Done))
	}

	return out
}
