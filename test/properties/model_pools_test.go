package properties

import (
	"fmt"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/status"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// poolModels are worlds of a K3sCluster of one server, whose two agents are drained before they are away.
func poolModels() map[string]model {
	const pool = `{servers: {count: 1}, nodes: [{name: server-0, ip: 192.168.4.211}], agents: [{name: worker, count: 2, class: agent}], rollout: {drain: true, rebootPolicy: WhenNeeded}}`

	const servers = `{agents: [], rollout: {rebootPolicy: WhenNeeded}}`

	larger := edit("gives the agents more memory", `{agents: [{name: worker, count: 2, class: agent-large}]}`)
	cluster := func(what string, do func(c *world.Cluster)) act {
		return act{what: what, do: func(ms []*world.Machine) { do(ms[0].Cluster()) }}
	}

	return map[string]model{
		"AgentRestart": {
			reason: "An agent is drained once before its restart, and takes pods again after it.", agents: 1, stop: 1, away: 1,
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`), edit("edits the notes", `{notes: x}`)},
		},
		"AgentDrainFails": {
			reason: "An agent whose drain fails is restarted, and takes pods again.", agents: 1, stop: 1, away: 1,
			person: []act{
				edit("requests a restart", `{lifecycle: {reboot: a}}`), cluster("lets all drains fail", func(c *world.Cluster) { c.Kubernetes.EndJobs(world.JobFails) }),
				cluster("lets them succeed", func(c *world.Cluster) { c.Kubernetes.EndJobs(world.JobCompletes) }),
			},
		},
		"AgentDrainHangs": {
			reason: "A drain that hangs is waited for, and the agent says so.", agents: 1, waits: true, says: map[string]string{"NodeDrained": "Draining"},
			person: []act{cluster("lets all drains hang", func(c *world.Cluster) { c.Kubernetes.EndJobs(world.JobHangs) }), edit("requests a restart", `{lifecycle: {reboot: a}}`)},
		},
		"AgentRestartTakenBack": {
			reason: "A restart that is taken back leaves the agent as it was.", agents: 1, stop: 1, away: 1,
			person: []act{edit("requests a restart", `{lifecycle: {reboot: a}}`), edit("takes it back", `{lifecycle: {reboot: null}}`)},
		},
		"PoolRestart": {reason: "One agent is away at a time, and drained before.", pool: pool, person: []act{larger}, stop: 2, away: 1},
		"PoolDrainFails": {
			reason: "A drain that fails has ended.", pool: pool, stop: 2, away: 1,
			person: []act{larger, cluster("lets all drains fail", func(c *world.Cluster) { c.Kubernetes.EndJobs(world.JobFails) })},
		},
		"PoolWithoutAPI": {
			reason: "Nobody goes undrained while the API of the cluster is away.", pool: pool, stop: 2, away: 1,
			person: []act{
				larger, cluster("takes the API away", func(c *world.Cluster) { c.Kubernetes.Fails = "connection refused" }),
				cluster("brings it back", func(c *world.Cluster) { c.Kubernetes.Fails = "" }),
			},
		},
		"ServersShrinkBesideLost": {
			reason: "Beside a server that is lost no other one leaves.", pool: servers, away: 1, destroy: 1, waits: true,
			person: []act{losesServer, edit("goes back to one server", `{servers: {count: 1}}`)},
		},
		"ServersChangeBesideLost": {
			reason: "Beside a server that is lost no other one restarts.", pool: servers, away: 1, waits: true,
			person: []act{losesServer, edit("gives the servers more memory", `{servers: {class: server-large}}`)},
		},
		"PoolShrinks": {
			reason: "One agent goes, drained before.", pool: pool, destroy: 1,
			person: []act{edit("removes an agent", `{agents: [{name: worker, count: 1, class: agent}]}`)},
		},
	}
}

// losesServer is that the host of the second server does not come back. All have heard of that, and a person has said it.
var losesServer = act{what: "loses the host of a server, and says so", do: func(ms []*world.Machine) {
	c, p := ms[0].Cluster(), ms[0].Proxmox
	p.Die(p.VMs[c.Registered("home-server-1")].Node())

	for round := range 8 {
		if round == 4 {
			nodes := world.List(ms[0].Spec()["nodes"])
			world.Object(nodes[1])["lost"] = true
		}

		c.Beat(nil)

		for _, m := range c.Machines {
			m.Reconcile(m.Call())
			m.Provide()
		}
	}

	p.Done = nil
}}

// cordoned is which machine's Node is cordoned at the end, without a word to the person who is to uncordon it; empty where none is.
func cordoned(n node) string {
	for _, m := range n.cluster.Machines {
		if n.cluster.Cordoned(m.NodeName()) && world.Reason(m.Call(), "NodeDrained") != status.ReasonUncordonFailed {
			return m.Name()
		}
	}

	return ""
}

// undrained is which VM was stopped since so much was done in Proxmox, without its Node drained before; empty where none was.
func undrained(n node, before int) string {
	for _, done := range n.proxmox().Done[before:] {
		for _, name := range world.Keys(n.cluster.Nodes) {
			if done != fmt.Sprint("stop ", n.cluster.Registered(name)) {
				continue
			}

			if !n.cluster.Cordoned(name) || n.cluster.Kubernetes.Draining(name) || !strings.Contains(strings.Join(n.proxmox().Done, ","), "drain "+name) {
				return fmt.Sprintf("Node %s was not drained: %s", name, said(n, done))
			}
		}
	}

	return ""
}
