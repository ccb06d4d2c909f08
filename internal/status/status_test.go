package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestEcho: what status repeats of the spec is what the VM has or gets, so that comparing the two shows an update that
// did not happen.
func TestEcho(t *testing.T) {
	k3s := func(t *testing.T, version string) Input {
		t.Helper()

		in := running(t)
		in.Machine.K3s = &machine.K3s{Version: "v1.33.6+k3s1"}
		in.Previous = after(Machine(in))
		in.Machine.K3s = &machine.K3s{Version: version}

		return in
	}

	cases := map[string]struct {
		reason string
		in     func(*testing.T) Input
		change func(*v1alpha1.Status) // From the status of dns01 when it runs.
	}{
		"Resize": {
			reason: "A class that is rendered is repeated at once.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Class, in.Machine.Cores, in.Machine.MemoryMiB, in.Machine.Boot.DiskGiB = "large", 8, 16384, 60
				in.bootDisk(60)

				return in
			},
			change: func(s *v1alpha1.Status) {
				s.Class, s.Size = "large", &v1alpha1.ResolvedSize{Cores: 8, MemoryMiB: 16384, DiskGiB: 60}
			},
		},
		"DiskThatWouldShrink": {
			reason: "A boot disk that is not shrunk keeps its size in status.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Boot.DiskGiB = 10
				in.bootDisk(30)
				in.Plan.Held = []change.Change{{Field: "spec.size.disk", Has: "30Gi", Wanted: "10Gi"}}

				return in
			},
			change: func(s *v1alpha1.Status) { s.Refused = []string{"spec.size.disk: 30 GiB to 10 GiB"} },
		},
		"ImageHeld": {
			reason: "An image that the VM was not made from is not repeated.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Boot.Image = "debian-13"
				in.Plan.Held = []change.Change{{Field: "spec.image", Has: "a", Wanted: "b"}}

				return in
			},
			change: func(s *v1alpha1.Status) { s.Refused = []string{"spec.image: a to b"} },
		},
		"HostnameIsDotted": {
			reason: "A host name with a dot is the full one.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Hostname = "dns01.example.org"

				return in
			},
			change: func(s *v1alpha1.Status) { s.Hostname = "dns01.example.org" },
		},
		"HostnameWithoutDomain": {
			reason: "Without a domain the host name is all there is.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Domain = ""

				return in
			},
			change: func(s *v1alpha1.Status) { s.Hostname = "dns01" },
		},
		"HostnameOfOtherBootstrap": {
			reason: "The guest keeps the name that it was made with, and so does status.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Hostname, in.Bootstrap.Hash = "dns02", "bbbbbbbbbb"

				return in
			},
			change: func(s *v1alpha1.Status) { s.Bootstrap.PendingHash = "bbbbbbbbbb" },
		},
		"K3sVersion": {
			reason: "The release that the VM was made with is repeated.",
			in:     func(t *testing.T) Input { t.Helper(); return k3s(t, "v1.33.6+k3s1") },
			change: func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" },
		},
		"K3sVersionOfOtherBootstrap": {
			reason: "A release that only a new VM would get is not repeated.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := k3s(t, "v1.34.1+k3s1")
				in.Bootstrap.Hash = "bbbbbbbbbb"

				return in
			},
			change: func(s *v1alpha1.Status) { s.K3sVersion, s.Bootstrap.PendingHash = "v1.33.6+k3s1", "bbbbbbbbbb" },
		},
		"K3sVersionForgotten": {
			reason: "Where nobody remembers the release that the VM was made with, none is told; the host name is the best there is.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := k3s(t, "v1.34.1+k3s1")
				in.Bootstrap.Hash, in.Previous = "bbbbbbbbbb", v1alpha1.Status{}

				return in
			},
			change: func(s *v1alpha1.Status) { s.Bootstrap.PendingHash = "bbbbbbbbbb" },
		},
		"NativeNow": {
			reason: "A claim that describes no user-data any more does not describe what the VM was made with.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Bootstrap.Hash = ""

				return in
			},
			change: func(*v1alpha1.Status) {},
		},
		"MovedInProxmox": {
			reason: "The node is where the VM is, not where it was made.",
			in: func(t *testing.T) Input {
				t.Helper()

				return edit(settled(t), func(vm *proxmox.ObservedVM) { vm.Status.AtProvider.NodeName = "pve2" })
			},
			change: func(s *v1alpha1.Status) { s.Node = "pve2" },
		},
		"NumberFromProxmox": {
			reason: "A number that Proxmox chose is told.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Plan.VMID.VMID = 0

				return edit(in, func(vm *proxmox.ObservedVM) { vm.Spec.ForProvider.VMID, vm.Status.AtProvider.VMID = nil, 0 })
			},
			change: func(*v1alpha1.Status) {},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Machine(tc.in(t)).Status
			if diff := cmp.Diff(made(tc.change), got); diff != "" {
				t.Errorf("%s\nMachine(...).Status: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestVMIDBeforeThereIsAVM: the number in status makes fields of the claim immutable, so it appears with the VM and not
// with the wish for it.
func TestVMIDBeforeThereIsAVM(t *testing.T) {
	in := running(t)
	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Status.AtProvider = proxmox.VMObservation{}
		vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "True"}}
	})

	if id := Machine(in).Status.VMID; id != nil {
		t.Errorf("a VM in the making has number %d already", *id)
	}
}

func TestWayOutOfAnOrphan(t *testing.T) {
	in := settled(t)
	in.Machine.DeletionPolicy = v1alpha1.DeletionOrphan
	in.Plan.Held = []change.Change{{Field: "spec.firmware", Has: "seabios on q35", Wanted: ""}}

	want := Condition{
		"ReplacementRequired", "True", "ImmutableFieldChanged", "The VM cannot make these changes and keeps its own values: spec.firmware (the VM has `seabios on q35`, the claim has none). " +
			"To undo a change, write the VM's value into the claim, or into the catalogue if that changed. To make it, set spec.lifecycle.replace to a new value: a new VM replaces this VM, which then " +
			"stays in Proxmox, stopped (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim under another name, move your data, and delete this claim.",
	}
	if diff := cmp.Diff(want, Machine(in).condition(TypeReplacementRequired)); diff != "" {
		t.Errorf("deleting the claim of an orphan destroys nothing: -want, +got:\n%s", diff)
	}
}

// TestWayOutOfNoNode: where the site has no such node, neither a move nor a new VM gets there. Of a node that there is, nothing else is said than before.
func TestWayOutOfNoNode(t *testing.T) {
	const no, corrected = "node 'pve9' does not exist in site 'home'; did you mean pve1?", "spec.proxmox.node: node 'pve9' does not exist in site 'home'; did you mean pve1? Correct the node: " +
		"nothing can be moved there, nor made there."

	place, disk := change.Change{Field: "spec.proxmox.node", Has: "pve", Wanted: "pve9"}, change.Change{Field: "spec.size.disk", Has: "30 GiB", Wanted: "10 GiB"}

	for name, tc := range map[string]struct {
		reason   string
		no       string
		held     []change.Change
		ends     string
		replaces bool
		moves    bool
	}{
		"Alone":  {"Nothing else is refused: the node is all that is to correct.", no, []change.Change{place}, corrected, false, false},
		"Beside": {"For the disk a new VM is a way, and for the node none.", no, []change.Change{place, disk}, corrected, true, false},
		"Other":  {"The VM is to go elsewhere in the meantime, as its move says.", no, []change.Change{disk}, "delete this claim.", true, false},
		"There":  {"A node of the site.", "", []change.Change{place}, "--online`.", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			in := settled(t)
			in.Machine.Placement.NoNode, in.Plan.Held = tc.no, tc.held

			got := Machine(in).condition(TypeReplacementRequired).Message
			if !strings.HasSuffix(got, tc.ends) || strings.Contains(got, "lifecycle.replace") != tc.replaces || strings.Contains(got, "migrate") != tc.moves {
				t.Errorf("%s\n%s", tc.reason, got)
			}
		})
	}
}

// TestWayOutOfARemovedDisk: the condition on the data disks says not to replace the VM, and this one must not ask for it.
func TestWayOutOfARemovedDisk(t *testing.T) {
	in := settled(t)
	in.Plan.Held = []change.Change{{Field: "spec.disks[repos].size", Has: "2Gi"}}

	want := Condition{
		"ReplacementRequired", "True", "ImmutableFieldChanged", "The VM cannot make these changes and keeps its own values: spec.disks[repos].size (the VM has `2Gi`, the claim has none). " +
			"Disk repos stays with its data: a disk is known by its name, so that one with another name in the claim is a new, empty disk beside it. To undo a change, list the disk in the claim " +
			"again, with its name. Do not replace the VM to be rid of a disk, because a new one has empty disks. Only if no data of the VM is needed any more, set spec.lifecycle.replace to a new " +
			"value: a new VM replaces this VM, which then is destroyed with all its disks, data disks included (change or remove a fixed spec.proxmox.vmId in the same commit). Or apply a new claim " +
			"under another name, move your data, and delete this claim.",
	}
	if diff := cmp.Diff(want, Machine(in).condition(TypeReplacementRequired)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestWayOutOfAnotherConnection: a site with another connection asks for no new VM.
func TestWayOutOfAnotherConnection(t *testing.T) {
	const at = "data.sites.lab.providerConfig"

	in := settled(t)
	in.Machine.Placement.Reconnected = at
	in.Plan.Held = []change.Change{{Field: at, Has: "provider configuration first", Wanted: "provider configuration second"}}

	got := Machine(in).condition(TypeReplacementRequired).Message
	if !strings.Contains(got, "data.sites.lab.providerConfig (the VM has `provider configuration first`, the site has `provider configuration second`). The site's providerConfig names") ||
		strings.Contains(got, "spec.lifecycle.replace") {
		t.Errorf("Nothing is to be replaced: %s", got)
	}

	in.Plan.Held = append(in.Plan.Held, change.Change{Field: "spec.firmware", Has: "seabios on q35", Wanted: ""})

	got = Machine(in).condition(TypeReplacementRequired).Message
	if !strings.Contains(got, "spec.lifecycle.replace") || !strings.Contains(got, "The site's providerConfig names") {
		t.Errorf("Another change needs a new VM: %s", got)
	}
}
