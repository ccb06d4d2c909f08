package rehearse

import (
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Said are lines of the journal of a world's Proxmox in the words of a rehearsal, for who plays a world otherwise than one does. The machines are those
// of states of the world: what is destroyed is known from the one before.
func Said(done []string, states ...*world.Cluster) []string {
	out := make([]string, 0, len(done))

	for _, text := range done {
		var a action

		for _, c := range states {
			p := c.Proxmoxes()[0]
			if a.machine == "" {
				a = namesOf(c.Machines, (*world.Machine).Name).say(line{proxmox: p, text: text})
			}
		}

		out = append(out, a.text)
	}

	return out
}

// Away says who is out of service in a state of a world, and how many members of its etcd vote; empty where nobody is.
func Away(c *world.Cluster) string {
	var (
		away []string
		etcd Etcd
	)

	for _, m := range c.Machines {
		states := statesOf(m)
		if len(states) > 0 && !isCluster(m) && !slices.ContainsFunc(states, func(s State) bool { return !isAway(s) }) {
			away = append(away, m.Name())
		}
	}

	for _, node := range world.Keys(c.Nodes) {
		if c.IsServer(node) {
			etcd.Members++

			if (&polls{cluster: c}).hasVote(node) && !cutOff(c.Nodes[node]) {
				etcd.Votes++
			}
		}
	}

	slices.Sort(away)

	if len(away) == 0 && etcd.isWhole() {
		return ""
	}

	out := "away: " + strings.Join(away, ", ")
	if len(away) == 0 {
		out = "away: nobody"
	}

	if etcd.Members > 0 {
		out += "; etcd: " + votes([]Etcd{etcd})
	}

	return out
}

// cutOff says whether a Node of a server says of itself that it is not Ready, or that its member does not vote.
func cutOff(node map[string]any) bool {
	return slices.ContainsFunc(world.Conditions(node), func(c map[string]any) bool {
		return (c["type"] == "Ready" || c["type"] == "EtcdIsVoter") && c["status"] != "True"
	})
}
