package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

func TestUsed(t *testing.T) {
	in := func(namespace, composite, resource, since string) proxmox.ObservedMetadata {
		return placedAt(composite, resource, since, map[string]string{proxmox.NamespaceLabel: namespace, proxmox.AwaitsVMLabel: "true"})
	}

	sized := func(m proxmox.ObservedMetadata, policies ...string) proxmox.ObservedVM {
		vm := sizedVM(m, "pve1", 1024, policies...)
		vm.Spec.ForProvider.CPU = []proxmox.CPU{{Cores: 2, Sockets: 1}}
		vm.Spec.ForProvider.Disk = []proxmox.Disk{{Size: 30}, {Size: 10}}

		return vm
	}

	ct := proxmox.ObservedContainer{Metadata: in("team-b", "ct", "container", "01")}
	ct.Spec.ForProvider = proxmox.ContainerParameters{
		CPU: []proxmox.ContainerCPU{{Cores: 1}}, Disk: []proxmox.RootFS{{Size: 8}}, MountPoint: []proxmox.MountPoint{{Size: "4G"}},
	}

	follow, observe := []string{"Observe", "Create", "Update"}, []string{"Observe"}

	cases := map[string]struct {
		reason string
		own    proxmox.State
		all    Neighbours
		want   tenancy.Amount
	}{
		"Nothing": {reason: "Nobody is there."},
		"VMs": {
			reason: "VMs and containers count, at whichever site; a machine with two VMs is one machine. Its own do not, and neither do others' namespaces.",
			all: Neighbours{VMs: []proxmox.ObservedVM{
				sized(in("team-b", "a", "vm", "01"), follow...), sized(in("team-b", "a", "vm-2", "01"), follow...), sized(in("infra", "z", "vm", "01"), follow...),
				sized(in("team-b", "own", "vm", "01"), follow...),
			}, Containers: []proxmox.ObservedContainer{ct}},
			want: tenancy.Amount{Machines: 2, Cores: 5, MemoryMiB: 2560, DiskGiB: 92},
		},
		"Before": {
			reason: "One that waits counts for those that came later.", own: proxmox.State{Files: map[string]proxmox.ObservedFile{
				"user-data": awaitingFile(in("team-b", "own", "user-data", "05"), "pve1", "vm 512 1 10"),
			}},
			all: Neighbours{Files: []proxmox.ObservedFile{
				awaitingFile(in("team-b", "a", "user-data", "04"), "pve1", "vm 512 1 10"), awaitingFile(in("team-b", "b", "user-data", "06"), "pve1", "vm 512 1 10"),
			}},
			want: tenancy.Amount{Machines: 1, Cores: 1, MemoryMiB: 512, DiskGiB: 10},
		},
		"Once": {
			reason: "A VM whose number is checked, and its snippets, are one.", own: proxmox.State{Files: map[string]proxmox.ObservedFile{
				"user-data": awaitingFile(in("team-b", "own", "user-data", "05"), "pve1", "vm 512 1 10"),
			}},
			all: Neighbours{
				VMs:   []proxmox.ObservedVM{sized(in("team-b", "a", "vm", "04"), observe...)},
				Files: []proxmox.ObservedFile{awaitingFile(in("team-b", "a", "user-data", "04"), "pve1", "vm 1024 2 40")},
			},
			want: tenancy.Amount{Machines: 1, Cores: 2, MemoryMiB: 1024, DiskGiB: 40},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Owner{Composite: "own"}.Used(tc.all, Newcomer{Roles: Roles{Active: "vm"}, Observed: tc.own}, func(namespace string) bool { return namespace == "team-b" })

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nUsed(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestKeeps: what counts against a quota of a VM or a container that a claim did not make: the more of what it has and what is asked for, and every disk once.
func TestKeeps(t *testing.T) {
	wants := tenancy.Amount{Machines: 1, Cores: 4, MemoryMiB: 512, DiskGiB: 25}
	want := tenancy.Amount{Machines: 1, Cores: 4, MemoryMiB: 1024, DiskGiB: 45}

	vm := sizedVM(placedAt("own", "vm", "01", nil), "pve1", 1024)
	vm.Spec.ForProvider.CPU = []proxmox.CPU{{Cores: 2, Sockets: 1}}
	vm.Spec.ForProvider.Disk = []proxmox.Disk{{Size: 30}, {Size: 10}}

	ct := proxmox.ContainerParameters{
		CPU: []proxmox.ContainerCPU{{Cores: 2}}, Memory: []proxmox.ContainerMemory{{Dedicated: 1024}}, Disk: []proxmox.RootFS{{Size: 30}}, MountPoint: []proxmox.MountPoint{{Size: "10G"}},
	}

	has := tenancy.Amount{Machines: 1, Cores: 2, MemoryMiB: 1024, DiskGiB: 40}
	observed := proxmox.State{VMs: map[string]proxmox.ObservedVM{"vm": vm}}
	checked := vm
	checked.Spec.ManagementPolicies = proxmox.ObserveOnly()
	observed.VMs["checked"] = checked

	var made proxmox.ObservedContainer
	made.Spec.ForProvider = ct

	is := func(name string) tenancy.Amount { return Has(Request{Observed: observed, Roles: Roles{Active: name}}) }

	cases := map[string]struct {
		reason    string
		want, got tenancy.Amount
	}{
		"VM":        {"Its boot disk of 30 is more than that of 10, and the claim's other disk of 15 more than that of 10.", want, Keeps(vm.Spec.ForProvider, wants, 10)},
		"Container": {"So it is of a container.", want, ContainerKeeps(ct, wants, 10)},
		"Bare":      {"A VM without disks has what is asked for, and the memory of Proxmox.", wants, Keeps(proxmox.VMParameters{}, wants, 10)},
		"BareRoot":  {"So has a container.", wants, ContainerKeeps(proxmox.ContainerParameters{}, wants, 10)},
		"Has":       {"It is there.", has, is("vm")},
		"Checked":   {"It is somebody else's.", tenancy.Amount{}, is("checked")},
		"None":      {"There is none.", tenancy.Amount{}, is("vm-2")},
		"Written":   {"It need not be there.", has, Written(checked)},
		"Rooted":    {"So it is of a container.", has, HasContainer(made)},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
