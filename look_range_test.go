package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// withRange is a machine whose number comes from a range of the catalogue, and the number that it begins with.
func withRange(t *testing.T, from, to float64) (*lab, int) {
	t.Helper()

	l := newLab(t, story(t, "nixos/dns01"))
	delete(object(specOf(l.world)["proxmox"]), "vmId")
	l.catalog = object(runtimeCopy(l.catalog))
	object(object(object(l.catalog["data"])["sites"])["home"])["vmIds"] = map[string]any{"from": from, "to": to}

	return l, int(forProvider(l.call(), "vm")["vmId"].(float64))
}

func TestARangeGoesOn(t *testing.T) {
	const from, to = 4000, 4003

	next := func(id int) int { return from + (id-from+1)%(to-from+1) }

	for taken := range 4 {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			l, id := withRange(t, from, to)
			for range taken {
				l.pve.foreign(id, handMade(t))
				id = next(id)
			}

			last := l.rest()
			l.says(last, map[string]string{"MachineReady": "Running"})
			l.did(fmt.Sprintf("make %d", id))

			if got := statusOf(last)["vmId"]; got != float64(id) {
				t.Errorf("status.vmId: want %d, got %v", id, got)
			}
		})
	}
}

func TestARangeIsUsedUp(t *testing.T) {
	l, first := withRange(t, 4000, 4002)
	for id := 4000; id <= 4002; id++ {
		l.pve.foreign(id, handMade(t))
	}

	last := l.rest()
	l.says(last, map[string]string{"VMIDInUse": "NumberTaken", "MachineReady": "VMIDInUse"})

	if m := messageOf(last, "VMIDInUse"); !strings.Contains(m, "range") {
		t.Errorf("nobody says that the range is used up: %s", m)
	}

	l.did()

	// A wider range is taken up at once.
	object(object(object(l.catalog["data"])["sites"])["home"])["vmIds"] = map[string]any{"from": 4000.0, "to": 4005.0}
	l.says(l.rest(), map[string]string{"MachineReady": "Running"})

	if len(l.pve.done) != 1 || !slices.Contains([]string{"make 4003", "make 4004", "make 4005"}, l.pve.done[0]) {
		t.Errorf("done in Proxmox: %v, beginning with %d", l.pve.done, first)
	}
}

// TestRoomInARangeIsFound: the number that is looked at by itself, and any other one with the next change of the claim. To
// look at all of them again and again would keep the provider busy for ever.
func TestRoomInARangeIsFound(t *testing.T) {
	for id := 4000; id <= 4002; id++ {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			l, _ := withRange(t, 4000, 4002)
			for n := 4000; n <= 4002; n++ {
				l.pve.foreign(n, handMade(t))
			}

			full := l.rest()
			watched := int(forProvider(full, "vm")["vmId"].(float64))

			if m := messageOf(full, "VMIDInUse"); !strings.Contains(m, "spec.lifecycle.retry") || !strings.Contains(m, fmt.Sprintf("Number %d ", watched)) {
				t.Errorf("nobody says which number is looked at, and how to look at the others: %s", m)
			}

			delete(l.pve.vms, id)

			if last := l.rest(); id != watched {
				l.only(full, last, nil)
				l.did()
				l.lifecycle("retry", "2")
			}

			l.says(l.rest(), map[string]string{"MachineReady": "Running"})
			l.did(fmt.Sprintf("make %d", id))
		})
	}
}
