package properties

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// turns says whether all take turns from some states.
var turns = flag.Bool("turns", true, "whether TestModel lets all take turns from some states, until nothing changes any more")

// mostStates of each world that are looked at.
var mostStates = flag.Int("states", 60, "how many states of each world TestModel looks at")

// TestModel plays every order in which Crossplane, the provider and a person may act, breadth first, until nothing new is found or -states are: so what it finds
// first is a shortest way to a fault. Crossplane's answers are applied later than they are made, and the provider works on each managed resource alone.
//
// In each state the answer does nothing to a machine that it must not do ([faultsOf]), and Proxmox has done nothing that the world does not allow. From some states
// (each fifth, of several servers fewer) all take turns again, and come to rest with a machine that runs, or says what it waits for.
func TestModel(t *testing.T) {
	// What is answered until a K3sCluster runs is the same for all of them.
	pools := fake.NewMemory()

	for name, m := range models(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			s := &search{T: t, model: m, seen: map[uint64]bool{}, memory: fake.NewMemory()}
			if m.pool != "" {
				s.memory = pools
			}

			s.run()
			t.Logf("%s: %d states, %d steps deep; %s", name, len(s.seen), s.depth, s.end())
		})
	}
}

// TestProof: docs/proof.md has each world, with what it shows.
func TestProof(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(fake.Root(t), "docs", "proof.md"))
	if err != nil {
		t.Fatal(err)
	}

	for name, m := range models(t) {
		if row := "| `" + name + "` | " + m.reason; !strings.Contains(string(b), row) {
			t.Errorf("docs/proof.md lacks the row %s", row)
		}
	}
}

// A search of a model's states.
type search struct {
	*testing.T
	model

	seen   map[uint64]bool
	memory *world.Memory
	queue  []node
	fault  string // What the world says of the step that is played.

	depth int
	more  bool // Whether states were left out.
}

// A node is a state, and how it came about.
type node struct {
	cluster *world.Cluster
	answers map[string]*fnv1.RunFunctionResponse // Those that Crossplane has not applied yet, by the machine's name.
	acts    int                                  // How much of what the person does is done.
	fates   int                                  // How much of what befalls the nodes of Proxmox has happened.
	path    []string
	turns   []string     // What was done in Proxmox while all took turns.
	away    string       // Who is out of service.
	counts  map[int]bool // VMs that counted before the last step, or turn.
}

func (s *search) run() {
	c := fake.NewCluster(s.T, compose.Answer)
	c.Memory = s.memory
	c.Fault = func(format string, args ...any) { s.fault = fmt.Sprintf(format, args...) }

	var p *world.Proxmox
	if s.pool == "" {
		p = c.NewProxmox()
	}

	for _, claim := range s.claims {
		m := c.AddOn(p, world.NewMachine(claim, world.Installations[2]))
		if s.catalogue != "" {
			m.Catalogue = world.NewCatalogue(world.FromYAML(s.T, s.catalogue))
		}
	}

	if s.there != nil {
		s.there(c.Machines)
	}

	for i := range s.servers {
		m := c.AddOn(p, fake.ExampleNamed(s.T, fmt.Sprintf("k3s-cluster/server-%d", i+1)).Machine(world.Installations[2]))
		m.SetSite("home", "vmIds", nil)
		m.SetCluster("home", "observe", "Here")
		m.Joins, m.Constant, m.AsksAtOnce = true, true, true

		if s.with != nil {
			s.with(m)
		}
	}

	if s.pool != "" {
		w := world.NewClusterWorld(c, "Object", s.pool)
		if !w.Until(100) {
			s.Fatal("the cluster does not come to rest")
		}

		c.Answered, w.Proxmox.Done = nil, nil
	}

	for i := range s.agents {
		m := c.AddOn(p, fake.ExampleNamed(s.T, fmt.Sprintf("k3s-cluster/agent-%d", i+1)).Machine(world.Installations[2]))
		m.SetSite("home", "vmIds", nil)
		m.SetCluster("home", "observe", "Object")
		m.SetCluster("home", "providerConfig", "home")
		world.Merge(m.Spec(), map[string]any{"k3s": map[string]any{"drain": true}})
		m.Joins, m.Constant, m.AsksAtOnce = true, true, true
	}

	if s.begins == looked {
		for _, m := range c.Machines {
			m.Apply(m.Call())
			m.Provide()
		}
	}

	if s.servers+s.agents > 0 || s.begins == running {
		c.Rest()
		c.Rest()
		p.Done = nil
	}

	for _, m := range c.Machines {
		if s.upgrades {
			m.SetCluster("home", "observe", "Object")
			m.SetCluster("home", "providerConfig", "home")
			m.SetCluster("home", "upgrade", "SystemUpgrade")
		}

		m.Joins = m.Joins && !s.late
	}

	s.add(node{cluster: c, answers: map[string]*fnv1.RunFunctionResponse{}, away: rehearse.Away(c)})

	for i := 0; len(s.queue) > 0; i++ {
		n := s.queue[0]
		s.queue = s.queue[1:]

		// A world of three servers takes long to come to rest.
		every := 5 + 20*s.servers
		if s.pool != "" {
			every = 65
		}

		if *turns && i%every == 0 {
			s.rests(n)
		}

		s.expand(n)
	}
}

// expand a state by all that may happen in it.
func (s *search) expand(n node) {
	for i, m := range n.cluster.Machines {
		if s.pool != "" && m.Composite["kind"] == "K3sNode" {
			s.expandNode(n, i)
			continue
		}

		if s.late {
			s.expandServer(n, i)
			continue
		}

		if n.answers[m.Name()] == nil {
			s.step(n, "the function answers "+m.Name(), func(to *node) {
				rsp := to.cluster.Machines[i].Call()
				if faults := faultsOf(to.cluster.Machines[i], rsp); len(faults) > 0 && (s.refused == "" || !strings.Contains(world.Fatal(rsp), s.refused)) {
					s.fault = strings.Join(faults, "; ")
				}

				to.answers[m.Name()] = rsp
			})
		} else {
			s.step(n, "Crossplane writes the answer for "+m.Name(), func(to *node) {
				s.write(to.cluster.Machines[i], to.answers[m.Name()])
				delete(to.answers, m.Name())
				to.forget()
			})
		}

		var looks []string

		for _, name := range world.Keys(m.Observed) {
			// Nothing becomes of the files of a VM that runs.
			kind := m.Observed[name]["kind"]
			if s.servers+s.agents > 0 && kind != world.VMKind && (kind != world.ObjectKind || s.agents == 0) || s.pool != "" {
				continue
			}

			// That a VMID is free was seen on each node before: the worlds that begin with nothing have these looks in any order.
			if s.begins == running && onlyObserved(m.Observed[name]) {
				looks = append(looks, name)
				continue
			}

			s.step(n, "the provider works on "+m.Name()+"/"+name, func(to *node) { world.ProvideFor(to.cluster.Machines[i], name) })
		}

		if len(looks) > 0 {
			s.step(n, "the provider looks for VMIDs of "+m.Name(), func(to *node) {
				for _, name := range looks {
					world.ProvideFor(to.cluster.Machines[i], name)
				}
			})
		}
	}

	if n.acts < len(s.person) {
		a := s.person[n.acts]
		s.step(n, "a person "+a.what, func(to *node) { to.act(a) })
	}

	if n.fates < len(s.fate) {
		s.step(n, s.fate[n.fates].what, s.befall)
	}

	if len(n.proxmox().HA) > 0 {
		s.step(n, "the HA manager works", func(to *node) { to.proxmox().WorkHA() })
	}
}

// befall the nodes of Proxmox with what comes next.
func (s *search) befall(n *node) {
	s.fate[n.fates].do(n.cluster.Machines)
	n.fates++
}

// expandNode is what may happen to a node of a K3sCluster. That it is called and what follows are one step, and so is what provider-kubernetes does for it; the
// server is at rest. For what may come between them, see the models of agents.
func (s *search) expandNode(n node, i int) {
	m := n.cluster.Machines[i]
	if world.Object(m.Spec()["k3s"])["role"] == "server" {
		return
	}

	s.step(n, "function and Crossplane work on "+m.Name(), func(to *node) {
		m := to.cluster.Machines[i]
		rsp := m.Call()
		s.fault = strings.Join(faultsOf(m, rsp), "; ")
		s.write(m, rsp)
	})

	for who, kind := range map[string]string{"the provider": world.VMKind, "provider-kubernetes": world.ObjectKind} {
		s.step(n, who+" works for "+m.Name(), func(to *node) {
			m := to.cluster.Machines[i]
			for _, name := range world.Keys(m.Observed) {
				if m.Observed[name]["kind"] == kind {
					world.ProvideFor(m, name)
				}
			}

			s.beat(to.cluster)
		})
	}
}

// expandServer is what may happen to a server whose K3s starts late.
func (s *search) expandServer(n node, i int) {
	m := n.cluster.Machines[i]
	if i == s.servers-1 {
		return
	}

	s.step(n, "function and Crossplane work on "+m.Name(), func(to *node) {
		m := to.cluster.Machines[i]
		rsp := m.Call()
		s.fault = strings.Join(faultsOf(m, rsp), "; ")
		s.write(m, rsp)
	})
	s.step(n, "the provider works for "+m.Name(), func(to *node) { to.cluster.Machines[i].Provide() })

	if !n.cluster.NodeServes(m.NodeName()) {
		s.step(n, "K3s starts on "+m.Name(), func(to *node) { to.cluster.Machines[i].JoinAll() })
	}
}

// act of a person.
func (n *node) act(a act) {
	a.do(n.cluster.Machines)
	n.acts++

	if a.anew {
		clear(n.answers)
	}

	n.forget()
}

// forget the answers for composites that are gone.
func (n *node) forget() {
	maps.DeleteFunc(n.answers, func(name string, _ *fnv1.RunFunctionResponse) bool {
		return !slices.ContainsFunc(n.cluster.Machines, func(m *world.Machine) bool { return m.Name() == name })
	})
}

// proxmox that all machines are on.
func (n node) proxmox() *world.Proxmox { return n.cluster.Proxmoxes()[0] }

// step to another state.
func (s *search) step(n node, what string, do func(to *node)) {
	to := node{cluster: world.Fork(n.cluster).Cluster, answers: maps.Clone(n.answers), acts: n.acts, fates: n.fates, path: append(slices.Clip(n.path), what)}
	s.fault = ""
	to.counts = n.counted()

	do(&to)
	to.away = rehearse.Away(to.cluster)

	if done := to.proxmox().Done[len(n.proxmox().Done):]; len(done) > 0 {
		to.path[len(n.path)] += inWords(done, n.cluster, to.cluster)
	} else if to.away != n.away {
		to.path[len(n.path)] += furtherLine + cmp.Or(to.away, "away: nobody any more")
	}

	s.hold(to, len(n.proxmox().Done))
	s.add(to)
}

// counted are the VMs that have run, and are more than candidates for the place of another one.
func (n node) counted() map[int]bool {
	out := map[int]bool{}
	for id, vm := range n.proxmox().VMs {
		out[id] = vm.Starts > 0
	}

	for _, m := range n.cluster.Machines {
		for name, o := range m.Observed {
			if world.Annotation(o, proxmox.CandidateAnnotation) == "" {
				continue
			}

			owner := world.OwnerOf(m, name)
			for id, vm := range n.proxmox().VMs {
				out[id] = out[id] && vm.Owner != owner
			}
		}
	}

	return out
}

// write an answer. A K3sCluster reads of its nodes what Crossplane says of them itself.
func (s *search) write(m *world.Machine, rsp *fnv1.RunFunctionResponse) {
	if s.pool != "" {
		m.Reconcile(rsp)
	} else {
		m.Apply(rsp)
	}

	s.beat(m.Cluster())
}

// beat of the guests and kubelets of a K3sCluster.
func (s *search) beat(c *world.Cluster) {
	if s.pool != "" {
		c.Beat(nil)
	}
}

// hold what no order of steps may break. before is how much was done in Proxmox before the last of them.
func (s *search) hold(n node, before int) {
	s.Helper()

	away := s.awayIn(n)
	verbs := map[string]int{}

	for _, done := range n.proxmox().Done {
		verb, _, _ := strings.Cut(done, " ")
		verbs[verb]++
	}

	stop, destroy := verbs["stop"], verbs["destroy"]

	switch {
	case s.fault != "":
	case stop > s.stop && s.stop == 0:
		s.fault = "a VM is stopped, and none may be"
	case stop > s.stop:
		s.fault = fmt.Sprintf("a VM is stopped for the %d. time", stop)
	case away > s.away:
		s.fault = fmt.Sprintf("%d servers are away at once", away)
	case destroy > s.destroy && s.destroy == 0:
		s.fault = "a VM is destroyed, and none may be"
	case destroy > s.destroy:
		s.fault = fmt.Sprintf("a VM is destroyed for the %d. time", destroy)
	case (s.agents > 0 || s.pool != "") && undrained(n, before) != "":
		s.fault = undrained(n, before)
	case s.servers > 0 && silentOutage(n, before) != "":
		s.fault = silentOutage(n, before)
	case s.upgrades && upgradedTogether(n) != "":
		s.fault = upgradedTogether(n)
	case s.node && outlived(n, before) != "":
		s.fault = outlived(n, before)
	case beside(n) != "":
		s.fault = beside(n)
	case s.sharedFault(n, before) != "":
		s.fault = s.sharedFault(n, before)
	case s.haFault(n) != "":
		s.fault = s.haFault(n)
	case s.containersFault(n) != "":
		s.fault = s.containersFault(n)
	default:
		return
	}

	s.show(n, s.fault)
}

// awayIn is how many VMs are off, or how many nodes of K3s do not serve, where that counts.
func (s *search) awayIn(n node) (away int) {
	for _, vm := range n.proxmox().VMs {
		if (s.agents > 0 || s.pool != "") && !s.late && vm.Running == nil {
			away++
		}
	}

	for _, m := range n.cluster.Machines {
		if (s.late || s.servers > 0) && (!n.cluster.NodeServes(m.NodeName()) || slices.Contains(n.cluster.Kubernetes.Upgrader.Working(), m.NodeName())) {
			away++
		}
	}

	return away
}

// beside says which two VMs of one claim run; empty where none do.
func beside(n node) string {
	run := map[string]int{}

	for _, id := range slices.Sorted(maps.Keys(n.proxmox().VMs)) {
		vm := n.proxmox().VMs[id]
		claim, _, owned := strings.Cut(vm.Owner, "/")

		if !owned || vm.Running == nil {
			continue
		}

		if other := run[claim]; other != 0 {
			return fmt.Sprintf("VMs %d and %d of %s run", other, id, claim[strings.LastIndex(claim, ":")+1:])
		}

		run[claim] = id
	}

	return ""
}

func (s *search) show(n node, fault string) {
	s.Helper()
	s.Fatalf("%s\nafter %d steps: %s%s", s.reason, len(n.path), fault, n.timeline())
}

// furtherLine of a step.
const furtherLine = "\n          "

// inWords are lines of Proxmox' journal below the step that did them, and who is out of service then, in the words of a rehearsal.
func inWords(done []string, before, after *world.Cluster) string {
	said := rehearse.Said(done, before, after)
	if away := rehearse.Away(after); away != "" {
		said = append(said, "  "+away)
	}

	return furtherLine + strings.Join(said, furtherLine)
}

// said is a line of Proxmox' journal in the words of a rehearsal.
func said(n node, done string) string { return rehearse.Said([]string{done}, n.cluster)[0] }

// timeline of a state, with what was done in Proxmox behind each step that did something.
func (n node) timeline() string {
	out := strings.Builder{}

	for i, what := range n.path {
		fmt.Fprintf(&out, "\n%4d  %s", i+1, what)
	}

	for _, what := range n.turns {
		fmt.Fprintf(&out, "\n      %s", what)
	}

	return out.String()
}

// bound is how many states are looked at: those of Nodes and their Jobs, and of VMs in HA, take several times as long as others.
func (s *search) bound() int {
	switch {
	case s.pool != "":
		return max(*mostStates/10, 1)
	case len(s.fate) > 0:
		return max(2**mostStates/3, 1)
	case s.agents > 0:
		return max(*mostStates/2, 1)
	}

	return *mostStates
}

// add a state, if it is new.
func (s *search) add(n node) {
	key := n.key()
	if s.seen[key] {
		return
	}

	if len(s.seen) >= s.bound() {
		s.more = true
		return
	}

	s.seen[key] = true
	s.queue, s.depth = append(s.queue, n), len(n.path)
}

// key of a state: all that function, provider and Proxmox can tell it by. Of moments only the order counts, as nothing reads more of them.
func (n node) key() uint64 {
	p := n.proxmox()
	more := []any{fmt.Sprint(n.acts, n.fates, p.HA)}

	for _, m := range n.cluster.Machines {
		// What cannot be written is equal to nothing.
		b, _ := world.Bytes(n.answers[m.Name()])
		more = append(more, string(b))
	}

	done := map[string]int{}
	for _, d := range p.Done {
		done[d]++
	}

	more = append(more, fmt.Sprint(done, len(p.Snippets), p.Dead, p.SilentAgents, n.cluster.NeverJoins))

	for _, id := range slices.Sorted(maps.Keys(p.VMs)) {
		more = append(more, fmt.Sprint(id, p.VMs[id].Owner, p.VMs[id].Silent, p.VMs[id].Marks()))
	}

	for _, id := range slices.Sorted(maps.Keys(p.Firewalls)) {
		wall := p.Firewalls[id]
		more = append(more, id, wall.Options, wall.Rules, wall.CutAfter != nil)
	}

	return n.cluster.FingerprintInOrder(more...)
}

// rests: from a state, all take turns again, the person has done what they do, and each machine runs, or says what it waits for.
func (s *search) rests(n node) {
	s.Helper()

	rounds := 25
	if s.pool != "" {
		rounds = 100
	}

	to := node{cluster: world.Fork(n.cluster).Cluster, answers: map[string]*fnv1.RunFunctionResponse{}, acts: n.acts, fates: n.fates, path: append(slices.Clip(n.path), "all take turns")}
	s.fault = ""

	for _, m := range to.cluster.Machines {
		if rsp := n.answers[m.Name()]; rsp != nil {
			s.write(m, rsp)
		}
	}

	for _, a := range s.person[n.acts:] {
		to.act(a)
	}

	before := uint64(0)

	for i := range rounds {
		done := len(to.proxmox().Done)
		to.counts = to.counted()

		// A node that dies is fenced before it returns.
		if to.fates < len(s.fate) && i%4 == 0 {
			s.befall(&to)
		}

		for _, m := range slices.Clone(to.cluster.Machines) {
			if slices.Contains(to.cluster.Machines, m) {
				s.write(m, m.Call())
				m.Provide()
				s.beat(to.cluster)

				if s.late {
					m.JoinAll()
				}
			}
		}

		if did := to.proxmox().Done[done:]; len(did) > 0 {
			to.turns = append(to.turns, fmt.Sprintf("turn %d:", i+1)+inWords(did, n.cluster, to.cluster))
		}

		s.hold(to, done)

		now := to.key()
		if now == before && to.fates == len(s.fate) {
			s.ends(to)
			return
		}

		before = now
	}

	s.show(to, fmt.Sprintf("no rest after %d turns", rounds))
}

// ends holds how a world ends.
func (s *search) ends(n node) {
	s.Helper()

	runs := runningOf(n.proxmox())

	if has := len(n.proxmox().Containers); !s.waits && has > len(n.cluster.Machines)+s.besides {
		s.show(n, fmt.Sprintf("there are %d containers of %d claims", has, len(n.cluster.Machines)))
	}

	for _, m := range n.cluster.Machines {
		rsp := m.Call()
		if world.Reason(rsp, "MachineReady") == "" && world.Reason(rsp, "RolledOut") == "" && (s.refused == "" || !strings.Contains(world.Fatal(rsp), s.refused)) {
			s.show(n, m.Name()+" says nothing of itself: "+world.Fatal(rsp))
		}
	}

	wants := len(n.cluster.Machines)
	if s.pool != "" {
		wants-- // The cluster has no VM.
	}

	if !s.waits && runs != wants {
		said := ""
		for _, m := range n.cluster.Machines {
			said += "; " + world.Message(m.Call(), "MachineReady")
		}

		s.show(n, fmt.Sprintf("%d VMs and containers run%s", runs, said))
	}

	if stops := len(slices.DeleteFunc(slices.Clone(n.proxmox().Done), func(done string) bool { return !strings.HasPrefix(done, "stop ") })); s.stops > 0 && stops != s.stops {
		s.show(n, fmt.Sprintf("%d VMs were stopped, and %d were to be", stops, s.stops))
	}

	if name := cordoned(n); !s.waits && name != "" {
		s.show(n, "the Node of "+name+" stays cordoned")
	}

	for id, vm := range n.proxmox().VMs {
		if has := world.Object(world.At(world.List(vm.Running["memory"]), 0))["dedicated"]; s.runsWith != 0 && has != s.runsWith {
			s.show(n, fmt.Sprintf("VM %d runs with %v MiB", id, has))
		}
	}

	if fault := s.haEnds(n); fault != "" {
		s.show(n, fault)
	}

	for _, typ := range world.Keys(s.says) {
		reason := s.says[typ]
		if rsp := n.cluster.Machines[0].Call(); world.Reason(rsp, typ) != reason {
			s.show(n, fmt.Sprintf("%s is %s: %s; want %s", typ, world.Reason(rsp, typ), world.Message(rsp, typ), reason))
		}
	}

	if s.waits && len(s.says) == 0 && runs == 0 {
		s.show(n, "nobody got a VM")
	}
}

// runningOf counts the VMs and containers that run.
func runningOf(p *world.Proxmox) int {
	runs := 0

	for _, vm := range p.VMs {
		if vm.Running != nil {
			runs++
		}
	}

	for _, c := range p.Containers {
		if c.Config["started"] == true {
			runs++
		}
	}

	return runs
}

// end says whether all states were found.
func (s *search) end() string {
	if s.more {
		return "bounded"
	}

	return "all states"
}
