package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// guest is the name of the composed resource that is the VM or the container of a machine that has one.
func (m *machine) guest() string {
	m.t.Helper()

	for _, name := range slices.Sorted(maps.Keys(m.Observed)) {
		if o := m.Observed[name]; strings.HasPrefix(name, "vm") && o["kind"] == world.VMKind || strings.HasPrefix(name, "container") && o["kind"] == world.ContainerKind {
			return name
		}
	}

	m.t.Fatal("no VM, and no container")

	return ""
}

// metadata of a managed resource, "annotations" or "labels".
func metadata(o map[string]any, of string) map[string]any {
	return world.Object(world.Object(o["metadata"])[of])
}

// guests that run, each with a managed resource that somebody edits: VMs whose VMID Proxmox, the claim or the range chose, and one that replaced another; and
// containers.
var guests = map[string]func(t *testing.T) *machine{ //nolint:gochecknoglobals // A constant table.
	"Chosen": func(t *testing.T) *machine { m, _ := living(t, "nixos/dns01"); return m },
	"Fixed":  func(t *testing.T) *machine { m, _ := living(t, "nixos/dns01", "proxmox: {vmId: 100}"); return m },
	"Agent":  func(t *testing.T) *machine { m, _ := living(t, "k3s-cluster/agent-1"); return m },
	"Server": func(t *testing.T) *machine { return servers(t, 3)[0] },
	"Replaced": func(t *testing.T) *machine {
		m, _ := living(t, "nixos/dns01", dhcp)
		m.replace("a")
		m.Rest()

		return m
	},
	"Unmanaged":        func(t *testing.T) *machine { m, _ := living(t, "nixos/dns01", "power: Unmanaged"); return m },
	"ContainerOfRange": func(t *testing.T) *machine { return replaceable(t, twoIDs()) },
	"ContainerReplaced": func(t *testing.T) *machine {
		m := replaceable(t, twoIDs())
		m.replace("a")
		m.Rest()

		return m
	},
}

// TestAManagedResourceIsEditedByHand, as with `kubectl edit`, by a tool that takes annotations off, or by a backup that restores no status: what tells whose
// guest it is comes back, nothing is done in Proxmox, and no second guest is made.
func TestAManagedResourceIsEditedByHand(t *testing.T) {
	t.Parallel()

	without := func(of, name string) func(o map[string]any) {
		return func(o map[string]any) { delete(metadata(o, of), name) }
	}

	policies := func(all ...any) func(o map[string]any) {
		return func(o map[string]any) { world.Object(o["spec"])["managementPolicies"] = all }
	}

	edits := map[string]struct {
		reason string
		edit   func(o map[string]any)
	}{
		"NoExternalName":      {"The provider would make another guest.", without("annotations", world.ExternalName)},
		"AnotherExternalName": {"The same, under that VMID.", func(o map[string]any) { metadata(o, "annotations")[world.ExternalName] = "777" }},
		"NoNameNoStatus": {"The label names the VMID.", func(o map[string]any) {
			delete(metadata(o, "annotations"), world.ExternalName)
			delete(o, "status")
		}},
		"Observe":    {"A person who wants to be careful, as for a restore. It is no look for a VMID.", policies("Observe")},
		"Everything": {"LateInitialize is among them.", policies("*")},
		"Nothing":    {"The provider is to do nothing.", policies()},
		"NoPolicies": {"The CRD's default is all of them.", func(o map[string]any) { delete(world.Object(o["spec"]), "managementPolicies") }},
		"NoStatus":   {"As Velero restores it.", func(o map[string]any) { delete(o, "status") }},
		"NoLabels":   {"Others find it by them.", func(o map[string]any) { delete(world.Object(o["metadata"]), "labels") }},
		"AnotherNode": {"Nothing moves for it.", func(o map[string]any) {
			world.Object(world.Object(o["spec"])["forProvider"])["nodeName"] = "pve9"
		}},
		"Stopped": {"The claim says whether it runs.", func(o map[string]any) { world.Object(world.Object(o["spec"])["forProvider"])["started"] = false }},
	}

	for guest, born := range guests {
		for name, tc := range edits {
			t.Run(guest+"/"+name, func(t *testing.T) {
				t.Parallel()

				m := born(t)
				m.Proxmox.Done = nil
				before, vm := world.Compact(m.Observed[m.guest()]["spec"]), m.guest()

				if guest == "Unmanaged" && name == "Stopped" {
					t.Skip("A VM whose power nobody manages has no word of its claim that counts.")
				}

				tc.edit(m.Observed[vm])
				m.Rest()
				m.did()

				if diff := cmp.Diff(before, world.Compact(m.Observed[vm]["spec"])); diff != "" {
					t.Errorf("%s\nspec of %s: -before, +after:\n%s", tc.reason, vm, diff)
				}

				if got, want := world.Annotation(m.Observed[vm], world.ExternalName), fmt.Sprint(metadata(m.Observed[vm], "labels")[proxmox.VMIDLabel]); got != want {
					t.Errorf("%s\nexternal name %q, and label %q", tc.reason, got, want)
				}
			})
		}
	}
}

// TestAManagedResourceIsLost: somebody took its finalizer off and deleted it, or restored a backup of the cluster without it, and the status of the claim
// still names the VMID. What has that VMID is read before anything is made: where it was made for the claim, no second one is made beside it, and neither as long
// as it cannot be read.
func TestAManagedResourceIsLost(t *testing.T) {
	t.Parallel()

	for guest, born := range guests {
		t.Run(guest, func(t *testing.T) {
			t.Parallel()

			m := born(t)
			m.Proxmox.Done = nil
			id, snippets := m.Composite["status"].(map[string]any)["vmId"], maps.Clone(m.Proxmox.Snippets)
			delete(m.Observed, m.guest())

			last := m.Rest()
			m.says(last, map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"})
			m.did()

			if msg := world.Message(last, "VMIDInUse"); !strings.Contains(msg, fmt.Sprintf("name it in spec.adopt.vmId: %v", id)) {
				t.Errorf("it is told: %s", msg)
			}

			delete(world.Object(m.Spec()["proxmox"]), "vmId")
			m.Spec()["adopt"] = map[string]any{"vmId": id}
			m.Rest()
			m.says(m.approved(), map[string]string{"MachineReady": "Running"})
			m.Rest()

			for snippet := range snippets {
				if !m.Proxmox.Snippets[snippet] {
					t.Errorf("snippet %s is deleted, without which the VM does not start again", snippet)
				}
			}
		})
	}

	for guest, born := range guests {
		t.Run("Unread/"+guest, func(t *testing.T) {
			t.Parallel()

			m := born(t)
			m.Proxmox.Done, m.Proxmox.Dead = nil, []string{fmt.Sprint(world.ForProvider(m.Call(), m.guest())["nodeName"])}
			m.Observed = map[string]map[string]any{}

			m.Rest()
			m.did()

			m.Proxmox.Dead = nil
			m.says(m.Rest(), map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberMadeBefore"})
			m.did()
		})
	}

	for name, tc := range map[string]struct {
		foreign int // The VMID of somebody's VM, where the machine's own was destroyed.
		want    string
	}{
		"IsGone":     {foreign: 101, want: "make 100"},
		"IsAnothers": {foreign: 100, want: "make 101"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			m, _ := living(t, "nixos/dns01")
			m.Proxmox.DestroyByHand(100)
			m.Proxmox.ByHand(tc.foreign, map[string]any{"name": "foreign", "nodeName": "pve"})
			m.Observed = map[string]map[string]any{}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"})
			m.did(tc.want)
		})
	}
}

// TestTheManagementClusterIsRestored from a backup that was made before a VM was replaced, and made right as docs/outside.md says: the managed resource of the
// VM that Proxmox no longer has is taken away, and the claim adopts the VM that there is.
func TestTheManagementClusterIsRestored(t *testing.T) {
	t.Parallel()

	m, _ := living(t, "nixos/dns01", dhcp)
	backup, status := m.seen(), world.Object(world.Copy(m.Composite["status"]))

	m.replace("a")
	m.Rest()
	m.did("make 101", "destroy 100")

	m.Observed, m.Composite["status"] = backup, status
	delete(m.Observed, "vm")
	m.Spec()["adopt"] = map[string]any{"vmId": 101.0}

	m.says(m.Rest(), map[string]string{"MachineReady": "WaitingForApproval"})
	m.did()
	m.says(m.approved(), map[string]string{"MachineReady": "Running"})
	m.calm()
}

// TestASnippetIsDeleted, one managed resource alone: it is written again, since Proxmox starts no VM without a snippet that it reads.
func TestASnippetIsDeleted(t *testing.T) {
	t.Parallel()

	for _, guest := range []string{"Chosen", "Server", "Replaced"} {
		for _, kind := range []string{"user-data-", "meta-data-"} {
			t.Run(guest+"/"+kind, func(t *testing.T) {
				t.Parallel()

				m := guests[guest](t)
				m.Proxmox.Done = nil

				before := m.seen()
				maps.DeleteFunc(m.Observed, func(name string, _ map[string]any) bool { return strings.HasPrefix(name, kind) })

				if len(m.Observed) == len(before) {
					t.Fatalf("no %s: %v", kind, world.Keys(before))
				}

				m.Rest()
				m.did()

				for name, o := range before {
					if diff := cmp.Diff(o["spec"], m.Observed[name]["spec"]); diff != "" {
						t.Errorf("%s: -before, +after:\n%s", name, diff)
					}
				}
			})
		}
	}
}
