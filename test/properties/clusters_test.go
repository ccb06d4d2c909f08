package properties

import (
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// A world that fails is played alone by -seed and -world.
var (
	worldCount = flag.Uint64("worlds", 12, "how many random K3sClusters")
	oneWorld   = flag.Int64("world", -1, "play only this K3sCluster")
)

// maxRounds until a cluster is at rest after an edit, or says what a person has to do.
const maxRounds = 150

// TestClusterWorlds edits random K3sClusters, lets things happen to them, and does what they say: see [world.ClusterWorld] for what no call may break.
func TestClusterWorlds(t *testing.T) {
	first, end := uint64(0), *worldCount
	if *oneWorld >= 0 {
		first, end = uint64(*oneWorld), uint64(*oneWorld)+1
	}

	for i := first; i < end; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()

			// No other draw of a seed begins there.
			newClusterLife(t, newDraw(*seed, i+1<<40)).play()
		})
	}
}

// A clusterLife is that of a K3sCluster, with what a person has done in it.
type clusterLife struct {
	*world.ClusterWorld
	draw

	t      *testing.T
	story  []string
	good   map[string]any // The claim when the rollout was complete last.
	lost   []string       // Nodes on a Proxmox node that is dead.
	edited int            // The round of the last edit of the cluster.
}

func newClusterLife(t *testing.T, d draw) *clusterLife {
	w := &clusterLife{draw: d, t: t}
	observe := pick(d, "Here", "Object", "")
	c := fake.NewCluster(t, compose.Answer)
	c.Fault, c.Memory = w.fault, memory
	w.ClusterWorld = world.NewClusterWorld(c, observe, w.claim(observe))
	w.Machine.Provider.Every = pick(d, 1, 1, 4)
	w.Machine.Provider.TellsAfter = pick(d, 0, 0, 3)
	w.note("the provider looks every %d rounds, and tells %d later that a VM runs", w.Machine.Provider.Every, w.Machine.Provider.TellsAfter)

	return w
}

// claim of a cluster, as small as can show something.
func (w *clusterLife) claim(observe string) string {
	upgrade, unavailable := pick(w.draw, "None", "Replace"), 1+w.IntN(2)
	if observe != "" {
		upgrade = pick(w.draw, "None", "Replace", "SystemUpgrade")
	}

	// The controller that is played holds that one node at a time is upgraded.
	if upgrade == "SystemUpgrade" {
		unavailable = 1
	}

	spec := fmt.Sprintf(`{servers: {count: %d}, agents: [{name: worker, count: %d, class: agent}], upgrade: %s,
		rollout: {drain: %t, rebootPolicy: %s, maxUnavailable: %d, replacePolicy: %s}}`,
		pick(w.draw, 1, 1, 3, 3, 3, 3, 5), w.IntN(3), upgrade, observe != "" && w.chance(40), pick(w.draw, "OnRequest", "WhenNeeded"), unavailable,
		pick(w.draw, "WhenNeeded", "WhenNeeded", "OnRequest"))
	w.note("observe %q, %s", observe, spec)

	return spec
}

func (w *clusterLife) note(format string, args ...any) {
	w.story = append(w.story, fmt.Sprintf("round %d: "+format, append([]any{w.rounds()}, args...)...))
}

func (w *clusterLife) rounds() int {
	if w.ClusterWorld == nil {
		return 0
	}

	return w.Rounds
}

func (w *clusterLife) fault(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("go test ./test/properties -run 'TestClusterWorlds$' -seed %d -world %s\n  %s\n%s\n%s\ndone: %v", *seed, w.t.Name()[strings.LastIndex(w.t.Name(), "/")+1:],
		fmt.Sprintf(format, args...), strings.Join(w.story, "\n"), w.Story(), w.Proxmox.Done)
}

// play the world: it begins, is edited while things happen, and comes to rest as its claim describes it.
func (w *clusterLife) play() {
	w.good = world.Object(world.Copy(w.Spec()))
	w.rests("the beginning")
	w.complete()

	for range 1 + w.IntN(3) {
		if w.chance(85) {
			w.edits()
		}

		if w.chance(50) {
			w.passes(w.IntN(8))
			w.happens()
		}

		w.passes(w.IntN(12))

		if w.chance(60) {
			w.heals()
			w.rests("an edit")
			w.complete()
		}
	}

	w.heals()
	w.rests("the last edit")
	w.complete()
}

// passes: some rounds go by, in some of which Crossplane reads what is not the newest.
func (w *clusterLife) passes(rounds int) {
	for range rounds {
		w.Round(w.chance(20))
	}
}

func (w *clusterLife) rests(after string) {
	if !w.Until(maxRounds) {
		state, message := w.State()
		w.fault("no rest %d rounds after %s: %s: %s", maxRounds, after, state, message)
	}
}

// complete does what the cluster says, until the rollout is. What no message gets on with, the edits since then take back, as docs/clusters.md says.
func (w *clusterLife) complete() {
	back := false

	for range 12 {
		state, message := w.State()
		if state == "Complete" && w.well() == "" {
			w.good = world.Object(world.Copy(w.Spec()))
			return
		}

		switch {
		case w.follows(message):
		case !back:
			w.note("%s: %s; the edits are taken back", state, message)
			w.takesBack(w.good)

			back = true
		default:
			w.fault("at rest, and no way out: %s: %s; %s", state, message, w.well())
		}

		w.rests("what a person did")
	}

	state, message := w.State()
	w.fault("what the messages say leads nowhere: %s: %s", state, message)
}

// well is empty where all nodes that the claim describes run, and serve.
func (w *clusterLife) well() string {
	for _, name := range w.Nodes().Names() {
		if _, vm := w.VM(name); vm == nil || vm.Running == nil {
			return name + " does not run"
		}
	}

	return ""
}

var (
	restartsVM = regexp.MustCompile(`restart VM (\d+) in Proxmox`)
	// A server that was replaced, and its word.
	confirms = regexp.MustCompile("(?:Server home-(server-\\d) of K3s cluster home was replaced, and nobody confirmed[^`]*`kubectl get nodes`[^`]*`([^`]+)`)|" +
		"(?:home-(server-\\d) \\(was replaced, and its (?:spec.)?lifecycle.joined does not say `([^`]+)`)")
	replaces    = regexp.MustCompile(`set lifecycle.replace to a new value for ([a-z]+-\d)`)
	older       = regexp.MustCompile(`is (?:older than|a minor release before) (v[^\s,]+), which (?:node|all servers)`)
	another     = regexp.MustCompile(`as the only server of the cluster: give ([a-z]+-\d) another value`)
	otherNumber = regexp.MustCompile(`choose another VMID in spec\.nodes\[([a-z]+-\d)\]\.vmId`)
	sameNumber  = regexp.MustCompile(`spec\.nodes\[([a-z]+-\d)\]\.vmId is the old VM's VMID, \d+: choose another VMID, or remove the field`)
	deletesNode = regexp.MustCompile("kubectl delete node (home-[a-z0-9-]+)")
)

// follows a message: it says whether there was anything that a person could do.
func (w *clusterLife) follows(message string) bool {
	text := message + "\n" + world.Message(w.Last, "NodesLost") + "\n" + w.Story()

	switch {
	case w.confirms(confirms.FindStringSubmatch(text)):
	case restartsVM.MatchString(text) && !w.onDead(restartsVM.FindStringSubmatch(text)[1]):
		w.restarts(restartsVM.FindStringSubmatch(text)[1])
	case deletesNode.MatchString(text) && w.Cluster().Nodes[deletesNode.FindStringSubmatch(text)[1]] != nil:
		name := deletesNode.FindStringSubmatch(text)[1]
		w.note("a person deletes Node %s", name)
		w.Cluster().DeleteNode(name)
	case replaces.MatchString(message):
		name := replaces.FindStringSubmatch(message)[1]
		w.note("a person has %s replaced", name)
		w.Node(name, fmt.Sprintf("{lifecycle: {replace: by-hand-%d}}", w.Rounds))
	case older.MatchString(message):
		// An upgrade that was begun is not taken back.
		release := older.FindStringSubmatch(message)[1]
		w.note("a person lets %s stand", release)
		w.Edit("{version: " + release + "}")
	case strings.Contains(message, "rollout.pause holds"):
		w.note("a person ends the pause")
		delete(world.Object(w.Spec()["rollout"]), "pause")
	case strings.Contains(message, "Nobody may drain the nodes") && strings.Contains(message, "spec.rollout.drain to false"):
		w.note("a person does without drains")
		w.Edit("{rollout: {drain: false}}")
	case strings.Contains(message, "with rollout.replacePolicy: OnRequest"):
		w.note("a person leaves the VM of the only server as it is")
		w.Edit("{rollout: {replacePolicy: OnRequest}}")
	case another.MatchString(message):
		name := another.FindStringSubmatch(message)[1]
		w.note("a person gives %s another address", name)
		w.Node(name, "{ip: 192.168.4.25"+name[len(name)-1:]+"}")
	case otherNumber.MatchString(message):
		name := otherNumber.FindStringSubmatch(message)[1]
		w.note("a person gives %s another number", name)
		w.Node(name, fmt.Sprintf("{vmId: %d}", 9000+w.Rounds)) // Outside of the range, and another one each time.
	case sameNumber.MatchString(message):
		name := sameNumber.FindStringSubmatch(message)[1]
		w.note("a person takes the number of %s away", name)
		w.Node(name, "{vmId: null}")
	case w.deletesStaleNode():
	case strings.Contains(text, "a value that nobody has"):
		w.swapsInTwo()
	case strings.Contains(text, "set lost: true for it"), strings.Contains(text, "set lifecycle.replace to a new value for it"):
		w.replacesLost()
	default:
		return false
	}

	return true
}

// confirms that a server which was replaced has joined, where that is so.
func (w *clusterLife) confirms(match []string) bool {
	if match == nil {
		return false
	}

	name, word := match[1]+match[3], match[2]+match[4]

	id, vm := w.VM(name)
	if vm == nil || !w.Cluster().Serves("home-"+name, id, vm) {
		return false
	}

	w.note("a person confirms that %s has joined: %s", name, word)
	w.Node(name, "{lifecycle: {joined: "+word+"}}")

	return true
}

// deletesStaleNode of a VM that was replaced: the new one says that it waits, and in the guest `k3s-bootstrap status` says why.
func (w *clusterLife) deletesStaleNode() bool {
	for _, name := range w.Nodes().Names() {
		id, vm := w.VM(name)
		if registered := w.Cluster().Registered("home-" + name); !w.observes() && vm != nil && vm.Running != nil && registered != 0 && registered != id {
			w.note("a person deletes Node home-%s, which is that of VM %d", name, registered)
			w.Cluster().DeleteNode("home-" + name)

			return true
		}
	}

	return false
}

func (w *clusterLife) onDead(id string) bool {
	for n, vm := range w.Proxmox.VMs {
		if fmt.Sprint(n) == id {
			return slices.Contains(w.Proxmox.Dead, vm.Node())
		}
	}

	return true
}

// restarts a VM in Proxmox.
func (w *clusterLife) restarts(id string) {
	w.note("a person restarts VM %s", id)

	for n := range w.Proxmox.VMs {
		if fmt.Sprint(n) == id {
			w.Happens(func() { w.Proxmox.Stop(n); w.Proxmox.Start(n) })
		}
	}
}

// swapsInTwo commits what one cannot do: one of the nodes gets an address that nobody has first.
func (w *clusterLife) swapsInTwo() {
	w.note("a person swaps in two commits")

	nodes := world.Copy(w.Spec()["nodes"])
	w.Node("server-0", "{ip: 192.168.4.231}")
	w.Node("server-1", "{ip: 192.168.4.211}")
	w.rests("the first commit of a swap")
	w.complete()

	w.note("the second commit of the swap")
	w.Spec()["nodes"] = nodes
}

// takesBack an edit. The words for what was lost stay.
func (w *clusterLife) takesBack(before map[string]any) {
	servers := world.Object(w.Spec()["servers"])["count"]

	maps.DeleteFunc(w.Spec(), func(string, any) bool { return true })
	maps.Copy(w.Spec(), world.Object(world.Copy(before)))

	// Where nobody reads the Nodes no server can go.
	if !w.observes() {
		world.Object(w.Spec()["servers"])["count"] = servers
	}

	w.replacesLost()
}

func (w *clusterLife) replacesLost() {
	if len(w.lost) > 0 {
		site := world.Object(world.Object(world.Object(w.Machine.Catalogue["data"])["sites"])["home"])
		delete(world.Object(site["nodes"]), w.Proxmox.Dead[0])

		// So is one whose VM was being made there when the Proxmox node died.
		for _, name := range w.Nodes().Names() {
			if _, vm := w.VM(name); vm != nil && vm.Node() == w.Proxmox.Dead[0] && !slices.Contains(w.lost, name) {
				w.lost = append(w.lost, name)
			}
		}
	}

	for _, name := range w.lost {
		w.note("%s is lost, and is to be replaced", name)
		w.Node(name, "{lost: true, lifecycle: {replace: lost}}")
	}

	if w.observes() {
		return
	}

	// Nobody else deletes their Nodes where nobody observes: docs/clusters.md, the step after the commit.
	w.Round(false)
	w.Heard(w.lost)

	for _, name := range w.lost {
		if id, vm := w.VM(name); vm != nil && vm.Node() == w.Proxmox.Dead[0] && w.Cluster().Registered("home-"+name) == id {
			w.Cluster().DeleteNode("home-" + name)
		}
	}
}

// edits of a claim.
func (w *clusterLife) edits() {
	edit := pick(w.draw, w.clusterEdit, w.clusterEdit, w.nodeEdit)
	edit()
}

func (w *clusterLife) clusterEdit() {
	servers := len(slices.DeleteFunc(w.Nodes().Names(), func(n string) bool { return !strings.HasPrefix(n, "server-") }))
	counts := map[int][]int{1: {1, 3}, 3: {1, 5}, 5: {3, 1}}[servers]

	// Where nobody reads the Nodes no server can go.
	if !w.observes() || len(counts) == 0 {
		counts = []int{max(3, servers)}
	}

	edit := pick(w.draw,
		fmt.Sprintf("servers: {count: %d}", pick(w.draw, counts...)),
		fmt.Sprintf("servers: {count: %d, class: server-large}", pick(w.draw, counts...)),
		fmt.Sprintf("agents: [{name: worker, count: %d, class: %s}]", w.IntN(3), pick(w.draw, "agent", "agent-large")),
		fmt.Sprintf("agents: [{name: worker, count: %d, class: agent, image: debian-12}]", w.IntN(3)),
		"servers: {class: server-large}", "servers: {image: debian-12}", "servers: {class: none}",
		"version: v1.36.2+k3s1", "version: v1.38.2+k3s1", "version: v1.36", "upgrade: Replace", "upgrade: None",
		"rollout: {drain: true}", "rollout: {rebootPolicy: WhenNeeded}", "rollout: {pause: true}",
		fmt.Sprintf("agents: [{name: worker, count: %d, class: agent, labels: {tier: %s}, taints: [\"only=%s:NoSchedule\"]}]", w.IntN(3), pick(w.draw, "a", "b"), pick(w.draw, "a", "b")),
		fmt.Sprintf("agents: [{name: %s, count: %d, class: agent}]", pick(w.draw, "gpu", "worker"), 1+w.IntN(2)),
		"servers: {labels: {tier: a}}", "servers: {snapshots: {schedule: \"0 */6 * * *\", retention: 5}}", "endpoint: \"https://192.168.4.99:6443\"",
		"servers: {template: {k3s: {config: {etcd-snapshot-retention: 9}}}}", "servers: {template: {k3s: {config: {disable-etcd: true}}}}",
		"servers: {template: {k3s: {config: {datastore-cafile: /etc/ssl/x.crt}}}}", "servers: {template: {k3s: {config: {no-such-key: 1}}}}",
		"deletionProtection: true", "deletionPolicy: Delete")

	w.edited = w.Rounds

	// A pause ends with the next edit.
	delete(world.Object(w.Spec()["rollout"]), "pause")
	w.note("edit %s", edit)
	w.Edit("{" + edit + "}")
}

// observes says whether somebody reads the Nodes of the cluster.
func (w *clusterLife) observes() bool {
	return world.Object(world.Object(world.Object(w.Machine.Catalogue["data"])["clusters"])["home"])["observe"] != nil
}

func (w *clusterLife) nodeEdit() {
	names := w.Nodes().Names()
	if len(names) == 0 {
		return
	}

	name := pick(w.draw, names...)
	word := fmt.Sprint("w", w.IntN(1000))
	edit := pick(w.draw, "lifecycle: {replace: "+word+"}", "lifecycle: {reboot: "+word+"}", "ip: 192.168.4.24"+fmt.Sprint(w.IntN(9)), "swap")

	w.note("%s: %s", name, edit)

	if edit != "swap" {
		w.Node(name, "{"+edit+"}")
		return
	}

	w.Node("server-0", "{ip: 192.168.4.212}")
	w.Node("server-1", "{ip: 192.168.4.211}")
}

// happens what no call does.
func (w *clusterLife) happens() {
	names := slices.DeleteFunc(w.Nodes().Names(), func(n string) bool { _, vm := w.VM(n); return vm == nil })
	if len(names) == 0 {
		return
	}

	name := pick(w.draw, names...)
	id, vm := w.VM(name)

	switch what := pick(w.draw, "stopped", "destroyed", "silent", "refused", "dead"); what {
	case "stopped":
		w.note("somebody stops VM %d of %s", id, name)
		w.Happens(func() { w.Proxmox.Stop(id) })
	case "destroyed":
		// The state of an only server is lost with it, and that of one that is about to be the only one: a scene of test/behaviour.
		if len(w.Members()) > 1 && w.wanted("server-1") || !strings.HasPrefix(name, "server-") {
			w.note("somebody destroys VM %d of %s", id, name)
			w.Happens(func() { delete(w.Proxmox.VMs, id) })
		}
	case "silent":
		// Where nobody reads Nodes, nobody can know.
		if w.observes() {
			w.note("the kubelet of %s does not report", name)
			w.Happens(func() { w.Sick["home-"+name] = true })
		}
	case "refused":
		w.note("the API server refuses class server-large")
		w.Nodes().Refuses = func(spec map[string]any) bool { return spec["class"] == "server-large" }
	case "dead":
		w.dies(vm.Node())
	}
}

// dies: a Proxmox node is without power, unless a majority of the servers is on it, which no call can get over: docs/clusters.md has steps for a person.
func (w *clusterLife) dies(host string) {
	var on []string

	servers := 0

	for _, name := range w.Nodes().Names() {
		if _, vm := w.VM(name); vm != nil && vm.Node() == host {
			on = append(on, name)

			if strings.HasPrefix(name, "server-") {
				servers++
			}
		}
	}

	// A node that goes by an edit is deleted before anybody can know that its Proxmox node went with the same minute: the deletion ends when that is back.
	const seen = 4
	if leaves := slices.ContainsFunc(on, func(name string) bool { return !w.wanted(name) }); leaves || 2*(len(w.Members())-servers) <= len(w.Members()) || len(w.Proxmox.Dead) > 0 || w.Rounds < w.edited+seen {
		return
	}

	w.note("Proxmox node %s dies, with %v", host, on)
	w.lost = on
	w.Happens(func() { w.Proxmox.Die(host) })
}

// wanted says whether the claim describes a node.
func (w *clusterLife) wanted(node string) bool {
	pool, number, _ := strings.Cut(node, "-")
	servers := map[string]any{"name": "server", "count": world.Object(w.Spec()["servers"])["count"]}

	return slices.ContainsFunc(append(slices.Clone(world.List(w.Spec()["agents"])), servers), func(of any) bool {
		p := world.Object(of)
		index, _ := strconv.Atoi(number)
		count, _ := strconv.Atoi(fmt.Sprint(p["count"]))

		return p["name"] == pool && index < count
	})
}

// heals what a person can repair: kubelets report, and the API server takes everything. What a Proxmox node took is replaced.
func (w *clusterLife) heals() {
	w.Sick = map[string]bool{}
	w.Nodes().Refuses = nil
	w.replacesLost()
}
