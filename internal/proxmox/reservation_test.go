package proxmox

import "testing"

func TestReservation(t *testing.T) {
	for value, want := range map[string]struct {
		vm        string
		memoryMiB int64
	}{
		WriteReservation("vm", 8192):       {"vm", 8192},
		WriteReservation("vm-3f9a0c", 128): {"vm-3f9a0c", 128},
		"":                                 {},
		"vm":                               {},
		"vm much":                          {},
		"vm 8192 more":                     {},
	} {
		if vm, memoryMiB := ReadReservation(value); vm != want.vm || memoryMiB != want.memoryMiB {
			t.Errorf("ReadReservation(%q): got %q, %d, want %+v", value, vm, memoryMiB, want)
		}
	}
}
