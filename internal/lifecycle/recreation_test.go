package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRecreated holds what is noted of a VM that was gone from Proxmox, what still waits for its power cycle, and that a K3s server
// has to join again.
func TestRecreated(t *testing.T) {
	const first, second = "2026-01-01T00:00:01Z", "2026-01-02T00:00:00Z"

	note := func(annotation, value string) func(vm *proxmox.ObservedVM) {
		return func(vm *proxmox.ObservedVM) { vm.Metadata.Annotations[annotation] = value }
	}
	created, recreated := note(proxmox.CreatedAnnotation, first), note(proxmox.RecreatedAnnotation, second)
	began := func(mark string) func(vm *proxmox.ObservedVM) { return note(proxmox.CreatePendingAnnotation, mark) }
	pending := note(proxmox.RebootPendingAnnotation, `{"spec.size.cores":"2"}`)
	inCreation := reports("Ready", "False", "Creating")
	named := func(vm *proxmox.ObservedVM) {
		vm.Spec.ForProvider.Name, vm.Status.AtProvider.Name = "web01", "web01"
		vm.Spec.ForProvider.Disk = []proxmox.Disk{{Interface: "scsi0", DatastoreID: "local-zfs"}}
		vm.Status.AtProvider.Disk = []proxmox.ObservedDisk{{Interface: "scsi0", DatastoreID: "local-zfs"}}
	}
	stillWaits := map[string]string{"spec.size.cores": "2"}

	type want struct {
		Origin  Origin
		Pending map[string]string
		Join    Join
	}

	cases := map[string]struct {
		reason string
		server bool
		joined string
		vm     proxmox.ObservedVM
		want   want
	}{
		"Same": {
			reason: "The VM is the one that it was, and its changes wait.", vm: settledVM(created, began(first), pending),
			want: want{Origin: Origin{Created: first}, Pending: stillWaits},
		},
		"EarlierRelease": {reason: "An upgrade notes nothing of a VM of which there is nothing to note.", vm: settledVM(began(first))},
		"EarlierReleaseWaits": {
			reason: "What waits is noted together with the VM that it waits for.", vm: settledVM(began(first), pending),
			want: want{Origin: Origin{Created: first}, Pending: stillWaits},
		},
		"Adopted": {
			reason: "Nobody needs a note of a VM that the provider never created.",
			vm:     settledVM(note(proxmox.AdoptedAnnotation, "true"), pending), want: want{Pending: stillWaits},
		},
		"JustCreated": {
			reason: "The creation is noted when the VM is known to be ours.", vm: settledVM(note(proxmox.CreatingAnnotation, "none"), began(first), named),
			want: want{Origin: Origin{Created: first}},
		},
		"Again": {
			reason: "What waited for the VM before waits no more.", vm: settledVM(created, began(second), pending),
			want: want{Origin: Origin{Created: second, Recreated: second}},
		},
		"AgainBegins": {
			reason: "The note does not change with the provider's attempts.", vm: settledVM(created, began(second), pending, inCreation),
			want: want{Origin: Origin{Created: proxmox.Recreating}},
		},
		"AgainGoes": {
			reason: "An edit made meanwhile waits for the new VM.",
			vm:     settledVM(note(proxmox.CreatedAnnotation, proxmox.Recreating), began(second), pending, inCreation),
			want:   want{Origin: Origin{Created: proxmox.Recreating}, Pending: stillWaits},
		},
		"AgainNoted": {
			reason: "The note stays until somebody removes it.", vm: settledVM(note(proxmox.CreatedAnnotation, second), recreated, began(second)),
			want: want{Origin: Origin{Created: second, Recreated: second}},
		},
		"AgainRead": {
			reason: "Somebody has removed the note.", vm: settledVM(note(proxmox.CreatedAnnotation, second), began(second)),
			want: want{Origin: Origin{Created: second}},
		},
		"Server": {
			reason: "The disks of a server are empty, so it is no member of its cluster any more.", server: true, vm: settledVM(created, began(second)),
			want: want{Origin: Origin{Created: second, Recreated: second}, Join: Join{Awaited: "2026-01-02T00-00-00Z"}},
		},
		"ServerWaits": {
			reason: "It stays so.", server: true,
			vm:   settledVM(note(proxmox.CreatedAnnotation, second), began(second), note(proxmox.JoiningAnnotation, "2026-01-02T00-00-00Z")),
			want: want{Origin: Origin{Created: second}, Join: Join{Awaited: "2026-01-02T00-00-00Z"}},
		},
		"ServerJoined": {
			reason: "A person says that it has joined.", server: true, joined: "2026-01-02T00-00-00Z",
			vm:   settledVM(note(proxmox.CreatedAnnotation, second), began(second), note(proxmox.JoiningAnnotation, "2026-01-02T00-00-00Z")),
			want: want{Origin: Origin{Created: second}, Join: Join{Confirmed: "2026-01-02T00-00-00Z"}},
		},
		"ServerLives": {reason: "A server that was never gone has nothing to confirm.", server: true, vm: settledVM(created, began(first)), want: want{Origin: Origin{Created: first}}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{Lifecycle: v1alpha1.Lifecycle{Joined: tc.joined}}
			if tc.server {
				m.K3s = &machine.K3s{Role: v1alpha1.K3sServer}
			}

			adopted := tc.vm.Metadata.Annotations[proxmox.AdoptedAnnotation] != ""
			s := &Situation{Request: Request{Machine: m}, vm: tc.vm, Adopted: adopted}

			wanted := tc.vm.Spec.ForProvider
			wanted.CPU = []proxmox.CPU{{Cores: 6}}

			got := want{Join: join(s)}
			_, got.Pending = pendingChanges(s, change.Guarded{VM: wanted})
			got.Origin = origin(s, len(got.Pending) > 0)

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
