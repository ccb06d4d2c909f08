package diagnose

import (
	"slices"
	"strings"
	"testing"
)

// TestLacking: a refusal names the privilege, where Proxmox's list has it, and never the object.
func TestLacking(t *testing.T) {
	const before = "ReconcileError: create failed: apply failed: error creating VM: received an HTTP 403 response - Reason: "

	cases := map[string]struct {
		reason, refusal, want string
	}{
		"Bridge":    {"The commonest of all since Proxmox VE 8.", "Permission check failed (/sdn/zones/localnetwork/vmbr0, SDN.Use)", "lacks the privilege SDN.Use on a bridge or VNet that this machine needs (/sdn/zones/...) in Proxmox."},
		"Datastore": {"Its name may be foreign.", "Permission check failed (/storage/geheim, Datastore.AllocateSpace)", "lacks the privilege Datastore.AllocateSpace on a datastore that this machine needs (/storage/...) in Proxmox."},
		"Any":       {"Any of them is enough.", "Permission check failed (/storage/x, Datastore.Audit|Datastore.AllocateSpace)", "lacks the privilege Datastore.Audit or Datastore.AllocateSpace on a datastore"},
		"VM":        {"Every VM's path is of one kind.", "Permission check failed (/vms/4101, VM.Audit)", "lacks the privilege VM.Audit on VMs (/vms) in Proxmox."},
		"Root":      {"The root is a path, too.", "Permission check failed (/, Sys.Modify)", "lacks the privilege Sys.Modify on the whole of Proxmox (/) in Proxmox."},
		"Unknown":   {"A word that is no privilege of the table is not repeated.", "Permission check failed (/vms/4101, My.Secret)", "lacks a privilege in Proxmox."},
		"OneOfTwo":  {"Nor is one beside a known one.", "Permission check failed (/vms/4101, VM.Audit|My.Secret)", "lacks a privilege in Proxmox."},
		"NoPath":    {"Words without a path are not repeated.", "Permission check failed (changing feature flags)", "lacks a privilege in Proxmox."},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := match(before+tc.refusal+": ", "")
			if got.Name != rowPermission || !strings.Contains(got.Meaning, tc.want) {
				t.Errorf("%s\nmatch(...): row %s: want %q in %q", tc.reason, got.Name, tc.want, got.Meaning)
			}

			for _, word := range []string{"geheim", "4101", "My.Secret", "vmbr0"} {
				if strings.Contains(got.Meaning+got.Remedy, word) {
					t.Errorf("%s\nmatch(...): %q is in %q", tc.reason, word, got.Meaning+got.Remedy)
				}
			}
		})
	}
}

// TestBecause: an object that is half made says what broke, where a row knows it.
func TestBecause(t *testing.T) {
	const (
		start = `apply failed: VM start: task "UPID:pve:1:2:3:qmstart:153:root@pam:" failed to complete with exit code: `
		now   = "ReconcileError: observe failed: cannot run plan: plan failed: " + unplannable
	)

	cases := map[string]struct {
		reason, after string
		row           string
		cause         string // A row; empty: none is known.
	}{
		"Bridge":    {"The first start fails for want of a bridge.", start + "start failed: QEMU exited with code 1\ntask log:\n  bridge 'vmbr9' does not exist: ", rowTaintedStart, "start.bridge"},
		"Memory":    {"Or of memory.", start + "start failed: QEMU exited with code 1\ntask log:\n  kvm: cannot set up guest memory 'pc.ram': Cannot allocate memory: ", rowTaintedStart, "memory.full"},
		"Device":    {"Or of a device.", start + "no PCI device found for '0000:01:00.0': ", rowTaintedStart, "device.mapping"},
		"Opened":    {"Memory for a device is not memory in general.", start + "kvm: vfio_dma_map(0x1, 0x2) = -12 (Cannot allocate memory): ", rowTaintedStart, "device.memory"},
		"Snippet":   {"Or of a snippet.", start + "can't open '/var/lib/vz/snippets/x.yaml' - No such file or directory: ", rowTaintedStart, "start.snippet"},
		"Quorum":    {"Or of the cluster.", start + "cluster not ready - no quorum?: ", rowTaintedStart, "node.quorum"},
		"Unknown":   {"A cause that nobody knows is none.", start + "start failed: QEMU exited with code 1: ", rowTaintedStart, ""},
		"Datastore": {"Another operation has causes, too.", "apply failed: error updating VM: received an HTTP 500 response - Reason: zfs error: cannot create 'tank/vm-153-disk-1': out of space: ", rowTaintedOther, "storage.full"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			plain, _ := Named(tc.row)
			cause, _ := Named(tc.cause)

			got := match(now, tc.after)
			if got.Name != tc.row || got.Class != ClassTainted || got.Retryable || got.Pauses {
				t.Fatalf("%s\nmatch(...): want row %s, got %+v", tc.reason, tc.row, got)
			}

			meaning, remedy := strings.TrimSpace(cause.Meaning+" "+plain.Meaning), strings.TrimSpace(cause.Remedy+" "+then[tc.row])
			if tc.cause == "" {
				remedy = plain.Remedy
			}

			if got.Meaning != meaning || got.Remedy != remedy {
				t.Errorf("%s\nmatch(...): want\n%s\n%s\ngot\n%s\n%s", tc.reason, meaning, remedy, got.Meaning, got.Remedy)
			}
		})
	}
}

// TestCauses: every row about a node, a device, a start, an image or a datastore can say why an object is half made, also one of a table that is yet to come.
func TestCauses(t *testing.T) {
	areas := []string{"node", "device", "start", "image", "template", "storage", "memory"}

	for _, r := range Rows() {
		area, _, _ := strings.Cut(r.Name, ".")
		if slices.Contains(areas, area) && !slices.ContainsFunc(causes, func(c Row) bool { return c.Name == r.Name }) {
			t.Errorf("row %s is of no table in causes", r.Name)
		}
	}
}
