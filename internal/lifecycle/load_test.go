package lifecycle

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// placedAt is metadata of a composite's managed resource, created in a minute.
func placedAt(composite, resource, minute string, labels map[string]string) proxmox.ObservedMetadata {
	m := proxmox.ObservedMetadata{Name: composite + "-" + resource, CreationTimestamp: "2026-01-01T00:" + minute + ":00Z"}
	m.Labels = map[string]string{proxmox.CompositeLabel: composite}
	m.Annotations = map[string]string{proxmox.ResourceNameAnnotation: resource}

	maps.Copy(m.Labels, labels)

	return m
}

// sizedVM is a VM of a composite on a node of the site home.
func sizedVM(m proxmox.ObservedMetadata, node string, memoryMiB int64, policies ...string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{Metadata: m}
	vm.Spec.ProviderConfigRef.Name = "home"
	vm.Spec.ManagementPolicies = policies
	vm.Spec.ForProvider.NodeName = node
	vm.Spec.ForProvider.Memory = []proxmox.Memory{{Dedicated: memoryMiB}}

	return vm
}

// growing is metadata of what has announced to grow.
func growing(m proxmox.ObservedMetadata, to string) proxmox.ObservedMetadata {
	m.Annotations[proxmox.GrowsAnnotation] = to

	return m
}

// sizedContainer is a container of a composite on a node of the site home. Without a size it has none of its own.
func sizedContainer(m proxmox.ObservedMetadata, node string, memoryMiB int64, edits ...func(c *proxmox.ObservedContainer)) proxmox.ObservedContainer {
	c := proxmox.ObservedContainer{Metadata: m}
	c.Spec.ProviderConfigRef.Name = "home"
	c.Spec.ManagementPolicies = proxmox.Policies(proxmox.DeletionDestroys)
	c.Spec.ForProvider.NodeName = node

	if memoryMiB > 0 {
		c.Spec.ForProvider.Memory = []proxmox.ContainerMemory{{Dedicated: memoryMiB}}
	}

	for _, e := range edits {
		e(&c)
	}

	return c
}

// awaitingFile is a snippet that a VM of a composite waits for.
func awaitingFile(m proxmox.ObservedMetadata, node, reservation string) proxmox.ObservedFile {
	m.Labels[proxmox.AwaitsVMLabel] = "true"
	m.Annotations[proxmox.ReservesAnnotation] = reservation
	f := proxmox.ObservedFile{Metadata: m}
	f.Spec.ProviderConfigRef.Name = "home"
	f.Spec.ForProvider.NodeName = node

	return f
}

func awaitingImage(m proxmox.ObservedMetadata, node, reservation string) proxmox.ObservedDownloadFile {
	f := awaitingFile(m, node, reservation)
	i := proxmox.ObservedDownloadFile{Metadata: f.Metadata}
	i.Spec.ProviderConfigRef, i.Spec.ForProvider.NodeName = f.Spec.ProviderConfigRef, node

	return i
}

func TestLoad(t *testing.T) {
	var (
		follow  = []string{"Observe", "Create", "Update", "Delete"}
		observe = proxmox.ObserveOnly()
		edge    = map[string]string{proxmox.RoleLabel: "edge"}
		moved   = sizedVM(placedAt("a", "vm", "01", nil), "pve1", 1000, follow...)
		foreign = sizedVM(placedAt("a", "vm", "01", nil), "pve1", 1000, follow...)
		seen    = sizedVM(placedAt("a", "vm", "01", nil), "pve1", 1000, observe...)
	)

	stopped := sizedVM(placedAt("own", "vm", "01", nil), "pve1", 700, follow...)
	stopped.Metadata.Annotations[proxmox.StoppedForAnnotation] = StoppedForReplacement
	moved.Status.AtProvider.NodeName = "pve2"
	foreign.Spec.ProviderConfigRef.Name = "garage"
	seen.Status.AtProvider.NodeName = "pve3"

	mine := func(vms map[string]proxmox.ObservedVM, files ...proxmox.ObservedFile) proxmox.State {
		out := proxmox.State{VMs: vms, Files: map[string]proxmox.ObservedFile{}}
		for _, f := range files {
			out.Files[f.Metadata.Name] = f
		}

		return out
	}

	cases := map[string]struct {
		reason string
		all    Neighbours
		roles  Roles
		own    proxmox.State
		beside bool
		want   resolve.Load
	}{
		"None": {reason: "An empty site has all its memory.", roles: Roles{Active: "vm"}},
		"VMs": {
			reason: "All VMs count, whoever composed them.", roles: Roles{Active: "vm"},
			all: Neighbours{VMs: []proxmox.ObservedVM{
				sizedVM(placedAt("a", "vm", "01", edge), "pve1", 1000, follow...), sizedVM(placedAt("b", "vm", "02", nil), "pve1", 2000, proxmox.CreatePolicies()...),
				sizedVM(proxmox.ObservedMetadata{Name: "by-hand"}, "pve2", 500, follow...),
			}},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 3000, "pve2": 500}, Siblings: map[string]int{"pve1": 1}},
		},
		"Containers": {
			reason: "Containers need memory, too, where they are. They are no siblings of machines.", roles: Roles{Active: "vm"},
			all: Neighbours{Containers: []proxmox.ObservedContainer{
				sizedContainer(placedAt("a", "container", "01", edge), "pve1", 1000), sizedContainer(placedAt("b", "container", "01", nil), "pve2", 0),
				sizedContainer(placedAt("c", "container", "01", nil), "pve1", 300, func(c *proxmox.ObservedContainer) { c.Status.AtProvider.NodeName = "pve3" }),
				sizedContainer(placedAt("d", "container", "01", nil), "pve1", 0, onlyAsks),
				sizedContainer(placedAt("e", "container", "01", nil), "pve1", 500, func(c *proxmox.ObservedContainer) { c.Spec.ProviderConfigRef.Name = "garage" }),
			}},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 1000, "pve2": 512, "pve3": 300}},
		},
		"Grows": {
			reason: "What a VM or a container has announced to grow to is not free for a new machine; what it has announced to shrink to is not free yet.", roles: Roles{Active: "vm"},
			all: Neighbours{
				VMs: []proxmox.ObservedVM{
					sizedVM(growing(placedAt("a", "vm", "01", nil), "vm 4000 4 30"), "pve1", 1000, follow...), sizedVM(growing(placedAt("b", "vm", "01", nil), "vm 500 8 30"), "pve2", 2000, follow...),
					sizedVM(growing(placedAt("c", "vm", "01", nil), "much"), "pve2", 300, follow...),
				},
				Containers: []proxmox.ObservedContainer{sizedContainer(growing(placedAt("d", "container", "01", nil), "container 700 1 8"), "pve3", 600)},
			},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 4000, "pve2": 2300, "pve3": 700}},
		},
		"Moved": {
			reason: "A VM is where it is.", all: Neighbours{VMs: []proxmox.ObservedVM{moved}}, roles: Roles{Active: "vm"},
			want: resolve.Load{UsedMiB: map[string]int64{"pve2": 1000}},
		},
		"AnotherSite": {reason: "Other sites have nodes of the same names.", all: Neighbours{VMs: []proxmox.ObservedVM{foreign}}, roles: Roles{Active: "vm"}},
		"Checked": {
			reason: "Of a VM whose VMID is checked, what it will need counts, and not what was seen.", all: Neighbours{VMs: []proxmox.ObservedVM{seen}}, roles: Roles{Active: "vm"},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 1000}},
		},
		"Awaiting": {
			reason: "So does what waits for a snippet or an image, once for each VM.", roles: Roles{Active: "vm"},
			all: Neighbours{
				Files: []proxmox.ObservedFile{
					awaitingFile(placedAt("a", "user-data", "01", edge), "pve1", "vm 1000"), awaitingFile(placedAt("a", "meta-data", "01", edge), "pve1", "vm 1000"),
				},
				Images: []proxmox.ObservedDownloadFile{
					awaitingImage(placedAt("a", "image", "01", edge), "pve1", "vm 1000"), awaitingImage(placedAt("b", "image", "02", nil), "pve2", "vm 2000"),
				},
			},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 1000, "pve2": 2000}, Siblings: map[string]int{"pve1": 1}},
		},
		"AwaitingAndCreated": {
			reason: "A VM that was created counts once, its replacement as well.", roles: Roles{Active: "vm"},
			all: Neighbours{
				VMs: []proxmox.ObservedVM{sizedVM(placedAt("a", "vm", "02", nil), "pve1", 1000, proxmox.CreatePolicies()...)},
				Files: []proxmox.ObservedFile{
					awaitingFile(placedAt("a", "user-data", "01", nil), "pve1", "vm 1000"), awaitingFile(placedAt("a", "user-data-2", "01", nil), "pve2", "vm-2 4000"),
				},
			},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 1000, "pve2": 4000}},
		},
		"Unreadable": {
			reason: "What nobody can read needs nothing.", roles: Roles{Active: "vm"},
			all: Neighbours{Files: []proxmox.ObservedFile{awaitingFile(placedAt("a", "user-data", "01", nil), "pve1", "much")}},
		},
		"Later": {
			reason: "Who chose later moves on.", roles: Roles{Active: "vm"},
			own: mine(nil, awaitingFile(placedAt("own", "user-data", "02", nil), "pve1", "vm 700")),
			all: Neighbours{
				VMs: []proxmox.ObservedVM{sizedVM(placedAt("c", "vm", "03", nil), "pve1", 1, observe...), sizedVM(placedAt("d", "vm", "01", nil), "pve1", 2, observe...)},
				Files: []proxmox.ObservedFile{
					awaitingFile(placedAt("own", "user-data", "02", nil), "pve1", "vm 700"), awaitingFile(placedAt("a", "user-data", "02", nil), "pve1", "vm 10"),
					awaitingFile(placedAt("z", "user-data", "02", nil), "pve1", "vm 20"), awaitingFile(placedAt("c", "user-data", "01", nil), "pve1", "vm 1"),
				},
			},
			want: resolve.Load{UsedMiB: map[string]int64{"pve1": 2 + 10 + 1}, Chosen: "pve1"},
		},
		"OwnBefore": {
			reason: "What the machine itself waited for before does not count.", roles: Roles{Active: "vm", Candidate: "vm-2"},
			own: mine(nil, awaitingFile(placedAt("own", "user-data", "02", nil), "pve1", "vm-2 700")),
			all: Neighbours{Files: []proxmox.ObservedFile{
				awaitingFile(placedAt("own", "user-data-0", "01", nil), "pve1", "vm-1 900"), awaitingFile(placedAt("own", "user-data", "02", nil), "pve1", "vm-2 700"),
			}},
			want: resolve.Load{Chosen: "pve1"},
		},
		"ChosenByVM": {
			reason: "The managed resource of the VM says more than snippets.", roles: Roles{Active: "vm"},
			own: mine(map[string]proxmox.ObservedVM{"vm": sizedVM(placedAt("own", "vm", "02", nil), "pve2", 700, observe...)},
				awaitingFile(placedAt("own", "user-data", "01", nil), "pve1", "vm 700")),
			want: resolve.Load{Chosen: "pve2"},
		},
		"Replaced": {
			reason: "A VM that is stopped for its replacement makes room.", roles: Roles{Active: "vm", Candidate: "vm-2"},
			own:  mine(map[string]proxmox.ObservedVM{"vm": sizedVM(placedAt("own", "vm", "01", nil), "pve2", 700, follow...)}, awaitingFile(placedAt("own", "user-data", "01", nil), "pve1", "vm 700")),
			all:  Neighbours{VMs: []proxmox.ObservedVM{sizedVM(placedAt("own", "vm", "01", nil), "pve2", 700, follow...)}},
			want: resolve.Load{Replaces: "pve2"},
		},
		"Committed": {
			reason: "A VM that was stopped for its replacement has to be replaced.", roles: Roles{Active: "vm", Candidate: "vm-2"},
			own:  mine(map[string]proxmox.ObservedVM{"vm": stopped}),
			want: resolve.Load{Replaces: "pve1", Committed: true},
		},
		"Begun": {
			reason: "So has one whose replacement the provider was asked to create.", roles: Roles{Active: "vm", Candidate: "vm-2", Begun: true},
			own:  mine(map[string]proxmox.ObservedVM{"vm": sizedVM(placedAt("own", "vm", "01", nil), "pve2", 700, follow...)}),
			want: resolve.Load{Replaces: "pve2", Committed: true},
		},
		"ReplacedBeside": {
			reason: "One that runs on does not.", roles: Roles{Active: "vm", Candidate: "vm-2"}, beside: true,
			own:  mine(map[string]proxmox.ObservedVM{"vm": sizedVM(placedAt("own", "vm", "01", nil), "pve2", 700, follow...), "vm-2": sizedVM(placedAt("own", "vm-2", "01", nil), "pve1", 700, observe...)}),
			all:  Neighbours{VMs: []proxmox.ObservedVM{sizedVM(placedAt("own", "vm", "01", nil), "pve2", 700, follow...)}},
			want: resolve.Load{UsedMiB: map[string]int64{"pve2": 700}, Replaces: "pve2", Chosen: "pve1"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			owner := Owner{Composite: "own", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}}
			got := owner.Load(tc.all, Newcomer{Roles: tc.roles, Observed: tc.own, Siblings: [2]string{proxmox.RoleLabel, "edge"}, Beside: tc.beside})

			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s\nLoad: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestLoadOfACluster: Crossplane labels the resources of all nodes of a K3sCluster with the cluster's composite.
func TestLoadOfACluster(t *testing.T) {
	node := func(resource, machine string) proxmox.ObservedMetadata {
		return placedAt("cluster", resource, "01", map[string]string{proxmox.MachineLabel: machine})
	}

	all := Neighbours{
		VMs: []proxmox.ObservedVM{sizedVM(node("vm", "server-0"), "pve1", 1, "Observe", "Create")},
		Files: []proxmox.ObservedFile{
			awaitingFile(node("user-data", "server-0"), "pve1", "vm 1"), awaitingFile(node("user-data", "server-1"), "pve2", "vm 2"),
			awaitingFile(node("user-data", "server-2"), "pve3", "vm 4"), awaitingFile(node("user-data", "server-3"), "pve3", "vm 8"),
		},
	}

	owner := Owner{Composite: "cluster-server-2", Root: "cluster", Machine: "server-2", ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}}
	own := proxmox.State{Files: map[string]proxmox.ObservedFile{"user-data": all.Files[2]}}

	want := resolve.Load{UsedMiB: map[string]int64{"pve1": 1, "pve2": 2}, Chosen: "pve3"}
	if diff := cmp.Diff(want, owner.Load(all, Newcomer{Roles: Roles{Active: "vm"}, Observed: own}), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("Of nodes of one second, the first by name has its place\nLoad: -want, +got:\n%s", diff)
	}
}
