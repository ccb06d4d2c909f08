package properties

import (
	"maps"
	"slices"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// serverModels are worlds of three servers that are replaced or upgraded, one of which is at rest.
func serverModels(t *testing.T) map[string]model {
	t.Helper()

	asks := func(spec ...string) func(ms []*world.Machine) {
		return func(ms []*world.Machine) {
			for i, s := range spec {
				world.Merge(ms[i].Spec(), world.FromYAML(t, s))
			}
		}
	}
	replace := act{what: "requests a replacement of two servers", do: asks(`{lifecycle: {replace: a}}`, `{lifecycle: {replace: b}}`)}
	unseen := func(m *world.Machine) { m.SetCluster("home", "observe", nil) }

	// Both say what is so, and nothing before.
	made := func(m *world.Machine) bool {
		return slices.ContainsFunc(slices.Collect(maps.Values(m.Proxmox.VMs)), func(vm *world.VM) bool {
			return world.Owns(m, vm) && vm.Running != nil
		}) && !m.Cluster().NodeServes(m.NodeName())
	}
	deletes := act{what: "deletes the Node of the first one, if its new VM runs", do: func(ms []*world.Machine) {
		if made(ms[0]) {
			delete(ms[0].Cluster().Nodes, ms[0].NodeName())
		}
	}}
	joined := act{what: "says that the first one has joined, if it has", do: func(ms []*world.Machine) {
		if ms[0].Cluster().Nodes[ms[0].NodeName()] == nil || !ms[0].Cluster().NodeServes(ms[0].NodeName()) || !slices.Contains(ms[0].Proxmox.Done, "stop 100") {
			return
		}

		asks(`{lifecycle: {joined: a}}`)(ms)
	}}

	drains := func(m *world.Machine) {
		m.SetCluster("home", "observe", "Object")
		m.SetCluster("home", "providerConfig", "home")
		world.Merge(m.Spec(), world.FromYAML(t, `{k3s: {drain: true}}`))
	}

	return map[string]model{
		"TwoServersDrained": {
			reason: "One server is drained, or away, at a time.", servers: 3, late: true, stop: 2, stops: 2, away: 1, with: drains,
			person: []act{{what: "requests a restart of two servers", do: asks(`{lifecycle: {reboot: a}}`, `{lifecycle: {reboot: b}}`)}},
		},
		"ServerStopped": {
			reason: "Beside a server that is to be off no other one is away, until it is to run again.", servers: 3, late: true, stop: 2, away: 1,
			person: []act{
				{what: "stops a server, and requests a restart of another one", do: asks(`{power: Stopped}`, `{lifecycle: {reboot: b}}`)},
				{what: "starts it again", do: asks(`{power: Running}`)},
			},
		},
		"ServerToldLate": {
			reason: "A server whose K3s is back before the provider says that its VM runs is back.", servers: 3, late: true, stop: 2, stops: 2, away: 1,
			with:   func(m *world.Machine) { m.Provider.TellsAfter = 1 },
			person: []act{{what: "requests a restart of two servers", do: asks(`{lifecycle: {reboot: a}}`, `{lifecycle: {reboot: b}}`)}},
		},
		"TwoServersRestartUnread": {
			reason: "Where nobody reads Nodes, the VMs say that one server is away at a time.", servers: 3, stop: 2, stops: 2, away: 1, with: unseen,
			person: []act{{what: "requests a restart of two servers", do: asks(`{lifecycle: {reboot: a}}`, `{lifecycle: {reboot: b}}`)}},
		},
		"ServerOffUnread": {
			reason: "Where nobody reads Nodes, nobody is away beside a server that is to be off.", servers: 3, away: 1, waits: true, with: unseen,
			person: []act{
				{what: "stops a server, which is waited for", anew: true, do: func(ms []*world.Machine) {
					world.Merge(ms[2].Spec(), world.FromYAML(t, `{power: Stopped}`))
					for range 4 {
						ms[2].Turn()
					}

					ms[2].Proxmox.Done = nil
				}},
				{what: "requests a restart of the others", do: asks(`{lifecycle: {reboot: a}}`, `{lifecycle: {reboot: b}}`)},
			},
		},
		"ServerForced": {
			reason: "A word that forces the restart of one server forces no other one's.", servers: 3, late: true, stop: 1, stops: 1, away: 2, waits: true,
			person: []act{
				{what: "cuts the third server off from the others", do: func(ms []*world.Machine) {
					c, name := ms[2].Cluster(), ms[2].NodeName()
					c.NeverJoins = map[string]bool{name: true}
					c.SetNode(name, "Ready", "Unknown", "NodeStatusUnknown")
				}},
				{what: "requests a restart of the others, and forces that of the first", do: asks(`{lifecycle: {reboot: a, force: a}}`, `{lifecycle: {reboot: b}}`)},
			},
		},
		"TwoServersReplacedUnseen": {
			reason: "Where nobody reads Nodes, a server is replaced when a person says that the one before has joined.", servers: 3, late: true, stop: 2, away: 1, waits: true,
			with:   unseen,
			person: []act{replace, deletes, joined},
		},
		"TwoServersUpgraded": {
			reason: "K3s of one server is upgraded at a time.", servers: 3, late: true, away: 1,
			with: func(m *world.Machine) {
				m.SetCluster("home", "observe", "Object")
				m.SetCluster("home", "providerConfig", "home")
				m.SetCluster("home", "upgrade", "SystemUpgrade")
			},
			person: []act{{what: "writes a later release", do: func(ms []*world.Machine) {
				for _, m := range ms {
					m.SetCluster("home", "version", laterRelease)
				}
			}}},
		},
	}
}
