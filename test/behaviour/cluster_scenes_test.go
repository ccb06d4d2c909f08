package behaviour

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

var update = flag.Bool("update", false, "write the figures of docs/clusters.md")

// A clusterScene is what an operator of a K3sCluster comes through: cluster and nodes are reconciled together, beside K3s, etcd, provider and Proxmox.
type clusterScene struct {
	name    string
	why     string // What must not happen, and what did once.
	observe string
	spec    string
	play    func(s *scene)
}

// clusterScenes in the order of docs/clusters.md.
var clusterScenes = []clusterScene{ //nolint:gochecknoglobals // A constant table.
	{"A larger class, with restarts", "two servers are away at once", "Object", "{rollout: {rebootPolicy: WhenNeeded}}", (*scene).largerClass},
	{"Another image", "etcd has no majority while servers get their new VMs", "Object", "{agents: [{name: worker, count: 1, class: agent}]}", (*scene).anotherImage},
	{
		"The only server, on which Crossplane runs, has to restart", "Crossplane stops with it, and nobody starts it again", "Here",
		"{servers: {count: 1}, nodes: null, rollout: {rebootPolicy: WhenNeeded}}", (*scene).onlyServer,
	},
	{
		"`lifecycle.reboot` of that server", "the same by a word that was meant for other servers", "Here",
		"{servers: {count: 1}, agents: null, nodes: null}", (*scene).onlyServerReboot,
	},
	{"Crossplane is lost, and a new one gets the claim from Git", "a second server-0 with the address of the one that votes", "Here", "{agents: [{name: worker, count: 1, class: agent}]}", (*scene).restored},
	{"The same, where nobody reads its Nodes", "a second cluster with the addresses of the first one", "", "{agents: [{name: worker, count: 1, class: agent}]}", (*scene).restored},
	{"Three servers become one, with drains", "the drain waited for a quorum that the removal itself takes", "Object", "{rollout: {drain: true}}", (*scene).shrunk},
	{"Three servers become one, where Crossplane runs in the cluster", "the same, with what the last server carries", "Here", "{rollout: {drain: true}}", (*scene).shrunk},
	{"Two servers swap their addresses", "a new VM starts on the address of one that votes", "Object", "{agents: null}", (*scene).swapped},
	{"The API server takes no spec of an edit", "the turn hangs, and nobody says so", "Object", "{agents: null}", (*scene).refusedByAPI},
	{"Two of five nodes, a server among them, on a Proxmox node that is lost", "each one's turn waited for the other one", "Object", "{nodes: [{name: server-0, ip: 192.168.4.211, proxmoxNode: pve1}, {name: server-1, ip: 192.168.4.212, proxmoxNode: pve2}, {name: server-2, ip: 192.168.4.213, proxmoxNode: pve3}, {name: worker-0, proxmoxNode: pve2}, {name: worker-1, proxmoxNode: pve3}]}", (*scene).lostHost},
	{"The same, with drains and the Proxmox node out of the catalogue", "the new VM waited for a snippet on the lost Proxmox node", "Here", "{nodes: [{name: server-0, ip: 192.168.4.211, proxmoxNode: pve1}, {name: server-1, ip: 192.168.4.212, proxmoxNode: pve2}, {name: server-2, ip: 192.168.4.213, proxmoxNode: pve3}, {name: worker-0, proxmoxNode: pve2}, {name: worker-1, proxmoxNode: pve3}], rollout: {drain: true}}", (*scene).lostHostUnlisted},
	{"The site gets another bridge", "no server is in the network, all at once", "Object", "{agents: null}", (*scene).rebridged},
	{"The site gets a bridge that leads nowhere", "the same, for good", "Object", "{agents: null}", (*scene).rebridgedWrongly},
	{"A release that cannot be, and two agents more", "one field that cannot be froze all others", "Object", "{upgrade: SystemUpgrade}", (*scene).refusedVersion},
	{"An edit while a kubelet does not report", "a rollout that waits does not say for whom", "Object", "{agents: null, rollout: {rebootPolicy: WhenNeeded}}", (*scene).waits},
	{"server-0 is replaced while server-2 is away", "a new VM that finds nobody starts a second cluster", "Object", "{agents: null}", (*scene).founderReplaced},
	{"The VM of the only server is destroyed by hand", "an empty cluster is called ready", "Object", "{servers: {count: 1}, agents: [{name: worker, count: 1, class: agent}], nodes: null}", (*scene).onlyServerDestroyed},
	{"The claim is deleted while its Nodes are observed", "the VMs wait for an API that is gone", "Object", "{agents: null}", (*scene).deleted},
	{"A later release, in place", "an agent is newer than a server", "Here", "{version: v1.35.6+k3s1, upgrade: SystemUpgrade}", (*scene).upgraded},
	{"A later release, by new VMs", "a node is replaced twice", "Object", "{version: v1.35.6+k3s1, upgrade: Replace, agents: [{name: worker, count: 1, class: agent}]}", (*scene).upgraded},
	{"A later release and an agent more, by new VMs", "the new agent is newer than its servers", "Object", "{version: v1.35.6+k3s1, upgrade: Replace, agents: [{name: worker, count: 1, class: agent}]}", (*scene).upgradedAndGrown},
	{"A later release for new nodes, and an agent more", "the same", "Object", "{version: v1.35.6+k3s1, agents: [{name: worker, count: 1, class: agent}]}", (*scene).grownWithRelease},
	{"A later release of one server by a new VM, and an agent more", "the only server is never replaced, and its agents get the release all the same", "Object", "{version: v1.35.6+k3s1, upgrade: Replace, servers: {count: 1}, agents: [{name: worker, count: 1, class: agent}], nodes: null}", (*scene).grownOnOneServer},
}

// A scene that is played.
type scene struct {
	*world.ClusterWorld
	t *testing.T
}

// comesTo rest in a state, with what it says.
func (s *scene) comesTo(state string, says ...string) {
	s.t.Helper()

	rests := s.Until(120)
	is, message := s.State()

	if !rests || is != state {
		s.t.Fatalf("want %s, got %s, at rest: %t: %s; done: %v\n%s", state, is, rests, message, s.Proxmox.Done, s.Story())
	}

	for _, want := range says {
		if !strings.Contains(told(s.Last), want) {
			s.t.Errorf("%q is not in\n%s", want, told(s.Last))
		}
	}
}

// did in Proxmox, by what words begin with it.
func (s *scene) did(verb string) int {
	return len(slices.DeleteFunc(slices.Clone(s.Proxmox.Done), func(d string) bool { return !strings.HasPrefix(d, verb+" ") }))
}

// restart the VM of a node, as a person does in Proxmox.
func (s *scene) restart(node string) {
	id, _ := s.VM(node)
	s.Happens(func() { s.Proxmox.Stop(id); s.Proxmox.Start(id) })
}

func (s *scene) largerClass() {
	s.Edit("{servers: {class: server-large}, agents: [{name: worker, count: 2, class: agent-large}]}")
	s.comesTo("Complete")

	if s.did("stop") != 5 || s.did("make") != 0 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

func (s *scene) anotherImage() {
	s.Edit("{servers: {image: debian-12}, agents: [{name: worker, count: 1, class: agent, image: debian-12}]}")
	s.comesTo("Complete")

	if s.did("make") != 4 || s.did("destroy") != 4 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

func (s *scene) onlyServer() {
	s.Edit("{servers: {class: server-large}, agents: [{name: worker, count: 2, class: agent-large}]}")

	id, vm := s.VM("server-0")
	s.comesTo("Blocked", fmt.Sprintf("restart it in Proxmox (`qm reboot %d`", id))

	if vm.Starts != 1 {
		s.t.Errorf("VM %d was started %d times", id, vm.Starts)
	}

	s.restart("server-0")
	s.comesTo("Complete")
}

func (s *scene) onlyServerReboot() {
	s.Node("server-0", "{lifecycle: {reboot: a}}")
	s.Until(60)

	_, vm := s.VM("server-0")
	if reason := s.condition("server-0", "RebootPending"); vm.Starts != 1 || reason != "RunsCrossplane" {
		s.t.Fatalf("the VM was started %d times; RebootPending %s", vm.Starts, reason)
	}

	s.restart("server-0")
	s.comesTo("Complete")
}

// condition of a node, by its reason.
func (s *scene) condition(node, typ string) string {
	for _, c := range world.Conditions(s.Nodes().Named(node).Composite) {
		if c["type"] == typ {
			return fmt.Sprint(c["reason"])
		}
	}

	return ""
}

func (s *scene) restored() {
	ids := map[string]int{}
	for _, name := range s.Nodes().Names() {
		ids[name], _ = s.VM(name)
	}

	s.Lose()
	s.Until(60)

	if s.did("make") != 0 {
		s.t.Fatalf("a VM is created beside those that run: %v", s.Proxmox.Done)
	}

	for name, id := range ids {
		s.Node(name, fmt.Sprintf("{adoptVm: {vmId: %d}}", id))
	}

	s.comesTo("Blocked", "approve")

	for name := range ids {
		plan := world.Object(world.Object(s.Nodes().Named(name).Composite["status"])["adoption"])["plan"]
		s.Node(name, fmt.Sprintf("{adoptVm: {approve: %q}}", plan))
	}

	s.comesTo("Complete")

	for id, vm := range s.Proxmox.VMs {
		if vm.Starts != 1 || vm.Running == nil || vm.Owner == "" {
			s.t.Errorf("VM %d, which %q owns, was started %d times: %v", id, vm.Owner, vm.Starts, s.Proxmox.Done)
		}
	}

	if s.did("make")+s.did("stop")+s.did("destroy")+s.did("delete") > 0 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

func (s *scene) shrunk() {
	s.Edit("{servers: {count: 1}}")
	s.comesTo("Complete")

	if diff := cmp.Diff([]string{"home-server-0"}, s.Members()); diff != "" {
		s.t.Errorf("members of etcd: -want, +got:\n%s", diff)
	}
}

func (s *scene) swapped() {
	s.Node("server-1", "{ip: 192.168.4.213}")
	s.Node("server-2", "{ip: 192.168.4.212}")
	s.comesTo("Blocked", "in one commit a value that nobody has")

	if s.did("make") != 0 {
		s.t.Fatalf("done: %v", s.Proxmox.Done)
	}

	s.Node("server-1", "{ip: 192.168.4.219}")
	s.Node("server-2", "{ip: 192.168.4.213}")
	s.comesTo("Complete")

	s.Node("server-1", "{ip: 192.168.4.213}")
	s.Node("server-2", "{ip: 192.168.4.212}")
	s.comesTo("Complete")
}

func (s *scene) refusedByAPI() {
	s.Nodes().Refuses = func(spec map[string]any) bool { return spec["class"] == "server-large" }
	s.Edit("{servers: {class: server-large}}")
	s.comesTo("Blocked", "The API server did not take the new spec of server-0")
	s.Edit("{servers: {class: server}}")
	s.comesTo("Complete")
}

// dead is a Proxmox node with a server and an agent on it, which is dead now. It returns the nodes on it.
func (s *scene) dead() (host string, nodes []string) {
	for _, name := range s.Nodes().Names() {
		_, vm := s.VM(name)
		if name == "server-1" {
			host = vm.Node()
		}
	}

	for _, name := range s.Nodes().Names() {
		if _, vm := s.VM(name); vm.Node() == host {
			nodes = append(nodes, name)
		}
	}

	if len(nodes) != 2 {
		s.t.Fatalf("%v are on %s", nodes, host)
	}

	s.Happens(func() {
		s.Proxmox.Dead = []string{host}

		for _, name := range nodes {
			_, vm := s.VM(name)
			vm.Running = nil
		}
	})

	return host, nodes
}

func (s *scene) lostHost() {
	host, nodes := s.dead()
	s.Edit("{agents: [{name: worker, count: 2, class: agent-large}]}")
	s.Until(40)

	for _, name := range nodes {
		s.Node(name, "{proxmoxNode: null, lost: true, lifecycle: {replace: a}}")
	}

	s.comesTo("Complete")
	s.isOff(host, nodes)
}

// isOff: no node is on the Proxmox node any more, and what was not on it has its VM of before.
func (s *scene) isOff(host string, nodes []string) {
	for _, name := range s.Nodes().Names() {
		_, vm := s.VM(name)
		if vm.Node() == host || vm.Running == nil {
			s.t.Errorf("%s is on %s", name, vm.Node())
		}
	}

	if s.did("make") != len(nodes) {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

func (s *scene) lostHostUnlisted() {
	host, nodes := s.dead()
	site := world.Object(world.Object(world.Object(s.Machine.Catalogue["data"])["sites"])["home"])
	delete(world.Object(site["nodes"]), host)
	s.Until(40)

	if text := told(s.Last); !strings.Contains(text, "set lost: true for it") {
		s.t.Errorf("nothing says what is to be done: %s", text)
	}

	for _, name := range nodes {
		s.Node(name, "{proxmoxNode: null, lost: true, lifecycle: {replace: a}}")
	}

	s.comesTo("Complete")
	s.isOff(host, nodes)
}

// rebridge the site.
func (s *scene) rebridge(to string) {
	site := world.Object(world.Object(world.Object(s.Machine.Catalogue["data"])["sites"])["home"])
	network := world.Object(site["network"])
	network["bridge"] = to
	site["network"] = network

	for _, node := range world.Object(site["nodes"]) {
		world.Object(node)["bridges"] = []any{"vmbr0", to}
	}
}

func (s *scene) rebridged() {
	s.rebridge("vmbr1")
	s.comesTo("Complete")

	if s.did("change") != 3 || s.did("stop") != 0 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

// rebridgedWrongly: the first server is not reached any more, and the others stay where they are until the edit is taken back.
func (s *scene) rebridgedWrongly() {
	s.rebridge("vmbr1")

	for range 20 {
		if s.did("change") > 0 {
			break
		}

		s.Round(false)
	}

	lost := ""

	for _, name := range []string{"server-0", "server-1", "server-2"} {
		if _, vm := s.VM(name); world.Object(world.List(vm.Config["networkDevice"])[0])["bridge"] == "vmbr1" {
			lost = name
		}
	}

	s.Sick["home-"+lost] = true
	s.Until(40)

	if s.did("change") != 1 {
		s.t.Fatalf("%s is lost; done: %v", lost, s.Proxmox.Done)
	}

	s.rebridge("vmbr0")
	delete(s.Sick, "home-"+lost)
	s.comesTo("Complete")
}

func (s *scene) refusedVersion() {
	s.Edit("{version: v1.37.9+k3s1, agents: [{name: worker, count: 4, class: agent}]}")
	s.comesTo("Blocked", "spec.version")

	if s.did("make") != 2 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}

	s.Edit("{version: v1.35.6+k3s1}")
	s.comesTo("Complete")
}

func (s *scene) waits() {
	s.Happens(func() { s.Sick["home-server-2"] = true })
	s.Edit("{servers: {class: server-large}}")
	s.comesTo("Waiting", "server-2 (")
	s.Sick = map[string]bool{}
	s.comesTo("Complete")
}

func (s *scene) founderReplaced() {
	id, _ := s.VM("server-2")
	s.Happens(func() { s.Proxmox.Dead = nil; s.Sick["home-server-2"] = true })
	s.Node("server-0", "{lifecycle: {replace: a}}")
	s.Until(60)

	if s.did("make") != 0 || id == 0 {
		s.t.Errorf("a server is replaced while another one is away: %v", s.Proxmox.Done)
	}

	s.Sick = map[string]bool{}
	s.comesTo("Complete")

	if world.Object(s.Nodes().Named("server-0").Spec()["k3s"])["init"] == true || s.did("make") != 1 {
		s.t.Errorf("its new VM starts a cluster: %v", s.Proxmox.Done)
	}
}

func (s *scene) onlyServerDestroyed() {
	id, _ := s.VM("server-0")
	s.Happens(func() { delete(s.Proxmox.VMs, id) })
	s.comesTo("Blocked", "the state of the cluster is lost")

	if reason := world.Reason(s.Last, "ServersReady"); reason != "NotReady" {
		s.t.Errorf("ServersReady is %s", reason)
	}
}

func (s *scene) deleted() {
	s.Machine.Leave()
	s.comesTo("Complete")

	if s.did("destroy") != 0 {
		s.t.Errorf("done: %v", s.Proxmox.Done)
	}
}

// allRun a release of K3s.
func (s *scene) allRun(release string) {
	s.t.Helper()

	for _, name := range world.Keys(s.Cluster().Nodes) {
		if got := s.Cluster().Release(name); got != release {
			s.t.Errorf("%s runs %s, and not %s", name, got, release)
		}
	}
}

func (s *scene) upgraded() {
	s.Edit("{version: v1.36.2+k3s1}")
	s.comesTo("Complete")
	s.allRun("v1.36.2+k3s1")
}

func (s *scene) upgradedAndGrown() {
	s.Edit("{version: v1.36.2+k3s1, agents: [{name: worker, count: 2, class: agent}]}")
	s.comesTo("Complete", "All nodes are as the claim describes them.")
	s.allRun("v1.36.2+k3s1")
}

func (s *scene) grownWithRelease() {
	s.Edit("{version: v1.36.2+k3s1, agents: [{name: worker, count: 2, class: agent}]}")
	s.comesTo("Complete", "worker-0, worker-1: no K3s v1.36.2+k3s1 before server-0, server-1, server-2, since no agent may be newer than its servers.")

	// A person upgrades the servers by hand, as upgrade: None has it, and the next agent gets the release.
	for _, name := range []string{"server-0", "server-1", "server-2"} {
		s.Cluster().SetRelease(s.Nodes().Named(name).NodeName(), "v1.36.2+k3s1")
	}

	s.Edit("{agents: [{name: worker, count: 3, class: agent}]}")
	s.comesTo("Complete", "All nodes are as the claim describes them. version is for new nodes, since upgrade is None: another release of K3s is on worker-0, worker-1.")

	for name, want := range map[string]string{"worker-1": "v1.35.6+k3s1", "worker-2": "v1.36.2+k3s1"} {
		if got := s.Cluster().Release(s.Nodes().Named(name).NodeName()); got != want {
			s.t.Errorf("%s runs %s, and not %s", name, got, want)
		}
	}
}

func (s *scene) grownOnOneServer() {
	s.Edit("{version: v1.36.2+k3s1, agents: [{name: worker, count: 2, class: agent}]}")
	s.comesTo("Blocked", "server-0 needs a new VM, and the only server of a cluster is never replaced")
	s.allRun("v1.35.6+k3s1")
}

// TestClusterScenes plays them, and docs/clusters.md has the rounds and calls of each.
func TestClusterScenes(t *testing.T) {
	t.Parallel()

	rows := make([]string, len(clusterScenes))

	t.Run("scenes", func(t *testing.T) {
		for i, c := range clusterScenes {
			t.Run(strings.ReplaceAll(c.name, " ", ""), func(t *testing.T) {
				t.Parallel()

				s := &scene{ClusterWorld: world.NewClusterWorld(newCluster(t), c.observe, c.spec), t: t}
				s.comesTo("Complete")

				s.Proxmox.Done = nil
				rounds, calls := s.Rounds, s.Calls
				c.play(s)

				rows[i] = fmt.Sprintf("| %s | %s | %d | %d |", c.name, c.why, s.Rounds-rounds, s.Calls-calls)
			})
		}
	})

	if !t.Failed() && !slices.Contains(rows, "") {
		holdFigures(t, rows)
	}
}

// holdFigures against the table of docs/clusters.md, or write it.
func holdFigures(t *testing.T, rows []string) {
	t.Helper()

	const begin, end = "<!-- scenes: go test ./test/behaviour -run TestClusterScenes -update writes this -->\n", "<!-- end of scenes -->"

	file := filepath.Join(fake.Root(t), "docs", "clusters.md")

	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	head, rest, ok := strings.Cut(string(page), begin)
	table, tail, ok2 := strings.Cut(rest, end)

	if !ok || !ok2 {
		t.Fatal("docs/clusters.md has no table of scenes")
	}

	want := "| scene | what could go wrong, or once did | rounds | calls |\n| --- | --- | --- | --- |\n" + strings.Join(rows, "\n") + "\n"

	if *update {
		if err := os.WriteFile(file, []byte(head+begin+want+end+tail), 0o600); err != nil {
			t.Fatal(err)
		}

		return
	}

	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("-played, +docs/clusters.md (-update writes it):\n%s", diff)
	}
}
