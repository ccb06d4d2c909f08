package resolve

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChooseByMemory: which node the function chooses, and why.
func TestChooseByMemory(t *testing.T) {
	const (
		three = `
defaults: {class: huge}
classes: {big: {cores: 8, memory: 8Gi, disk: 30Gi}, huge: {cores: 8, memory: 48Gi, disk: 30Gi}}
images: {template: {template: 9000, templateNode: a}}
sites:
  home:
    nodes:
      a: {memory: 34Gi, cores: 16, pci: [gpu]}
      b: {memory: 64Gi, reserve: 8Gi, cores: 16, pci: []}
      c: {memory: 34Gi, pci: []}
`
		partly = `
classes: {big: {cores: 8, memory: 8Gi, disk: 30Gi}}
sites: {home: {nodes: {a: {memory: 34Gi}, b: {}}}}
`
		plain = `
classes: {big: {cores: 8, memory: 8Gi, disk: 30Gi}}
sites: {home: {nodes: {a: {}, b: {}}}}
`
	)

	const gib = 1024

	cases := map[string]struct {
		reason    string
		catalogue string
		spec      string
		existing  Existing
		node, why string
	}{
		"Empty": {
			reason: "Without machines, the largest node has most left.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			node: "b", why: "b has most memory left: 48 GiB of 56 GiB are left with this machine.",
		},
		"Used": {
			reason: "What other machines need counts.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"b": 40 * gib, "a": 17*gib + 512}}},
			node:     "c", why: "c has most memory left: 24 GiB of 32 GiB are left with this machine.",
		},
		"Full": {
			reason: "A node without room is not chosen, whatever speaks for it.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{
				Load:   Load{UsedMiB: map[string]int64{"a": 25 * gib, "b": 50 * gib, "c": 24 * gib}, Chosen: "a"},
				Spread: Spread{Others: map[string][]string{"c": {"s1"}}},
			},
			node: "c", why: "c has room: 0 GiB of 32 GiB are left with this machine.",
		},
		"Cores": {
			reason: "Proxmox starts no VM with more cores than its node has.", catalogue: three, spec: `{class: big, size: {cores: 17}, proxmox: {site: home}}`,
			node: "c", why: "c has room: 24 GiB of 32 GiB are left with this machine.",
		},
		"Devices": {
			reason: "A device is where it is.", catalogue: three, spec: `{class: big, proxmox: {site: home}, devices: {pci: [{mapping: gpu}]}}`,
			node: "a", why: "a has everything the claim names: 24 GiB of 32 GiB are left with this machine.",
		},
		"Template": {
			reason: "A clone is made on its template's node.", catalogue: three, spec: `{class: big, image: template, proxmox: {site: home}}`,
			node: "a", why: "a has the image's template: 24 GiB of 32 GiB are left with this machine.",
		},
		"ServersApart": {
			reason: "Servers part before memory counts.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Spread: Spread{Others: map[string][]string{"b": {"s1"}, "c": {"s2"}}}},
			node:     "a", why: "a has the fewest servers of its K3s cluster: 24 GiB of 32 GiB are left with this machine.",
		},
		"StrangersApart": {
			reason: "Servers that only name the cluster decide between nodes that have as many of its own.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Spread: Spread{Others: map[string][]string{"b": {"s1"}}, Strangers: map[string][]string{"a": {"x", "y"}, "c": {"z"}}}},
			node:     "c", why: "c has the fewest servers of its K3s cluster, has the fewest servers of other namespaces that name its K3s cluster: 24 GiB of 32 GiB are left with this machine.",
		},
		"GroupApart": {
			reason: "So do the machines of a group.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"b": {"dns01"}}}, Load: Load{UsedMiB: map[string]int64{"a": gib}}},
			node:     "c", why: "c has the fewest machines of dns (proxmox.spread), has most memory left: 24 GiB of 32 GiB are left with this machine.",
		},
		"GroupSharesWhereItMust": {
			reason: "Where every node has one, the fewest count, and then memory.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"a": {"dns01"}, "b": {"dns02"}, "c": {"dns03"}}}},
			node:     "b", why: "b has most memory left: 48 GiB of 56 GiB are left with this machine.",
		},
		"GroupLater": {
			reason: "Who moves on goes where no later one is about to be created, whatever memory it has.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"a": {"dns01"}}, Later: map[string]int{"a": 1, "b": 1}, Chosen: "a"}},
			node:     "c", why: "c has the fewest machines of dns (proxmox.spread), has the fewest later machines of dns (proxmox.spread): 24 GiB of 32 GiB are left with this machine.",
		},
		"GroupStays": {
			reason: "Who was first does not make way for a later one.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Later: map[string]int{"a": 1}, Moving: Moving{Later: 1}, Chosen: "a"}},
			node:     "a", why: "a was chosen before: 24 GiB of 32 GiB are left with this machine.",
		},
		"GroupFirst": {
			reason: "Of two that move on at once, the first takes the first node.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"a": {"dns01"}}, Moving: Moving{Later: 1}, Chosen: "a"}},
			node:     "b", why: "b has the fewest machines of dns (proxmox.spread), is its turn among the machines of dns (proxmox.spread) that move on: 48 GiB of 56 GiB are left with this machine.",
		},
		"GroupSecond": {
			reason: "And the second the second one.", catalogue: three, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"a": {"dns01", "dns02"}}, Moving: Moving{Earlier: 1}, Chosen: "a"}},
			node:     "c", why: "c has the fewest machines of dns (proxmox.spread), is its turn among the machines of dns (proxmox.spread) that move on: 24 GiB of 32 GiB are left with this machine.",
		},
		"ServersTakeTurns": {
			reason: "So do servers.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Spread: Spread{Others: map[string][]string{"a": {"s1", "s2"}}, Moving: Moving{Earlier: 1}, Chosen: "a"}},
			node:     "c", why: "c has the fewest servers of its K3s cluster, is its turn among the servers of its K3s cluster that move on: 24 GiB of 32 GiB are left with this machine.",
		},
		"Siblings": {
			reason: "Where nodes have the same left, siblings part.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"b": 24 * gib}, Siblings: map[string]int{"a": 2, "b": 2, "c": 1}}},
			node:     "c", why: "c has the fewest machines of the same role: 24 GiB of 32 GiB are left with this machine.",
		},
		"Chosen": {
			reason: "A choice stays while the node has room.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"a": 20 * gib}, Chosen: "a"}},
			node:     "a", why: "a was chosen before: 4 GiB of 32 GiB are left with this machine.",
		},
		"Replaced": {
			reason: "A new VM stays on the node of the VM that it replaces.", catalogue: three, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"a": 20 * gib}, Replaces: "a"}},
			node:     "a", why: "a has the VM that is replaced: 4 GiB of 32 GiB are left with this machine.",
		},
		"Avoided": {
			reason: "A person knows why.", catalogue: three, spec: `{class: big, proxmox: {site: home, avoid: [b, c]}}`,
			node: "a", why: "a is not in proxmox.avoid: 24 GiB of 32 GiB are left with this machine.",
		},
		"Lost": {
			reason: "A node that does not come back is no place for a new VM, whatever speaks for it.", catalogue: three,
			spec:     `{class: big, proxmox: {site: home}, lifecycle: {lost: b}}`,
			existing: Existing{Load: Load{Replaces: "b", Chosen: "b", UsedMiB: map[string]int64{"a": 1}}},
			node:     "c", why: "c is not lost, has most memory left: 24 GiB of 32 GiB are left with this machine.",
		},
		"LostWithAVM": {
			reason: "A VM that exists is where it is.", catalogue: three, spec: `{class: big, proxmox: {site: home}, lifecycle: {lost: b}}`,
			existing: Existing{Node: "b"},
			node:     "b",
		},
		"AvoidedChosen": {
			reason: "Before there is a VM, an edit counts.", catalogue: three, spec: `{class: big, proxmox: {site: home, avoid: [b]}}`,
			existing: Existing{Load: Load{Chosen: "b", UsedMiB: map[string]int64{"a": 1}}},
			node:     "c", why: "c is not in proxmox.avoid, has most memory left: 24 GiB of 32 GiB are left with this machine.",
		},
		"UnknownLast": {
			reason: "A node without an inventory comes last.", catalogue: partly, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"a": 20 * gib}}},
			node:     "a", why: "a has an inventory in the catalogue: 4 GiB of 32 GiB are left with this machine.",
		},
		"UnknownAtAll": {
			reason: "It is chosen where the others are full.", catalogue: partly, spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: map[string]int64{"a": 25 * gib}}},
			node:     "b", why: "b has room.",
		},
		"AvoidedWithoutInventory": {
			reason: "Nobody needs an inventory to avoid a node.", catalogue: plain, spec: `{class: big, proxmox: {site: home, avoid: [a]}}`,
			node: "b", why: "b is not in proxmox.avoid.",
		},
		"SpreadWithoutInventory": {
			reason: "Nobody needs an inventory to keep machines apart.", catalogue: plain, spec: `{class: big, proxmox: {site: home, spread: dns}}`,
			existing: Existing{Group: Spread{Others: map[string][]string{"b": {"dns01"}}}},
			node:     "a", why: "a has the fewest machines of dns (proxmox.spread).",
		},
		"Adopted": {
			reason: "A VM that is adopted has a node, and needs no room.", catalogue: `
sites: {home: {nodes: {a: {memory: 3Gi, cores: 1}}}}`, spec: `{adopt: {vmId: 108}, size: {memory: 8Gi, cores: 4}, proxmox: {site: home, avoid: [a]}}`,
			existing: Existing{Adopting: true}, node: "a",
		},
		"Pinned": {
			reason: "Where the claim names a node, nothing was chosen.", catalogue: three, spec: `{class: big, proxmox: {site: home, node: c, avoid: [c], spread: dns}}`,
			node: "c",
		},
		"HasVM": {
			reason: "An existing VM is where it is.", catalogue: three, spec: `{class: big, proxmox: {site: home, avoid: [c], spread: dns}}`,
			existing: Existing{Node: "c", Load: Load{UsedMiB: map[string]int64{"c": 99 * gib}}}, node: "c",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := aMachine(t, kindMachine, tc.spec, tc.catalogue, tc.existing).Placement

			why := ""
			if p.Choice != nil {
				why = p.Choice.Reason
			}

			if diff := cmp.Diff([]string{tc.node, tc.why}, []string{p.Node, why}); diff != "" {
				t.Errorf("%s\nnode and reason: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChooseAmongEqual: the machine's name decides between nodes that are alike, always in the same way.
func TestChooseAmongEqual(t *testing.T) {
	const document = `sites: {home: {nodes: {a: {memory: 32Gi}, b: {memory: 32Gi}}}}`

	got := map[string]bool{}

	for i := range 30 {
		c := aClaim(t, kindMachine, `{proxmox: {site: home}}`)
		c.Identity.Name = fmt.Sprintf("m-%d", i)

		m, errs := Claim(c, aCatalog(t, document), Existing{})
		if len(errs) > 0 {
			t.Fatal(errs.ToAggregate())
		}

		got[m.Placement.Node] = true

		want := m.Placement.Node + " is as good as any of a, b; the machine's name decides between them: 26 GiB of 30 GiB are left with this machine."
		if m.Placement.Choice == nil || m.Placement.Choice.Reason != want {
			t.Fatalf("want %q, got %+v", want, m.Placement.Choice)
		}
	}

	if len(got) != 2 {
		t.Errorf("all machines went to %v", slices.Sorted(maps.Keys(got)))
	}
}

// TestNoRoom: what a claim is refused with for which there is no node, and what it is warned of.
func TestNoRoom(t *testing.T) {
	const (
		gib       = 1024
		catalogue = `
defaults: {class: huge}
classes: {big: {cores: 8, memory: 8Gi, disk: 30Gi}, huge: {cores: 8, memory: 48Gi, disk: 30Gi}}
images: {template: {template: 9000, templateNode: a}}
sites:
  home:
    nodes:
      a: {memory: 34Gi, cores: 4, pci: [gpu]}
      b: {memory: 64Gi, reserve: 8Gi, pci: []}
      c: {memory: 34Gi, reserve: 0, pci: []}
  small: {nodes: {d: {cores: 1, memory: 34Gi}}}
`
	)

	full := Existing{Load: Load{UsedMiB: map[string]int64{"a": 1, "b": 48*gib + 512, "c": 40 * gib}}}

	cases := map[string]struct {
		reason   string
		spec     string
		existing Existing
		fault    string
		warnings []string
		tenant   bool // Whether the claim is a tenant's.
	}{
		"NoNode": {
			reason: "The fault says by how much, and where.", spec: `{class: big, proxmox: {site: home}}`, existing: full,
			fault: "spec.proxmox.node: Forbidden: the machine needs 8 cores and 8 GiB of memory (class big, data.classes.big), and no node of site 'home' has room for it: a has 4 cores, " +
				"b has 7.5 GiB left of 56 GiB, c has 0 GiB left of 34 GiB",
		},
		"SomeAreOut": {
			reason: "Nodes that are out for another reason are named, too.", spec: `{class: big, size: {cores: 2, memory: 33Gi}, proxmox: {site: home, avoid: [b]}, devices: {pci: [{mapping: gpu}]}}`,
			fault: "spec.proxmox.node: Forbidden: the machine needs 33 GiB of memory, and no node of site 'home' has room for it: a has 32 GiB left of 32 GiB, " +
				"b is in proxmox.avoid, c lacks what the claim names",
		},
		"Template": {
			reason: "A clone needs room on its template's node.", spec: `{class: big, image: template, proxmox: {site: home}}`,
			fault: "spec.proxmox.node: Forbidden: the machine needs 8 cores and 8 GiB of memory (class big, data.classes.big), and no node of site 'home' has room for it: a has 4 cores, " +
				"b lacks what the claim names, c lacks what the claim names",
		},
		"AllAvoided": {
			reason: "Who avoids all nodes has none.", spec: `{class: big, proxmox: {site: home, avoid: [a, b, c]}}`,
			fault: "spec.proxmox.avoid: Forbidden: lists all nodes of site 'home' on which the machine could be: a, b, c; leave one of them out",
		},
		"Pinned": {
			reason: "A person decides.", spec: `{class: big, proxmox: {site: home, node: b}}`, existing: full,
			warnings: []string{"spec.proxmox.node: b has 7.5 GiB left of 56 GiB, and the machine needs 8 GiB of memory (class big, data.classes.big): the VM may not start there, or the node run out of memory."},
		},
		"PinnedByTenant": {
			reason: "Machines that have room each alone would fill a node together.", spec: `{class: big, proxmox: {site: home, node: b}}`, existing: full, tenant: true,
			fault: "spec.proxmox.node: Forbidden: b has 7.5 GiB left of 56 GiB, and the machine needs 8 GiB of memory (class big, data.classes.big): name another node, or leave proxmox.node out",
		},
		"PinnedReplacementOfTenant": {
			reason: "It takes nobody's room.", spec: `{class: big, proxmox: {site: home, node: b}}`, existing: Existing{Load: Load{UsedMiB: full.Load.UsedMiB, Replaces: "b"}}, tenant: true,
			warnings: []string{"spec.proxmox.node: b has 7.5 GiB left of 56 GiB, and the machine needs 8 GiB of memory (class big, data.classes.big): the VM may not start there, or the node run out of memory."},
		},
		"PinnedRoomForTenant": {reason: "There is nothing to say.", spec: `{class: big, proxmox: {site: home, node: b}}`, tenant: true},
		"PinnedVMOfTenant":    {reason: "An existing VM runs on.", spec: `{class: big, proxmox: {site: home, node: b}}`, existing: Existing{Node: "b", Load: full.Load}, tenant: true},
		"Committed": {
			reason: "Once the VM that is replaced was stopped, the new one is created.", spec: `{class: big, proxmox: {site: home}}`,
			existing: Existing{Load: Load{UsedMiB: full.Load.UsedMiB, Replaces: "b", Committed: true}},
			warnings: []string{"the machine needs 8 cores and 8 GiB of memory (class big, data.classes.big), and no node of site 'home' has room for it: a has 4 cores, b has 7.5 GiB left of 56 GiB, " +
				"c has 0 GiB left of 34 GiB, but the VM that is replaced was stopped for the new one already: it is created on b."},
		},
		"PinnedTooLarge": {
			reason: "Nothing that goes away makes room for it.", spec: `{class: big, size: {memory: 57Gi}, proxmox: {site: home, node: b}}`,
			fault: "spec.proxmox.node: Forbidden: b has 56 GiB of memory for VMs (data.sites.home.nodes.b.memory without its reserve), and the machine needs 57 GiB of memory: " +
				"it could never start there. Give the machine less memory, or name another node",
		},
		"PinnedClassTooLarge": {
			reason: "Who leaves the class to the catalogue reads which it is, and where.", spec: `{proxmox: {site: home, node: c}}`,
			fault: "spec.proxmox.node: Forbidden: c has 34 GiB of memory for VMs (data.sites.home.nodes.c.memory without its reserve), and the machine needs 48 GiB of memory " +
				"(class huge, data.classes.huge): it could never start there. Give the machine less memory, or name another node",
		},
		"OneCore": {
			reason: "What is short is named, and no more.", spec: `{size: {cores: 2, memory: 1Gi}, proxmox: {site: small}}`,
			fault: "spec.proxmox.node: Forbidden: the machine needs 2 cores and 1 GiB of memory, and no node of site 'small' has room for it: d has 1 core",
		},
		"OneCorePinned": {
			reason: "A person decides.", spec: `{class: big, size: {memory: 1Gi}, proxmox: {site: small, node: d}}`,
			warnings: []string{"spec.proxmox.node: d has 1 core, and the machine needs 8 cores and 1 GiB of memory (class big, data.classes.big): the VM may not start there, or the node run out of memory."},
		},
		"BuiltInClass": {
			reason: "It is written nowhere.", spec: `{class: large, proxmox: {site: small}}`,
			fault: "spec.proxmox.node: Forbidden: the machine needs 8 cores and 16 GiB of memory (class large, which is built in), and no node of site 'small' has room for it: d has 1 core",
		},
		"PinnedAsLarge":  {reason: "It may be alone there.", spec: `{class: big, size: {memory: 56Gi}, proxmox: {site: home, node: b}}`},
		"PinnedHasVM":    {reason: "An existing VM runs on.", spec: `{class: big, size: {memory: 57Gi}, proxmox: {site: home, node: b}}`, existing: Existing{Node: "b"}},
		"PinnedAdoption": {reason: "It is there already.", spec: `{class: big, size: {memory: 57Gi}, proxmox: {site: home, node: b}}`, existing: Existing{Adopting: true}},
		"PinnedCommitted": {
			reason: "There is no way back to the VM that was stopped.", spec: `{class: big, size: {memory: 57Gi}, proxmox: {site: home, node: b}}`,
			existing: Existing{Load: Load{Committed: true}},
			warnings: []string{"spec.proxmox.node: b has 56 GiB left of 56 GiB, and the machine needs 57 GiB of memory: the VM may not start there, or the node run out of memory."},
		},
		"PinnedWithRoom": {reason: "There is nothing to say.", spec: `{class: big, proxmox: {site: home, node: b}}`},
		"HasVM": {
			reason: "An existing VM is never affected.", spec: `{class: big, proxmox: {site: home, node: b, avoid: [nowhere]}}`,
			existing: Existing{Node: "b", Load: full.Load},
		},
		"AvoidsNobody": {
			reason: "A node in avoid that is misspelt is not avoided.", spec: `{class: big, proxmox: {site: home, avoid: [aa]}}`,
			warnings: []string{"spec.proxmox.avoid: site 'home' has no node 'aa' (there are: a, b, c)."},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			document := catalogue
			if tc.tenant {
				document += "tenancy: {tenants: {us: {namespaces: [infra], allow: [pin]}}}\n"
			}

			m, errs := Claim(aClaim(t, kindMachine, tc.spec), aCatalog(t, document), tc.existing)

			if tc.fault != "" {
				if len(errs) != 1 || errs[0].Error() != tc.fault || (errs[0].Origin == OriginCapacity) != (tc.tenant || strings.Contains(tc.fault, "has room")) {
					t.Fatalf("%s\nwant %s, got %v", tc.reason, tc.fault, errs)
				}

				return
			}

			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}

			var about []string

			for _, w := range m.Warnings {
				if strings.HasPrefix(w, "spec.proxmox.") || strings.Contains(w, "has room") {
					about = append(about, w)
				}
			}

			if diff := cmp.Diff(tc.warnings, about); diff != "" {
				t.Errorf("%s\nwarnings: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
