package standin

import (
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
)

func setConfig(mr managedResource, name string) {
	mr.(*clusterScoped[vmKind]).Spec.ProviderConfigReference = &xpv2.Reference{Name: name}
}

// TestDrift has people change things in Proxmox, and managed resources change in what cannot change.
func TestDrift(t *testing.T) {
	immutable := func(what string) string {
		return "Synced=False ReconcileError: observe failed: cannot run plan: plan failed: Instance cannot be destroyed: Resource " + what
	}

	cases := map[string]struct {
		reason, name, external string
		fields                 values
		hand                   func(w *World)
		edit                   func(fields values)
		want                   []string
		told                   []string
	}{
		"VMDeleted": {
			reason: "A VM that is gone is made again.", name: "vm", external: "100", fields: asked(nil), hand: func(w *World) { w.Remove(100) },
			want: []string{ready, synced}, told: []string{"create VM 100 on pve", "start VM 100"},
		},
		"VMStopped": {
			reason: "A VM that is stopped is started.", name: "vm", external: "100", fields: asked(nil),
			hand: func(w *World) { w.Edit(func(vms map[int]*VM) { vms[100].stop() }) },
			want: []string{ready, synced}, told: []string{"change VM 100", "start VM 100"},
		},
		"VMRenamed": {
			reason: "An edit by hand is taken back.", name: "vm", external: "100", fields: asked(nil),
			hand: func(w *World) { w.Edit(func(vms map[int]*VM) { vms[100].Config["name"] = "b" }) },
			want: []string{ready, synced}, told: []string{"change VM 100"},
		},
		"VMMoved": {
			reason: "A VM that was moved would have to be replaced.", name: "vm", external: "100", fields: asked(nil),
			hand: func(w *World) { w.Edit(func(vms map[int]*VM) { vms[100].Node = "pve2" }) },
			want: []string{ready, immutable("proxmox_virtual_environment_vm.vm")},
		},
		"VMNumber": {
			reason: "A number is for ever.", name: "vm", external: "100", fields: asked(nil), edit: func(f values) { f["vmId"] = int64(101) },
			want: []string{ready, immutable("proxmox_virtual_environment_vm.vm")},
		},
		"FileDeleted": {
			reason: "A file that is gone is written again.", name: "file", fields: snippet("a"),
			hand: func(w *World) { delete(w.volumes, "pve local:snippets/a.yaml") },
			want: []string{ready, synced}, told: []string{"write local:snippets/a.yaml on pve"},
		},
		"FileEdited": {
			reason: "What is in a file is not looked at.", name: "file", fields: snippet("a"),
			hand: func(w *World) { w.AddVolume(Volume{Node: "pve", ID: "local:snippets/a.yaml", Content: "b"}) },
			want: []string{ready, synced},
		},
		"FileData": {
			reason: "A file's data are for ever.", name: "file", fields: snippet("a"),
			edit: func(f values) { block(f["sourceRaw"])["data"] = "b" },
			want: []string{ready, immutable("proxmox_virtual_environment_file.file")},
		},
		"ImageURL": {
			reason: "An image's URL is for ever.", name: "image", fields: image("https://a.invalid/a"),
			edit: func(f values) { f["url"] = "https://a.invalid/b" },
			want: []string{ready, immutable("proxmox_virtual_environment_download_file.image")},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWorld("pve", "pve2")
			b := newBench(t, w)
			mr := b.create(tc.name, tc.external, tc.fields)
			b.settle(mr)
			b.shows(mr, "It is made.", ready, synced)
			b.kept = len(w.Journal())

			if tc.hand != nil {
				tc.hand(w)
			}

			if tc.edit != nil {
				b.edit(mr, func() { tc.edit(mr.forProvider()) })
			}

			b.settle(mr)
			b.shows(mr, tc.reason, tc.want...)
			b.told(tc.reason, tc.told...)
		})
	}

	t.Run("Follows", func(t *testing.T) {
		w := NewWorld("pve", "pve2")
		b := newBench(t, w)
		vm := b.create("vm", "100", asked(nil))
		b.settle(vm)
		w.Edit(func(vms map[int]*VM) { vms[100].Node = "pve2" })
		b.settle(vm)
		b.read(vm)

		if node := vm.(*clusterScoped[vmKind]).Status.AtProvider["nodeName"]; node != "pve2" {
			t.Errorf("the status names node %v, want that of the VM", node)
		}
	})
}

func TestSharedImage(t *testing.T) {
	w := NewWorld("pve")
	w.AddVolume(Volume{Node: "pve", ID: "local:import/a.qcow2"})

	b := newBench(t, w)
	named, unnamed := b.create("named", "local:import/a.qcow2", image("https://a.invalid/a")), b.create("unnamed", "", image("https://a.invalid/a"))

	b.settle(named)
	b.shows(named, "An image that is there is found by its name.", ready, synced)
	b.settle(unnamed)
	b.shows(unnamed, "And refused without.", "Ready=False Creating", "Synced=False ReconcileError: File already exists in the datastore")
	b.told("Nothing is downloaded.")
}

// TestFaults has every fault hit what it says it hits, with the words that it has.
func TestFaults(t *testing.T) {
	for name, f := range Faults {
		for _, op := range f.During {
			for _, k := range []string{"EnvironmentVM", "EnvironmentFile", "EnvironmentDownloadFile"} {
				w := NewWorld("pve")
				mend := w.Break(name, func(_, name string) bool { return name == "a" })

				hits := len(f.Kinds) == 0
				for _, kind := range f.Kinds {
					hits = hits || kind == k
				}

				if _, err := w.fault(op, k, "a"); (err != nil) != hits || err != nil && err.Error() != f.Message {
					t.Errorf("%s during %s of %s: got %v", name, op, k, err)
				}

				if _, err := w.fault(op, k, "b"); err != nil {
					t.Errorf("%s hits another resource: %v", name, err)
				}

				mend()

				if _, err := w.fault(op, k, "a"); err != nil {
					t.Errorf("%s hits after it was mended: %v", name, err)
				}
			}
		}
	}
}
