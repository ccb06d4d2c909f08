package properties

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// quorumModels are worlds of K3s servers of which one does not count for the quorum when the others are asked for an outage, or whose outages are other
// ones than restarts.
func quorumModels() map[string]model {
	ask := func(what, spec string, of int) act {
		return act{what: what, do: func(ms []*world.Machine) {
			for _, m := range ms[:of] {
				world.Merge(m.Spec(), world.FromYAML(m.Cluster().T, spec))
			}
		}}
	}
	restart := ask("requests a restart of two servers", `{lifecycle: {reboot: a}}`, 2)
	sick := func(what, condition, status, reason string) act {
		return act{what: what, do: func(ms []*world.Machine) {
			c, name := ms[2].Cluster(), ms[2].NodeName()
			c.NeverJoins = map[string]bool{name: true}
			c.SetNode(name, condition, status, reason)
		}}
	}

	later := act{what: "names a later release in the catalogue", do: func(ms []*world.Machine) {
		for _, m := range ms {
			m.SetCluster("home", "version", laterRelease)
		}
	}}
	leaves := func(m *world.Machine) {
		m.SetCluster("home", "providerConfig", "home")
		m.Spec()["deletionPolicy"], m.Spec()["deletionProtection"] = "Delete", false
	}

	replaced := act{what: "replaces a server, whose new VM runs", do: func(ms []*world.Machine) {
		world.Merge(ms[0].Spec(), world.FromYAML(ms[0].Cluster().T, `{lifecycle: {replace: a}}`))

		for range 5 {
			ms[0].Turn()
		}

		ms[0].Proxmox.Done = nil
	}}

	return map[string]model{
		"ServerNotReady": {
			reason: "Beside a server whose Node is not Ready nobody is away.", servers: 3, late: true, waits: true,
			person: []act{sick("cuts a server off from the others", "Ready", "Unknown", "NodeStatusUnknown"), restart},
		},
		"ServerWithoutVote": {
			reason: "Beside a server whose member of etcd does not vote nobody is away.", servers: 3, late: true, waits: true,
			person: []act{sick("has a server lose its vote", "EtcdIsVoter", "False", "MemberIsLearner"), restart},
		},
		"ServerLeavesBesideSick": {
			reason: "Beside a server whose Node is not Ready no other one leaves.", servers: 3, late: true, waits: true, with: leaves,
			person: []act{sick("cuts a server off from the others", "EtcdIsVoter", "False", "MemberUnhealthy"), {what: "has all servers called", do: func(ms []*world.Machine) {
				for _, m := range ms {
					m.Apply(m.Call())
				}
			}}, {what: "deletes the claim of another one", do: leave}},
		},
		"ServerOff": {
			reason: "Beside a server that its claim has stopped nobody is away.", servers: 3, late: true, waits: true, away: 1,
			person: []act{{what: "stops a server, which is waited for", do: func(ms []*world.Machine) {
				world.Object(ms[2].Composite["spec"])["power"] = "Stopped"
				for range 4 {
					ms[2].Turn()
				}

				ms[2].Proxmox.Done = nil
			}}, restart},
		},
		"TwoServersReplaced": {
			reason: "Of two servers one is replaced at a time.", servers: 3, late: true, stop: 2, destroy: 2, away: 1, with: leaves,
			person: []act{ask("requests a replacement of two servers", `{lifecycle: {replace: a}}`, 2)},
		},
		"ServerJoinsLate": {
			reason: "Beside a server that was replaced and has not joined nobody is away.", servers: 3, late: true, waits: true, away: 1,
			with: func(m *world.Machine) { m.SetCluster("home", "observe", nil) },
			person: []act{replaced, {what: "requests a restart of another server", do: func(ms []*world.Machine) {
				world.Merge(ms[1].Spec(), world.FromYAML(ms[1].Cluster().T, `{lifecycle: {reboot: a}}`))
			}}},
		},
		"ServerReplacedLate": {
			reason: "The VM of a server stays until the Node of the new one serves.", servers: 3, late: true, waits: true, destroy: 1, away: 1, with: leaves,
			person: []act{replaced},
		},
		"OnlyServerReplaced": {
			reason: "The only server of a cluster stays, with the cluster's state.", servers: 1, person: []act{ask("requests a replacement", `{lifecycle: {replace: a}}`, 1)},
			says: map[string]string{"ReplacementRequired": "ReplacementBlocked"},
		},
		"AgentUpgradedBesideSick": {
			reason: "Beside an agent whose Node is not Ready no other one is upgraded.", servers: 1, agents: 2, late: true, upgrades: true, waits: true,
			person: []act{{what: "cuts an agent off from the others", do: func(ms []*world.Machine) {
				c, name := ms[2].Cluster(), ms[2].NodeName()
				c.NeverJoins = map[string]bool{name: true}
				c.SetNode(name, "Ready", "Unknown", "NodeStatusUnknown")
				c.SetRelease(ms[0].NodeName(), laterRelease)
				c.SetRelease(name, laterRelease)
			}}, later},
		},
		"TwoAgentsUpgraded": {
			reason: "K3s of one agent is upgraded at a time.", servers: 1, agents: 2, upgrades: true, away: 1, waits: true,
			person: []act{{what: "names a later release in the catalogue, which the server runs", do: func(ms []*world.Machine) {
				ms[0].Cluster().SetRelease(ms[0].NodeName(), laterRelease)
				later.do(ms)

				// Whose turn it is has a Plan that names nobody.
				for _, m := range ms[1:] {
					m.Apply(m.Call())
					m.Provide()
				}
			}}},
		},
		"ServersMoved": {
			reason: "Of two servers one moves at a time.", servers: 3, late: true, away: 1,
			person: []act{ask("moves two servers", `{proxmox: {node: pve3, migrate: true}}`, 2)},
		},
	}
}

// silentOutage is which VM of a server was stopped or moved since so much was done in Proxmox, without a word on it for the other servers, or destroyed
// while a server does not serve; empty where none was.
func silentOutage(n node, before int) string {
	for _, done := range n.proxmox().Done[before:] {
		verb, of, _ := strings.Cut(done, " ")
		id, _, _ := strings.Cut(of, " ")

		// Its successor serves, or nobody does in its place.
		away := slices.IndexFunc(n.cluster.Machines, func(m *world.Machine) bool { return !n.cluster.NodeServes(m.NodeName()) })
		if verb == "destroy" && away >= 0 {
			return n.cluster.Machines[away].Name() + " does not serve: " + said(n, done)
		}

		if verb != "stop" && verb != "migrate" {
			continue
		}

		for _, m := range n.cluster.Machines {
			for _, name := range slices.Sorted(maps.Keys(m.Observed)) {
				o := m.Observed[name]
				if o["kind"] != world.VMKind || world.Annotation(o, world.ExternalName) != id {
					continue
				}

				if !strings.Contains(world.Annotation(o, proxmox.OutageAnnotation), " begun") && world.Annotation(o, proxmox.ReplacingAnnotation) == "" {
					return fmt.Sprintf("%s says nothing to the other servers: %s", m.Name(), said(n, done))
				}
			}
		}
	}

	return ""
}

// upgradedTogether are two machines of which each says that the upgrade of its K3s has begun; empty where no two do.
func upgradedTogether(n node) string {
	var begun []string

	for _, m := range n.cluster.Machines {
		if has := world.Annotation(m.Observed["vm"], proxmox.OutageAnnotation); strings.HasPrefix(has, "Upgrade") && strings.Contains(has, " begun") {
			begun = append(begun, m.Name())
		}
	}

	if len(begun) > 1 {
		return "upgrades have begun together: " + strings.Join(begun, ", ")
	}

	return ""
}
