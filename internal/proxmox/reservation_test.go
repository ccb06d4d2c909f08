package proxmox

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReservation(t *testing.T) {
	for value, want := range map[string]Reservation{
		Reservation{VM: "vm", MemoryMiB: 8192}.String():                     {VM: "vm", MemoryMiB: 8192},
		Reservation{VM: "vm-3f9a0c", MemoryMiB: 128}.String():               {VM: "vm-3f9a0c", MemoryMiB: 128},
		Reservation{VM: "vm", MemoryMiB: 1, Cores: 2, DiskGiB: 30}.String(): {VM: "vm", MemoryMiB: 1, Cores: 2, DiskGiB: 30},
		"vm 4096":       {VM: "vm", MemoryMiB: 4096},
		"":              {},
		"vm":            {},
		"vm much":       {},
		"vm 8192 more":  {},
		"vm 1 2 3 four": {},
		"vm 1 2 x":      {},
	} {
		if diff := cmp.Diff(want, ReadReservation(value)); diff != "" {
			t.Errorf("ReadReservation(%q): -want, +got:\n%s", value, diff)
		}
	}
}
