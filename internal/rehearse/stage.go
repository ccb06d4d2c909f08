package rehearse

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A play is a rehearsal that is played.
type play struct {
	in      Input
	cluster *world.Cluster
	actors  []*actor
	faults  []string
	warned  warned
	secrets map[string]map[string]any   // Dummies by namespace and name.
	fetched map[string][]map[string]any // From the cluster, by what was asked for.
	names   map[string]bool             // Of the Nodes of all machines that are, or were, in the world.
	polls   *polls
	dressed []any // What machines were given: it stays where it is in memory, by which the world knows it.

	round  int
	print  uint64      // Of the world after the last round; 0 before the first.
	went   []string    // What the round has deleted, in words.
	turned func()      // Called after the turn of each machine; nil: nothing.
	halted func() bool // Says whether nobody reconciles; nil: somebody does.
}

// An actor is a claim in the world.
type actor struct {
	Machine

	label   string         // What people call it.
	machine *world.Machine // Nil until it is in the world.
	nodes   *world.Nodes   // Of a K3sCluster; nil of anything else.
	pruned  bool           // Whether the claim is gone from the files since the edit.
	edited  bool           // Whether the edit changes the claim's spec.
}

// stop is what a [reporter] panics with.
type stop struct{ err error }

// A reporter tells a play of what the world cannot go on after.
type reporter struct{ p *play }

func (reporter) Helper()                             {}
func (r reporter) Errorf(format string, args ...any) { r.p.fault(format, args...) }
func (reporter) Fatal(args ...any)                   { panic(stop{errors.New(fmt.Sprint(args...))}) }
func (reporter) Fatalf(format string, args ...any)   { panic(stop{errors.Errorf(format, args...)}) }

// fault notes what must never happen, once.
func (p *play) fault(format string, args ...any) {
	said := fmt.Sprintf(format, args...)
	if !slices.Contains(p.faults, said) {
		p.faults = append(p.faults, said)
	}
}

// begin a play: what there is without the edit is in the world then.
func begin(ctx context.Context, in Input) (p *play, err error) {
	p = &play{in: in, secrets: map[string]map[string]any{}, fetched: map[string][]map[string]any{}, names: map[string]bool{}}
	defer recovered(&err)

	p.cluster = world.NewCluster(reporter{p}, compose.Answer)
	p.cluster.BornAsClaimed, p.cluster.Lingers, p.cluster.IsDummy = true, true, preview.IsDummy
	p.cluster.Memory = cmp.Or(in.Memory, world.NewMemory())
	p.hear(ctx)

	for _, m := range in.Machines {
		p.actors = append(p.actors, &actor{Machine: m})
	}

	labelActors(p.actors)

	for _, a := range p.actors {
		switch m := a.Machine; {
		case m.Was != nil:
			p.enter(a, *m.Was, m.Was.Is)
		case m.Is.Was != nil:
			p.enter(a, beforeEdit(ctx, p, m.Is), *m.Is.Was)
			world.Load(a.machine, objects(m.Is.Composed), lists(m.Is.OfNodes))
		}
	}

	world.Loaded(p.cluster)
	failing(p.cluster)
	dead(p.cluster)

	p.polls = &polls{cluster: p.cluster, actors: p.actors, enrolled: map[string]string{}, seats: map[string]string{}, others: othersOf(in)}
	p.polls.enrol()

	return p, nil
}

// hear what the world says, and answer what it asks for.
func (p *play) hear(ctx context.Context) {
	p.cluster.T, p.cluster.Fault = reporter{p}, p.fault
	p.cluster.Kubernetes.Keeps = func(node string) bool { return keepsMember(p, node) }
	p.cluster.Else = func(m *world.Machine, sel world.Selector) []map[string]any { return p.outside(ctx, m, sel) }
}

// fork a play: it and its copy go on, each by itself.
func (p *play) fork(ctx context.Context) *play {
	f := world.Fork(p.cluster)
	out := *p
	out.cluster, out.secrets, out.fetched, out.faults, out.turned = f.Cluster, maps.Clone(p.secrets), maps.Clone(p.fetched), slices.Clone(p.faults), nil
	out.went, out.warned.said, out.names = slices.Clone(p.went), slices.Clone(p.warned.said), maps.Clone(p.names)
	out.dressed, out.halted = slices.Clone(p.dressed), nil
	out.hear(ctx)

	out.actors = make([]*actor, 0, len(p.actors))
	for _, a := range p.actors {
		of := *a
		of.machine, of.nodes = f.Machine(a.machine), f.Nodes(a.machine)
		out.actors = append(out.actors, &of)
	}

	out.polls = &polls{cluster: out.cluster, actors: out.actors, enrolled: maps.Clone(p.polls.enrolled), seats: maps.Clone(p.polls.seats), others: p.polls.others}

	return &out
}

// recovered is the error of a world that cannot go on.
func recovered(err *error) {
	switch said := recover().(type) {
	case nil:
	case stop:
		*err = errors.Wrap(said.err, "cannot rehearse")
	default:
		panic(said)
	}
}

// enter the world: a composite, of which nothing is there yet.
func (p *play) enter(a *actor, scene preview.Scene, composite unstructured.Unstructured) {
	object := world.Object(world.Copy(composite.Object))
	m := world.NewMachine(object, world.Installation{Namespaced: true})
	m.Input, m.Joins, m.AsksAtOnce, m.Constant = scene.Input, true, true, true
	a.machine = m
	p.dress(a, scene)

	uid := composite.GetUID()
	if uid == "" {
		uid = scene.Is.GetUID()
	}

	if proxmox := p.proxmoxOf(m); proxmox != nil {
		p.cluster.AddOn(proxmox, m)
	} else {
		p.cluster.Add(m)
	}

	assumeInterfaces(m)

	meta := world.Object(m.Composite["metadata"])
	if meta["uid"] = string(uid); meta["labels"] == nil {
		meta["labels"] = map[string]any{}
	}

	if isCluster(m) {
		a.nodes = m.RunNodes()
		a.nodes.Defaults = scene.Default
	}
}

// beforeEdit is the scene of a machine that was observed, with the catalogue and the Secrets that were: their edit is an edit, too. What a file does not have
// is taken for unedited, as are the Secrets of a cluster.
func beforeEdit(ctx context.Context, p *play, scene preview.Scene) preview.Scene {
	out := scene
	out.Required = nil

	for _, o := range scene.Required {
		i := slices.IndexFunc(scene.Former, func(former unstructured.Unstructured) bool { return preview.PathOf(former) == preview.PathOf(o) })

		switch {
		case i >= 0:
			out.Required = append(out.Required, scene.Former[i])
		case scene.Fetch == nil || o.GetKind() != catalogueKind:
			out.Required = append(out.Required, o)
		default:
			for _, found := range p.fetch(ctx, scene.Fetch, world.Selector{APIVersion: o.GetAPIVersion(), Kind: o.GetKind(), Name: o.GetName()}) {
				out.Required = append(out.Required, unstructured.Unstructured{Object: found})
			}
		}
	}

	return out
}

// catalogueKind is the kind of a catalogue.
const catalogueKind = "EnvironmentConfig"

// dress a machine with what its calls find beside it.
func (p *play) dress(a *actor, scene preview.Scene) {
	m := a.machine
	m.Catalogue, m.Secrets, m.Neighbours = nil, nil, objects(slices.DeleteFunc(unplayed(p.in.Machines, scene.Others), isKubernetesNode))

	for _, o := range scene.Required {
		object := world.Object(world.Copy(o.Object))

		if o.GetKind() == catalogueKind && m.Catalogue == nil {
			m.Catalogue = object
		} else {
			m.Secrets = append(m.Secrets, object)
		}
	}

	p.dressed = append(p.dressed, m.Catalogue, m.Secrets, m.Neighbours)
}

// proxmoxOf the machines that are in the same site; nil without one.
func (p *play) proxmoxOf(m *world.Machine) *world.Proxmox {
	for _, other := range p.cluster.Machines {
		if siteOf(other) == siteOf(m) {
			return other.Proxmox
		}
	}

	return nil
}

// siteOf a machine, in the claim or by default.
func siteOf(m *world.Machine) string {
	spec := m.Spec()
	template := world.Object(world.Object(spec["servers"])["template"])

	for _, site := range []any{
		world.Object(spec["proxmox"])["site"], world.Object(template["proxmox"])["site"], spec["site"],
		world.Object(world.Object(m.Catalogue["data"])["defaults"])["site"],
	} {
		if name, _ := site.(string); name != "" {
			return name
		}
	}

	return ""
}

// outside is what nobody in this world has: what the cluster has that the claims are for, and dummies for Secrets.
func (p *play) outside(ctx context.Context, m *world.Machine, sel world.Selector) []map[string]any {
	var of *actor

	for _, a := range p.actors {
		if a.has(m) {
			of = a
		}
	}

	if of == nil {
		return nil
	}

	others := isNodeOfOthers(p, sel)

	switch {
	case of.Is.Fetch != nil && (others || !isPlayed(sel)):
		return p.fetch(ctx, of.Is.Fetch, sel)
	case others:
		isOther := func(o unstructured.Unstructured) bool { return !isKubernetesNode(o) || o.GetName() != sel.Name }

		return objects(slices.DeleteFunc(slices.Clone(of.Is.Others), isOther))
	}

	// What a machine that runs was made with is no dummy.
	if sel.Kind != "Secret" || sel.Name == "" || of.Was == nil && of.Is.Was != nil {
		return nil
	}

	name := sel.Namespace + "/" + sel.Name
	if p.secrets[name] == nil {
		p.secrets[name] = standIn(p, of, sel)
	}

	return []map[string]any{p.secrets[name]}
}

// standIn is a dummy for a Secret. Several claims may name it: whoever begins a cluster says which kind of token it is, the others join with that one.
func standIn(p *play, asks *actor, sel world.Selector) map[string]any {
	out := map[string]any{}

	for _, begins := range []bool{false, true} {
		for _, a := range p.actors {
			if a != asks && namespaceOf(a.Is.Is) != sel.Namespace || a.Is.BeginsCluster() != begins {
				continue
			}

			world.Merge(out, a.Is.StandIn(sel.Namespace, sel.Name).Object)

			// The claim as it was may name another Secret, or another key.
			if a.Was != nil {
				world.Merge(out, a.Was.StandIn(sel.Namespace, sel.Name).Object)
			}
		}
	}

	return out
}

// namespaceOf a composite, or of its claim.
func namespaceOf(composite unstructured.Unstructured) string {
	claim, _, _ := unstructured.NestedString(composite.Object, "spec", "claimRef", "namespace")

	return cmp.Or(composite.GetNamespace(), claim)
}

// fetch from the cluster, once: what is read there does not change while a play lasts.
func (p *play) fetch(ctx context.Context, from preview.Fetcher, sel world.Selector) []map[string]any {
	asked := fmt.Sprint(sel)

	if _, known := p.fetched[asked]; !known {
		found, err := from(ctx, preview.Query{APIVersion: sel.APIVersion, Kind: sel.Kind, Namespace: sel.Namespace, Name: sel.Name, Labels: sel.Labels})
		if err != nil {
			panic(stop{err})
		}

		p.fetched[asked] = objects(found)
	}

	return p.fetched[asked]
}

// isPlayed says whether this world knows all objects of a kind: what is gone in it must not be read where it is not.
func isPlayed(sel world.Selector) bool {
	group, _, _ := strings.Cut(sel.APIVersion, "/")
	begins := func(prefix string) bool { return strings.HasPrefix(group, prefix) }

	return sel.Kind == "Node" || group == "homelab.io" || slices.ContainsFunc([]string{"virtualenvironment", "kubernetes.", "protection."}, begins)
}

// isNodeOfOthers says whether a Node is asked for that is none of a machine which is played, or was: the servers that are not among the claims vote, too.
func isNodeOfOthers(p *play, sel world.Selector) bool {
	for _, m := range p.cluster.Machines {
		p.names[m.NodeName()] = true
	}

	return sel.Kind == "Node" && sel.Name != "" && !p.names[sel.Name]
}

// isKubernetesNode says whether an object is a Node. That of a machine which is played is in the world as it becomes.
func isKubernetesNode(o unstructured.Unstructured) bool {
	return o.GetKind() == "Node" && o.GetAPIVersion() == "v1"
}

// has says whether a machine is the claim's, or that of a node of its cluster.
func (a *actor) has(m *world.Machine) bool {
	if a.machine == nil || a.machine == m {
		return a.machine == m
	}

	nodes := a.nodes

	return nodes != nil && slices.ContainsFunc(nodes.Names(), func(name string) bool { return nodes.Named(name) == m })
}

// isCluster says whether a machine is a K3sCluster.
func isCluster(m *world.Machine) bool {
	return strings.TrimPrefix(fmt.Sprint(m.Composite["kind"]), "X") == "K3sCluster"
}

func objects(all []unstructured.Unstructured) []map[string]any {
	var out []map[string]any
	for _, o := range all {
		out = append(out, world.Object(world.Copy(o.Object)))
	}

	return out
}

func lists(all map[string][]unstructured.Unstructured) map[string][]map[string]any {
	out := map[string][]map[string]any{}
	for name := range all {
		out[name] = objects(all[name])
	}

	return out
}
