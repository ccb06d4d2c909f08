package resolve

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Load is what the other machines of a site need of its nodes. Nodes without an entry have no machine.
type Load struct {
	UsedMiB  map[string]int64 // Memory of the VMs on a node, and of those that are to be created there.
	Siblings map[string]int   // Machines of the same K3s cluster, else of the same role.
	Chosen   string           // The node that a machine without a VM has chosen in an earlier call; empty if none.
	Replaces string           // The node of the VM that the new one replaces; empty if none.
	// Committed says that the VM which the new one replaces was stopped for it: there is no way back, so no lack of room refuses the new VM.
	Committed bool
}

// OriginCapacity marks the fault of a machine for which no node has room: nothing is wrong with its claim.
const OriginCapacity = "capacity"

// A chooser chooses the node of a new VM.
type chooser struct {
	n *notes
	p placing
}

// anyNode chooses a node of the site that has everything the claim names, and room for the machine: servers of one K3s cluster and machines
// of one group apart, then on the node with most memory left, then with the fewest siblings. Of equal nodes, it is always the same one for
// the same machine. A choice stays while it is as good as any other but for memory and siblings.
func (r chooser) anyNode() (string, *machine.Choice) {
	nodes := slices.Sorted(maps.Keys(r.p.site.Nodes))
	s := selection{p: r.p, left: nodes}

	if !s.narrow("has everything the claim names", func(n string) bool { return len(preflight(r.p, n)) == 0 }) {
		return r.unfit(nodes), nil
	}

	// A template and its disks are on one node.
	s.prefer("has the image's template", func(n string) bool { return n == r.p.image.TemplateNode })

	if !s.narrow("is not lost", func(n string) bool { return !lost(r.p.g, n) }) {
		r.n.add(lostNode(r.p.g, s.left[0]))

		return s.left[0], nil
	}

	fit := s.left
	if !s.narrow("is not in proxmox.avoid", func(n string) bool { return !r.p.avoids(n) }) {
		r.n.add(field.Forbidden(r.p.g.at.Child("proxmox", "avoid"), fmt.Sprintf("lists all nodes of site '%s' on which the %s could be: %s; leave one of them out",
			message.Excerpt(r.p.name), r.p.g.subject(), strings.Join(fit, ", "))))

		return fit[0], nil
	}

	allowed := s.left
	hasRoom := s.narrow("has room", func(n string) bool { return r.p.lacks(n) == "" })
	if !hasRoom && !r.p.g.existing.Load.Committed {
		r.n.add(r.noRoom(nodes, allowed))

		return allowed[0], nil
	}

	s.least("has the fewest servers of its K3s cluster", func(n string) int64 { return int64(len(r.p.g.existing.Spread.Others[n])) })
	s.least("has the fewest servers of other namespaces that name its K3s cluster", func(n string) int64 { return int64(len(r.p.g.existing.Spread.Strangers[n])) })
	s.least("has the fewest machines of "+r.p.g.spec.Proxmox.Spread+" (proxmox.spread)", func(n string) int64 { return int64(len(r.p.g.existing.Group.Others[n])) })

	chosen := s.among()

	if !hasRoom {
		r.n.warn("%s, but the VM that is replaced was stopped for the new one already: it is created on %s.", r.noRoom(nodes, allowed).Detail, message.Excerpt(chosen))
	}

	return chosen, reason(s, chosen)
}

// among the nodes that are left, where the machine is already, or where nobody of its group is about to be created, or the node with most memory left.
func (s *selection) among() string {
	before := cmp.Or(s.p.g.existing.Load.Chosen, s.p.g.existing.Spread.Chosen, s.p.g.existing.Group.Chosen)
	s.prefer("was chosen before", func(n string) bool { return n == before })
	s.part(s.p.g.existing.Spread, "servers of its K3s cluster")
	s.part(s.p.g.existing.Group, "machines of "+s.p.g.spec.Proxmox.Spread+" (proxmox.spread)")

	if s.p.site.HasInventory() {
		s.prefer("has the VM that is replaced", func(n string) bool { return n == s.p.g.existing.Load.Replaces })
		s.prefer("has an inventory in the catalogue", func(n string) bool { _, known := catalog.CapacityMiB(s.p.site.Nodes[n]); return known })
		s.least("has most memory left", func(n string) int64 { return -s.p.leftMiB(n) })
		s.least("has the fewest machines of the same "+siblings(s.p.g), func(n string) int64 { return int64(s.p.g.existing.Load.Siblings[n]) })
	}

	// The name, and not the UID of its composite: a preview has none, and would name another node.
	return s.left[s.p.g.id.Nameless().Number("node", uint64(len(s.left)))]
}

// part a machine that moves on from those of its group that may be created with the same call, and take turns with those that move on, too.
func (s *selection) part(from Spread, whose string) {
	s.least("has the fewest later "+whose, func(n string) int64 { return int64(from.Later[n]) })

	if from.Moving != (Moving{}) {
		mine := s.left[from.Moving.Earlier%len(s.left)]
		s.prefer("is its turn among the "+whose+" that move on", func(n string) bool { return n == mine })
	}
}

// siblings are what machines of one kind are called.
func siblings(g *given) string {
	if claim.ClusterOf(g.id, g.k3s).Label != "" {
		return "K3s cluster"
	}

	return "role"
}

// unfit reports the faults of the node with the fewest faults, because it is the easiest to fix.
func (r chooser) unfit(nodes []string) string {
	best, faults := nodes[0], preflight(r.p, nodes[0])
	for _, n := range nodes[1:] {
		if f := preflight(r.p, n); len(f) < len(faults) {
			best, faults = n, f
		}
	}

	if len(nodes) > 1 {
		for _, f := range faults {
			f.Detail += fmt.Sprintf("; no node of site '%s' has everything the claim names", message.Excerpt(r.p.name))
		}
	}

	r.n.add(faults...)

	return best
}

// A selection are the nodes that are left of a site's, and why the others are not.
type selection struct {
	p placing

	left []string
	why  []string
}

// narrow the selection to the nodes of which something is true. It reports false, and leaves none out, where it is true of none.
func (s *selection) narrow(why string, is func(node string) bool) bool {
	some := slices.DeleteFunc(slices.Clone(s.left), func(n string) bool { return !is(n) })
	if len(some) == 0 {
		return false
	}

	if len(some) < len(s.left) {
		s.left, s.why = some, append(s.why, why)
	}

	return true
}

// prefer nodes of which something is true, where there are such nodes.
func (s *selection) prefer(why string, is func(node string) bool) { s.narrow(why, is) }

// least narrows the selection to the nodes with the smallest value.
func (s *selection) least(why string, value func(node string) int64) {
	smallest := value(slices.MinFunc(s.left, func(a, b string) int { return cmp.Compare(value(a), value(b)) }))
	s.narrow(why, func(n string) bool { return value(n) == smallest })
}

// leftMiB is the memory that a node has left for the machine. Nobody knows that of a node without an inventory.
func (p placing) leftMiB(node string) int64 {
	capacity, _ := catalog.CapacityMiB(p.site.Nodes[node])

	return capacity - p.g.existing.Load.UsedMiB[node]
}

// avoids says whether the claim keeps the function from choosing a node. A VM that is to be adopted has a node already.
func (p placing) avoids(node string) bool {
	return !p.g.existing.Adopting && slices.Contains(p.g.spec.Proxmox.Avoid, node)
}

// lost says whether the claim says that a node does not come back. Where the VM is already, nothing is chosen.
func lost(g *given, node string) bool {
	return g.existing.Node == "" && !g.existing.Adopting && node != "" && node == g.spec.Lifecycle.Lost
}

// lostNode is the fault of a new VM that would be on a node that does not come back.
func lostNode(g *given, node string) *field.Error {
	return field.Invalid(g.at.Child("proxmox", "node"), message.Excerpt(node),
		"no VM is created on node '"+message.Excerpt(node)+"', because lifecycle.lost says that it does not come back: name another node, or leave proxmox.node out")
}

// lacks says why a node has no room for the machine, such as "has 3 GiB left of 56 GiB"; empty where it has, or where nobody knows. A VM
// that is to be adopted needs none: it has a node already.
func (p placing) lacks(node string) string {
	n := p.site.Nodes[node]
	if p.g.existing.Adopting {
		return ""
	}

	if p.fewCores(node) {
		return "has " + coresOf(*n.Cores)
	}

	if capacity, known := catalog.CapacityMiB(n); known && p.m.MemoryMiB > 0 && p.leftMiB(node) < p.m.MemoryMiB {
		return fmt.Sprintf("has %s left of %s", gib(max(p.leftMiB(node), 0)), gib(capacity))
	}

	return ""
}

// fewCores says whether a node has fewer cores than the machine: Proxmox starts no such guest.
func (p placing) fewCores(node string) bool {
	n := p.site.Nodes[node].Cores

	return n != nil && p.m.Cores > *n
}

// needs is what the machine needs of nodes that lack it, such as "2 cores and 4 GiB of memory", and where that stands: in the claim, or in a class that the
// claim may not even name. Of its cores there is nothing to say where each of the nodes has as many.
func (p placing) needs(nodes ...string) string {
	out, typed := gib(p.m.MemoryMiB)+" of memory", p.g.spec.Size.Memory != ""

	if slices.ContainsFunc(nodes, p.fewCores) {
		out, typed = coresOf(p.m.Cores)+" and "+out, typed && p.g.spec.Size.Cores != nil
	}

	if class, listed := p.g.catalog.Classes[p.m.Class]; listed && !typed {
		out += fmt.Sprintf(" (class %s, %s)", message.Excerpt(p.m.Class), classAt(class))
	}

	return out
}

// classAt is where a class is written, in words.
func classAt(c catalog.Class) string {
	if c.BuiltIn() {
		return "which is built in"
	}

	return c.Path().String()
}

// coresOf is a number of cores in words.
func coresOf(n int64) string {
	if n == 1 {
		return "1 core"
	}

	return fmt.Sprintf("%d cores", n)
}

// noRoom is the fault of a machine for which no node of a site has room. Nodes are all of the site's, allowed those on which it could be.
func (r chooser) noRoom(nodes, allowed []string) *field.Error {
	said := make([]string, 0, len(nodes))

	for _, n := range nodes {
		switch {
		case slices.Contains(allowed, n):
			said = append(said, n+" "+r.p.lacks(n))
		case lost(r.p.g, n):
			said = append(said, n+" is lost (lifecycle.lost)")
		case r.p.avoids(n):
			said = append(said, n+" is in proxmox.avoid")
		default:
			said = append(said, n+" lacks what the claim names")
		}
	}

	return field.Forbidden(r.p.g.at.Child("proxmox", "node"), fmt.Sprintf("the %s needs %s, and no node of site '%s' has room for it: %s",
		r.p.g.subject(), r.p.needs(allowed...), message.Excerpt(r.p.name), strings.Join(said, ", "))).WithOrigin(OriginCapacity)
}

// warnRoom warns of a claim that pins a new VM to a node without room, and refuses one that the node never has room for: a VM counts with its memory also
// while it is stopped, and the rest of the site would have none left. A tenant's is refused as long as the others leave no room: machines that each have room
// alone would fill the node together. What replaces a machine's own VM takes nobody's room.
func warnRoom(notes *notes, p placing, node string) {
	if p.g.spec.Proxmox.Node == "" || p.g.existing.Node != "" {
		return
	}

	if capacity, known := catalog.CapacityMiB(p.site.Nodes[node]); known && p.g.isNew() && !p.g.existing.Load.Committed && p.m.MemoryMiB > capacity {
		notes.add(field.Forbidden(p.g.at.Child("proxmox", "node"), fmt.Sprintf("%s has %s of memory for VMs (%s without its reserve), and the %s needs %s: it could never start there. "+
			"Give the %[4]s less memory, or name another node", message.Excerpt(node), gib(capacity), p.site.Path().Child("nodes", message.Key(node), "memory"), p.g.subject(), p.needs())))

		return
	}

	lacks := p.lacks(node)

	switch {
	case lacks == "":
	case p.g.isNew() && p.g.catalog.Reader != nil && p.g.existing.Load.Replaces == "" && !p.g.existing.Load.Committed:
		notes.add(field.Forbidden(p.g.at.Child("proxmox", "node"), fmt.Sprintf("%s %s, and the %s needs %s: name another node, or leave proxmox.node out",
			message.Excerpt(node), lacks, p.g.subject(), p.needs(node))).WithOrigin(OriginCapacity))
	default:
		notes.warn("spec.proxmox.node: %s %s, and the %s needs %s: the %s may not start there, or the node run out of memory.",
			message.Excerpt(node), lacks, p.g.subject(), p.needs(node), p.g.guest())
	}
}

// warnAvoid warns of nodes in proxmox.avoid that the site does not have.
func warnAvoid(notes *notes, p placing) {
	if p.g.existing.Node != "" || len(p.site.Nodes) == 0 {
		return
	}

	for _, n := range p.g.spec.Proxmox.Avoid {
		if _, ok := p.site.Nodes[n]; !ok {
			notes.warn("spec.proxmox.avoid: site '%s' has no node '%s' (%s).", message.Excerpt(p.name), message.Excerpt(n),
				message.There(p.told(catalog.KindNode, slices.Collect(maps.Keys(p.site.Nodes))), n))
		}
	}
}

// warnLost warns of a node that is said not to come back, and that neither has the VM nor is listed: nobody would see that the word has no effect. A node that
// is gone is no longer listed, and its VM is known to be there.
func warnLost(notes *notes, p placing) {
	lost, on := p.g.spec.Lifecycle.Lost, p.g.existing.Node

	_, listed := p.site.Nodes[lost]
	if lost == "" || on == "" || lost == on || listed || len(p.site.Nodes) == 0 || !p.g.catalog.Tells(catalog.KindNode, p.name, lost) {
		return
	}

	notes.warn("spec.lifecycle.lost: '%[1]s' has no effect: the VM is on node %[2]s, and site '%[3]s' has no node '%[1]s' (%[4]s). "+
		"Correct it or, if the machine is where it is to be, remove it.",
		message.Excerpt(lost), message.Excerpt(on), message.Excerpt(p.name), message.There(p.told(catalog.KindNode, slices.Collect(maps.Keys(p.site.Nodes))), lost))
}

// reason of a choice, in one sentence. Nil where neither catalogue nor claim has a word on it.
func reason(s selection, node string) *machine.Choice {
	p := s.p.g.spec.Proxmox
	if s.p.g.existing.Adopting || !s.p.site.HasInventory() && len(p.Avoid) == 0 && p.Spread == "" {
		return nil
	}

	text := node + " " + strings.Join(s.why, ", ")

	switch {
	case len(s.p.site.Nodes) == 1:
		text = fmt.Sprintf("%s is the only node of the site", node)
	case len(s.left) > 1 && len(s.why) > 0:
		text += fmt.Sprintf(", as %s do; the %s's name decides between them", strings.Join(s.left, ", "), s.p.g.subject())
	case len(s.left) > 1:
		text = fmt.Sprintf("%s is as good as any of %s; the %s's name decides between them", node, strings.Join(s.left, ", "), s.p.g.subject())
	}

	if capacity, known := catalog.CapacityMiB(s.p.site.Nodes[node]); known {
		text += fmt.Sprintf(": %s of %s are left with this %s", gib(max(s.p.leftMiB(node)-s.p.m.MemoryMiB, 0)), gib(capacity), s.p.g.subject())
	}

	return &machine.Choice{Reason: text + "."}
}

// gib is an amount of memory in GiB, with one decimal where it is no whole number.
func gib(mib int64) string {
	const gibi = 1024
	if mib%gibi == 0 {
		return fmt.Sprintf("%d GiB", mib/gibi)
	}

	return fmt.Sprintf("%.1f GiB", float64(mib)/gibi)
}
