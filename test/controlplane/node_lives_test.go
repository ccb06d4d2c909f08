package controlplane

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/test/controlplane/k3s"
	"github.com/homelab-io/function-proxmox-machine/test/controlplane/plane"
)

// TestNodes reads the Nodes of a K3s cluster that lives on the same plane as Crossplane: docs/node.md. It has a plane of its own, since
// Crossplane keeps a right that it had once for as long as it runs.
func TestNodes(t *testing.T) {
	t.Parallel()

	n := nodesOn(t, claims)
	n.live(t, []nodesStep{
		{"NoRights", n.noRights},
		{"Join", n.join},
		{"OtherMachines", n.otherMachines},
		{"LaterTroubles", n.laterTroubles},
		{"Quorum", n.quorum},
		{"Volumes", n.volumes},
		{"RestartAllServers", n.restartAll},
		{"ReplaceAllServers", n.replaceAll},
		{"ProviderKubernetes", n.withObjects},
		{"ReplaceWithoutHands", n.replaceAlone},
		{"AgentLeaves", n.agentLeaves},
		{"ServerLeaves", n.serverLeaves},
		{"ForeignNodeStays", n.foreignStays},
		{"LastServer", n.lastServer},
	})
}

// nodesOn a plane of its own with an installation.
func nodesOn(t *testing.T, on *installation) *nodesRun {
	t.Helper()

	r := ownRig(t, on, "nodes")

	return &nodesRun{
		rig: r, k3s: r.observing(t, "None"),
		servers: []*unstructured.Unstructured{edited(k3sNode("server-1", "server", 201), map[string]any{"k3s.init": true})},
		agents:  []*unstructured.Unstructured{k3sNode("agent-1", "agent", 211)},
	}
}

// A nodesStep is a part of the life of a cluster.
type nodesStep struct {
	name string
	do   func(t *testing.T)
}

// live through steps, which build on one another.
func (n *nodesRun) live(t *testing.T, steps []nodesStep) {
	t.Helper()

	for _, step := range steps {
		if !t.Run(step.name, step.do) {
			t.Fatal("the steps build on one another")
		}
	}
}

// A nodesRun is a cluster of K3s while it grows.
type nodesRun struct {
	*rig

	k3s *k3s.Cluster

	servers, agents []*unstructured.Unstructured
}

// safe checks that nothing happened that must never happen.
func (n *nodesRun) safe(t *testing.T) {
	t.Helper()

	if v := n.k3s.Violations(); len(v) > 0 {
		t.Fatalf("what must never happen: %s\n%s", strings.Join(v, "; "), strings.Join(n.k3s.Journal(), "\n"))
	}
}

// noRights: the catalogue says observe: Here before Crossplane may read Nodes. All K3s nodes of the cluster freeze as docs/node.md says, no VM is
// touched, and all continue once the ClusterRole is there.
func (n *nodesRun) noRights(t *testing.T) {
	first, agent := n.servers[0], n.agents[0]
	other := machine("node-bystander", 7050) // No K3s node, so that nobody asks for its Node.

	must(t, n.apply(t.Context(), first, other))
	must(t, n.settled(t.Context(), first))
	must(t, n.settled(t.Context(), other))

	written := len(n.world.Journal())
	before, err := n.desired(t.Context(), first)
	must(t, err)

	begin := time.Now()

	must(t, n.apply(t.Context(), catalogueOfNodes("Here")))
	plane.Rest(t.Context(), moment) // Until Crossplane waits for the Node.
	must(t, n.apply(t.Context(), tag(first, "edited"), agent))

	sent := time.Now()

	must(t, n.apply(t.Context(), tag(other, "stalled")))

	// The claim stays Ready.
	must(t, n.frozen(t.Context(), first))
	t.Logf("%s: Crossplane says that it cannot get its Node after %s", first.GetName(), time.Since(begin).Round(time.Second))
	must(t, n.tells(t.Context(), first, is("Ready", "")))

	after, err := n.desired(t.Context(), first)
	must(t, err)

	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("managed resources of a frozen machine changed: -before, +after:\n%s", diff)
	}

	for _, line := range n.world.Journal()[written:] {
		if !strings.Contains(line, "VM 7050") {
			t.Errorf("while K3s nodes are frozen, Proxmox is told: %s", line)
		}
	}

	begin = time.Now()

	n.grant(t)
	must(t, n.tells(t.Context(), first, joined(true)...))
	t.Logf("%s continues %s after the ClusterRole was applied", first.GetName(), time.Since(begin).Round(time.Second))
	must(t, n.until(t.Context(), "the edit has arrived", func(ctx context.Context) (bool, string) {
		vm := n.vm(ctx, first)

		return vm != nil && strings.Contains(fmt.Sprint(vm.Object["spec"]), "edited"), "it has not"
	}))
	n.servers[0] = tag(first, "edited")

	// Crossplane reads for all through one lock, so that machines of other kinds may have waited, too.
	must(t, n.tagged(t.Context(), 7050, "stalled"))
	t.Logf("another machine's edit arrived %s after it was made", time.Since(sent).Round(time.Second))
	must(t, n.remove(t.Context(), other))
	must(t, n.tells(t.Context(), agent, joined(false)...))
	n.safe(t)
}

// frozen waits until Crossplane says of the composite of a claim that it cannot get its Node. It says so in an event; the condition Synced
// becomes False only if the composite can be written then, which may take another round of two minutes.
func (r *rig) frozen(ctx context.Context, claim *unstructured.Unstructured) error {
	return r.until(ctx, claim.GetName()+" is frozen", func(ctx context.Context) (bool, string) {
		x, err := r.composite(ctx, claim)
		if err != nil {
			return false, err.Error()
		}

		events, err := r.eventsOf(ctx, x)
		if err != nil {
			return false, err.Error()
		}

		return slices.ContainsFunc(events, func(e corev1.Event) bool {
			return e.Reason == "ComposeResources" && strings.Contains(e.Message, "fetching resources for k3s-node: cannot get required resource by name: Timeout")
		}), conditions(x)
	})
}

// join: servers and agents that are made while their cluster is observed are Ready when their Node was seen, and not before.
func (n *nodesRun) join(t *testing.T) {
	// If this test runs without the one before.
	n.grant(t)
	must(t, n.apply(t.Context(), catalogueOfNodes("Here"), n.servers[0], n.agents[0]))
	must(t, n.tells(t.Context(), n.servers[0], joined(true)...))
	must(t, n.tells(t.Context(), n.agents[0], joined(false)...))

	made := []*unstructured.Unstructured{k3sNode("server-2", "server", 202), k3sNode("server-3", "server", 203)}
	n.servers = append(n.servers, made...)

	early := n.early(t, made)

	must(t, n.apply(t.Context(), made...))

	g, ctx := errgroup.WithContext(t.Context())

	for _, c := range made {
		g.Go(func() error {
			// Ready is sticky, so the time is that of the Node's own condition. That Crossplane sees a Node at once is counted in nodeEvents: here it is shown.
			err := n.tells(ctx, c, is("NodeReady", "KubeletReady"))
			t.Logf("%s says that its Node is Ready %s after it is", c.GetName(), time.Since(n.k3s.ReadySince(c.GetName())).Round(10*time.Millisecond))

			return err
		})
	}

	must(t, g.Wait())

	for _, c := range made {
		must(t, n.tells(t.Context(), c, joined(true)...))
		n.reports(t, c, []any{"control-plane", "etcd"})
	}

	for _, line := range early() {
		t.Errorf("a machine is Ready before anybody saw its Node: %s", line)
	}

	if diff := cmp.Diff([]string{"node-server-1 votes", "node-server-2 votes", "node-server-3 votes"}, n.k3s.Members()); diff != "" {
		t.Errorf("members: -want, +got:\n%s", diff)
	}

	n.safe(t)
}

// early watches claims, and tells which of them were Ready before their Node had joined.
func (n *nodesRun) early(t *testing.T, claims []*unstructured.Unstructured) func() []string {
	t.Helper()

	seen := n.watchAll(t, claims)

	return func() []string {
		var out []string

		has := map[string]bool{}

		for _, o := range seen() {
			has[o.GetName()] = has[o.GetName()] || condition(o, "NodeJoined").status == "True"
			if condition(o, "Ready").status == "True" && !has[o.GetName()] {
				out = append(out, o.GetName()+": "+conditions(o))
			}
		}

		if len(has) != len(claims) {
			out = append(out, fmt.Sprintf("%d of %d claims were seen", len(has), len(claims)))
		}

		return out
	}
}

// reports checks status.kubernetes of a claim.
func (n *nodesRun) reports(t *testing.T, claim *unstructured.Unstructured, roles []any) {
	t.Helper()

	now, err := n.now(t.Context(), claim)
	must(t, err)

	got, _, _ := unstructured.NestedMap(now.Object, "status", "kubernetes")
	want := map[string]any{"name": claim.GetName(), "joined": true, "ready": true, "version": "v1.33.6+k3s1"}

	if roles != nil {
		want["roles"] = roles
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status.kubernetes of %s: -want, +got:\n%s", claim.GetName(), diff)
	}
}

// otherMachines: the Node of another machine has the name before the VM is made: the rest of an earlier one, and one that lives. Neither counts
// as the claim's, K3s refuses the VM, and the claim says what to do.
func (n *nodesRun) otherMachines(t *testing.T) {
	stale, foreign := k3sNode("agent-2", "agent", 212), k3sNode("agent-3", "agent", 213)
	n.agents = append(n.agents, stale)

	must(t, n.k3s.AddForeign(t.Context(), stale.GetName(), false))
	must(t, n.k3s.AddForeign(t.Context(), foreign.GetName(), true))
	must(t, n.apply(t.Context(), stale, foreign))

	unknown := []word{{"NodeReady", "Unknown", "NoNode", ""}, {"VersionCurrent", "Unknown", "NoNode", ""}, isNot("Ready", "", "")}

	must(t, n.tells(t.Context(), stale, append(unknown, is("MachineReady", "Running"), isNot("NodeJoined", "OtherMachine", deleteCommand(stale.GetName())))...))
	must(t, n.until(t.Context(), "K3s refuses "+stale.GetName(), func(context.Context) (bool, string) {
		said := n.k3s.Refusals(stale.GetName())

		return slices.Equal(said, []string{k3s.RefusedPassword}), strings.Join(said, "; ")
	}))

	// A machine of that name runs, so that no VM is made that would take its place.
	must(t, n.tells(t.Context(), foreign, append(unknown, isNot("MachineReady", "OtherMachine", ""), isNot("NodeJoined", "OtherMachine", deleteCommand(foreign.GetName())))...))

	for _, c := range []*unstructured.Unstructured{stale, foreign} {
		now, err := n.now(t.Context(), c)
		must(t, err)

		if got, _, _ := unstructured.NestedMap(now.Object, "status", "kubernetes"); !cmp.Equal(got, map[string]any{"name": c.GetName(), "joined": false, "ready": false}) {
			t.Errorf("status.kubernetes repeats what another machine's Node says: %v", got)
		}
	}

	// A person deletes the stale Node, and gives the other machine its name back.
	must(t, n.k3s.Delete(t.Context(), stale.GetName()))
	must(t, n.tells(t.Context(), stale, joined(false)...))
	n.reports(t, stale, nil)
	must(t, n.remove(t.Context(), foreign))

	if n.k3s.Owner(foreign.GetName()) != 0 {
		t.Errorf("the Node of another machine is ours")
	}

	must(t, n.k3s.Delete(t.Context(), foreign.GetName()))
	n.safe(t)
}

// laterTroubles of a node that has joined are said, and do not take Ready back.
func (n *nodesRun) laterTroubles(t *testing.T) {
	agent := n.agents[0]
	name := agent.GetName()
	unready := n.watch(t, agent)

	must(t, n.k3s.FailKubelet(name, true))
	must(t, n.tells(t.Context(), agent, isNot("NodeReady", "KubeletNotReady", "kubectl describe node "+name), is("NodeJoined", "Joined"), is("Ready", "")))
	must(t, n.k3s.FailKubelet(name, false))
	must(t, n.tells(t.Context(), agent, joined(false)...))

	must(t, n.k3s.Delete(t.Context(), name))
	must(t, n.tells(t.Context(), agent, isNot("NodeJoined", "NodeGone", "registers again when K3s restarts"), is("Ready", "")))

	for _, line := range unready() {
		t.Errorf("a later trouble of its node takes Ready back: %s", line)
	}

	agent = edited(agent, map[string]any{"lifecycle": map[string]any{"reboot": "register"}})
	n.agents[0] = agent
	before := len(n.world.Journal())

	must(t, n.apply(t.Context(), agent))

	// On a busy machine Crossplane may write once more what a claim said before: what it says counts from when the Node is there.
	must(t, n.until(t.Context(), name+" registers again", func(context.Context) (bool, string) {
		return n.k3s.Owner(name) != 0, strings.Join(n.world.Journal()[before:], "; ")
	}))
	must(t, n.tells(t.Context(), agent, joined(false)...))

	if told := n.toldNodes(before, agent); count(told, "stop") != 1 {
		t.Errorf("%s is to restart once; Proxmox was told: %s", name, strings.Join(told, ", "))
	}

	n.safe(t)
}

// toldNodes is what the journal has since a line about the VMs that are machines' Nodes now. Whoever judges servers must not read of others: an
// agent may stop when it likes, and tests before this one have ended machines, too.
func (n *nodesRun) toldNodes(since int, machines ...*unstructured.Unstructured) []string {
	return slices.DeleteFunc(n.world.Journal()[since:], func(line string) bool {
		return !slices.ContainsFunc(machines, func(c *unstructured.Unstructured) bool { return isAbout(line, n.k3s.Owner(c.GetName())) })
	})
}

// count lines of the journal that begin with a verb.
func count(lines []string, verb string) (n int) {
	for _, line := range lines {
		if strings.HasPrefix(line, verb+" ") {
			n++
		}
	}

	return n
}

// quorum: a server that lost its vote does not count although its VM runs, and the others wait for it.
func (n *nodesRun) quorum(t *testing.T) {
	lost, waits := n.servers[2], n.servers[1]
	before := len(n.world.Journal())

	must(t, n.k3s.LoseVote(lost.GetName(), true))
	must(t, n.tells(t.Context(), lost, isNot("EtcdMember", "NotAMember", ""), is("Ready", "")))

	waits = edited(waits, map[string]any{"lifecycle": map[string]any{"reboot": "now"}})
	n.servers[1] = waits

	must(t, n.apply(t.Context(), waits))
	must(t, n.tells(t.Context(), waits, word{"RebootPending", "True", "WaitingForQuorum", lost.GetName() + " (its etcd member does not vote)"}))

	if told := n.toldNodes(before, n.servers...); count(told, "stop") > 0 {
		t.Errorf("a server is stopped that its cluster needs: %s", strings.Join(told, ", "))
	} else if all := n.world.Journal()[before:]; count(all, "stop") > 0 {
		t.Logf("meanwhile others are stopped, which are no servers: %s", strings.Join(all, ", "))
	}

	must(t, n.k3s.LoseVote(lost.GetName(), false))
	must(t, n.until(t.Context(), "the server was restarted", func(context.Context) (bool, string) {
		now := n.toldNodes(before, waits)

		return count(now, "stop") > 0 && strings.HasPrefix(now[len(now)-1], "start"), strings.Join(now, ", ")
	}))
	must(t, n.tells(t.Context(), waits, append(joined(true), isNot("RebootPending", "NothingPending", ""))...))
	must(t, n.tells(t.Context(), lost, joined(true)...))
	n.safe(t)
}

// restartAll servers by one commit. A VM that runs again is no server yet: its etcd takes longer, and its Node and its vote are what they were
// before, until somebody finds out.
func (n *nodesRun) restartAll(t *testing.T) {
	before := len(n.world.Journal())

	n.k3s.Fewest()

	for i, c := range n.servers {
		n.servers[i] = edited(c, map[string]any{"lifecycle": map[string]any{"reboot": "all"}})
	}

	rehearsed := n.rehearses(t, n.vmsOf(n.servers...), n.servers...)

	must(t, n.apply(t.Context(), n.servers...))
	must(t, n.until(t.Context(), "all servers were restarted", func(context.Context) (bool, string) {
		now := n.toldNodes(before, n.servers...)

		return count(now, "start") == len(n.servers), strings.Join(now, ", ")
	}))

	for _, c := range n.servers {
		must(t, n.tells(t.Context(), c, append(joined(true), isNot("RebootPending", "NothingPending", ""))...))
	}

	if few := n.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2: one was away at a time", few)
	}

	rehearsed.cameInAnyOrder(t, "done")
	n.safe(t)
}

// replaceAll servers by one commit: one after the other, with a majority of votes at all times. All that a person does is what claims tell
// him to do. The function is killed on the way.
func (n *nodesRun) replaceAll(t *testing.T) {
	was := map[string]int{}

	for i, c := range n.servers {
		was[c.GetName()] = n.k3s.Owner(c.GetName())
		n.servers[i] = edited(c, map[string]any{"lifecycle": map[string]any{"replace": "a"}})
	}

	n.k3s.Fewest()

	begin := time.Now()

	must(t, n.apply(t.Context(), n.servers...))

	killed := false

	must(t, n.until(t.Context(), "all servers are replaced", func(ctx context.Context) (bool, string) {
		done, why := 0, []string{}

		for _, c := range n.servers {
			name := c.GetName()

			now, err := n.now(ctx, c)
			if err != nil {
				return false, err.Error()
			}

			said := conditions(now)

			// The hand of a person, who does as he is told.
			if strings.Contains(said, deleteCommand(name)) && !n.k3s.OwnerRuns(name) {
				if err := n.k3s.Delete(ctx, name); err == nil {
					t.Logf("%s: a person deletes Node %s", time.Since(begin).Round(time.Second), name)
				}
			}

			if id := n.k3s.Owner(name); id != 0 && id != was[name] && condition(now, "EtcdMember").reason == "Voter" && condition(now, "ReplacementRequired").reason == "NotRequired" {
				done++
			} else {
				why = append(why, name+": "+said)
			}
		}

		if done == 1 && !killed {
			killed = true
			f := n.function(t)

			f.Kill()
			must(t, f.Start(ctx))
		}

		return done == len(n.servers), strings.Join(why, "\n")
	}))

	t.Logf("three servers were replaced in %s", time.Since(begin).Round(time.Second))

	for _, c := range n.servers {
		must(t, n.tells(t.Context(), c, joined(true)...))
	}

	if !killed {
		t.Error("the function was not killed on the way")
	}

	if few := n.k3s.Fewest(); few != 2 {
		t.Errorf("%d servers voted at the worst moment, want 2: one was away at a time", few)
	}

	if diff := cmp.Diff([]string{"node-server-1 votes", "node-server-2 votes", "node-server-3 votes"}, n.k3s.Members()); diff != "" {
		t.Errorf("members: -want, +got:\n%s", diff)
	}

	n.safe(t)
}
