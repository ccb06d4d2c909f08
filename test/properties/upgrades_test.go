package properties

import (
	"fmt"
	"slices"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

const laterRelease = "v1.33.7+k3s3"

// An upgradeWorld is a K3s cluster of single K3sNodes, whose releases system-upgrade-controller changes.
type upgradeWorld struct {
	draw

	t       *testing.T
	cluster *world.Cluster
	all     []*world.Machine
	servers int
	reboots int
	// decisions that were made, as decisionsOf names them.
	decisions map[string]bool
}

// TestUpgradesOfSingleNodes: whatever happens, and in whatever order machines are called, at most one node is upgraded at a time, servers before
// agents, no two servers are away at once, and in the end all run the release. The fake of the controller checks each upgrade when it begins.
func TestUpgradesOfSingleNodes(t *testing.T) {
	t.Parallel()

	worlds := make([]*upgradeWorld, 6)
	if testing.Short() {
		worlds = worlds[:3]
	}

	t.Cleanup(func() {
		for _, d := range decisionsOfUpgrades {
			if !t.Failed() && !slices.ContainsFunc(worlds, func(w *upgradeWorld) bool { return w.decisions[d] }) {
				t.Errorf("no plan has %s: nothing that happens leads there", d)
			}
		}
	})

	for seed := range worlds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()

			w := newUpgradeWorld(t, newDraw(7, uint64(seed))) //nolint:gosec // It counts from 0.
			worlds[seed] = w

			for range 25 * len(w.all) {
				w.happen()
				w.step()
				w.check()
			}

			w.heal()
		})
	}
}

// newUpgradeWorld of servers and agents that have joined.
func newUpgradeWorld(t *testing.T, d draw) *upgradeWorld {
	t.Helper()

	w := &upgradeWorld{draw: d, t: t, servers: pick(d, 1, 3, 3, 5), decisions: map[string]bool{}}
	w.cluster = fake.NewCluster(t, w.answer)
	w.cluster.Memory = messages
	observe := pick(d, "Here", "Object")
	p := w.cluster.NewProxmox()

	for i := range w.servers + d.IntN(4) {
		name, example := fmt.Sprintf("server-%d", i+1), "k3s-cluster/server-2"
		if i == 0 {
			example = "k3s-cluster/server-1"
		}

		if i >= w.servers {
			name, example = fmt.Sprintf("agent-%d", i+1-w.servers), "k3s-cluster/agent-1"
		}

		m := fake.ExampleNamed(t, example).Machine(world.Installations[0])
		w.name(m, name, i)

		w.all = append(w.all, w.cluster.AddOn(p, m))
		m.Joins = true
		m.SetCluster("home", "observe", observe)
		m.SetCluster("home", "providerConfig", "home")
		m.SetCluster("home", "upgrade", "SystemUpgrade")

		if i == 0 {
			w.cluster.Rest()
		}
	}

	w.cluster.Rest()
	w.cluster.Rest()
	w.cluster.Kubernetes.Every = pick(d, 0, 0, 5)

	return w
}

// answer a call of the function, and note what its plan decides.
func (w *upgradeWorld) answer(req *fnv1.RunFunctionRequest) *fnv1.RunFunctionResponse {
	rsp, plan := compose.Decide(req)

	if plan != nil {
		for _, d := range decisionsOf(*plan) {
			w.decisions[d] = true
		}
	}

	return rsp
}

// name a machine, and give it an address of its own.
func (w *upgradeWorld) name(m *world.Machine, name string, i int) {
	meta := world.Object(m.Composite["metadata"])
	meta["name"], world.Object(meta["labels"])["crossplane.io/claim-name"] = name+"-x7f2k", name
	world.Object(m.Spec()["claimRef"])["name"] = name
	m.Spec()["network"] = map[string]any{"ip": fmt.Sprintf("192.168.4.%d", 220+i)}
	m.Spec()["deletionPolicy"] = pick(w.draw, "Orphan", "Delete")
	delete(m.Spec(), "disks")
}

// happen is what people do meanwhile.
func (w *upgradeWorld) happen() {
	m := pick(w.draw, w.all...)

	switch n := w.IntN(100); {
	case n < 20:
		m.SetCluster("home", "version", laterRelease)
	case n < 23:
		// Another one of the same minor release, for some.
		m.SetCluster("home", "version", "v1.33.7+k3s1")
	case n < 26:
		m.SetCluster("home", "upgrade", nil)
	case n < 34:
		m.SetCluster("home", "upgrade", "SystemUpgrade")
	case n < 37:
		w.reboots++
		m.Spec()["lifecycle"] = map[string]any{"reboot": fmt.Sprint(w.reboots)}
	case n < 40:
		w.cluster.Kubernetes.Upgrader.Hangs = !w.cluster.Kubernetes.Upgrader.Hangs
	case n < 42 && !slices.Contains(w.cluster.Kubernetes.Upgrader.Working(), m.NodeName()):
		w.cluster.Cordon(m.NodeName(), !w.cluster.Cordoned(m.NodeName()))
	}
}

// step lets one machine take its turn, or two at the same moment.
func (w *upgradeWorld) step() {
	a, b := pick(w.draw, w.all...), pick(w.draw, w.all...)
	if a == b || w.chance(50) {
		a.Turn()
		return
	}

	first, second := a.Call(), b.Call()
	a.Apply(first)
	b.Apply(second)

	if w.chance(50) {
		a, b = b, a
	}

	a.Provide()
	b.Provide()
}

// check that at most one node is upgraded, and that at most one server is away for that or for a restart.
func (w *upgradeWorld) check() {
	w.t.Helper()

	working := w.cluster.Kubernetes.Upgrader.Working()
	if len(working) > 1 {
		w.t.Fatalf("%v are upgraded at the same time", working)
	}

	var away []string

	for _, m := range w.all[:w.servers] {
		vm := m.Proxmox.VMs[w.cluster.Registered(m.NodeName())]
		if vm == nil || vm.Running == nil || slices.Contains(working, m.NodeName()) {
			away = append(away, m.NodeName())
		}
	}

	if len(away) > 1 {
		w.t.Fatalf("servers %v are away at the same time", away)
	}
}

// heal all that people did, after which all nodes run the release, and nothing is left of the upgrades.
func (w *upgradeWorld) heal() {
	w.t.Helper()

	for _, m := range w.all {
		m.SetCluster("home", "version", laterRelease)
		m.SetCluster("home", "upgrade", "SystemUpgrade")
	}

	w.cluster.Kubernetes.Every, w.cluster.Kubernetes.Upgrader.Hangs = 0, false

	for range 20 * len(w.all) {
		for _, m := range w.all {
			if name := m.NodeName(); !slices.Contains(w.cluster.Kubernetes.Upgrader.Working(), name) {
				w.cluster.Cordon(name, false)
			}

			m.Turn()
			w.check()
		}

		if w.done() {
			return
		}
	}

	for _, m := range w.all {
		w.t.Errorf("%s runs %s: %s", m.NodeName(), w.cluster.Release(m.NodeName()), world.Message(m.Call(), "VersionCurrent"))
	}
}

// done says whether all nodes run the release, and no Plan is left.
func (w *upgradeWorld) done() bool {
	behind := slices.ContainsFunc(w.all, func(m *world.Machine) bool { return w.cluster.Release(m.NodeName()) != laterRelease })

	return !behind && len(w.cluster.Kubernetes.Upgrader.Plans) == 0
}
