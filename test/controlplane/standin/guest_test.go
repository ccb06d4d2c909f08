package standin

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGuests: what a guest finds is what its VM was started with, and a new VM with the number of an earlier one is another one.
func TestGuests(t *testing.T) {
	w := NewWorld("pve")
	w.AddVolume(Volume{Node: "pve", ID: "local:snippets/a.yaml", Content: "#cloud-config\n"})

	add := func() {
		w.AddVM(VM{ID: 7, Node: "pve", Config: values{
			"smbios":         []any{map[string]any{"uuid": "ABCDEF00-0000-4000-8000-000000000007"}},
			"initialization": []any{map[string]any{"userDataFileId": "local:snippets/a.yaml"}},
			"networkDevice":  []any{map[string]any{}},
		}})
	}

	add()

	if g := w.Guests(); len(g) != 0 {
		t.Errorf("a VM that is stopped has a guest: %v", g)
	}

	start := func() { w.Edit(func(vms map[int]*VM) { vms[7].Start() }) }
	start()

	first := w.Guests()[7]
	want := Guest{
		VM: 7, Disk: first.Disk, Booted: first.Booted, SystemUUID: "abcdef00-0000-4000-8000-000000000007", Address: "192.0.2.8", UserData: "#cloud-config\n",
	}

	if diff := cmp.Diff(want, first); diff != "" || first.Disk == "" || first.Booted.IsZero() {
		t.Errorf("Guests(): -want, +got:\n%s", diff)
	}

	w.Edit(func(vms map[int]*VM) {
		vms[7].Config["smbios"] = []any{map[string]any{"uuid": "ABCDEF00-0000-4000-8000-000000000008"}}
	})

	if g := w.Guests()[7]; g.SystemUUID != want.SystemUUID {
		t.Errorf("an edit of the SMBIOS takes effect before the next start: %v", g)
	}

	start()

	if g := w.Guests()[7]; g.SystemUUID == want.SystemUUID || g.Disk != first.Disk || !g.Booted.After(first.Booted) {
		t.Errorf("after another start the guest is %v", g)
	}

	w.Remove(7)
	add()
	start()

	if g := w.Guests()[7]; g.Disk == first.Disk {
		t.Error("a new VM has the disk of the one before")
	}
}
