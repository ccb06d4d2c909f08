package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// A Site is where nodes are: its name, and the Proxmox nodes that the catalogue lists of it.
type Site struct {
	Name  string
	Nodes []string
}

// SpreadBroken is the condition on servers whose VMs are on one Proxmox node, by what they say of their VMs; nil where all are apart. site is the one that
// a node's spec names, or the default one for an empty name.
func SpreadBroken(children map[string]Child, site func(name string) Site) *status.Condition {
	sites, hosts := map[string]Site{}, map[string]map[string][]string{} // Servers by site and Proxmox node.
	noBetter := map[string]bool{}                                       // Servers that know of more servers than the claim has.

	for _, name := range slices.Sorted(maps.Keys(children)) {
		c := children[name]
		if c.Role != v1alpha1.K3sServer || c.ProxmoxNode == "" || c.Deleting {
			continue
		}

		said := text(group(c.Spec, "proxmox"), "site")
		is := site(said)
		sites[is.Name] = is

		if hosts[is.Name] == nil {
			hosts[is.Name] = map[string][]string{}
		}

		hosts[is.Name][c.ProxmoxNode] = append(hosts[is.Name][c.ProxmoxNode], name)
		noBetter[name] = c.NoBetterNode
	}

	var together, ways []string

	for _, name := range slices.Sorted(maps.Keys(hosts)) {
		some, more := meetings(hosts[name], sites[name].Nodes, noBetter)
		together, ways = append(together, some...), append(ways, more...)
	}

	switch {
	case len(together) == 0:
		return nil
	case len(ways) == 0:
		return spreadCondition(metav1.ConditionFalse, status.ReasonTooFewNodes, append(together, "No other node that is known has fewer servers, so there is nothing to do"))
	default:
		return spreadCondition(metav1.ConditionTrue, status.ReasonOnOneNode, append(append(together, ways...), "The function moves none by itself"))
	}
}

func spreadCondition(is metav1.ConditionStatus, reason string, said []string) *status.Condition {
	return &status.Condition{Type: status.TypeSpreadBroken, Status: is, Reason: reason, Message: message.Text(strings.Join(sentences(said), " "))}
}

// meetings of servers on the Proxmox nodes of a site, and the ways out of them: none where each server that has met another has no better node.
func meetings(hosts map[string][]string, nodes []string, noBetter map[string]bool) (together, ways []string) {
	counts := map[string]int{}
	for host, servers := range hosts {
		counts[host] = len(servers)
	}

	for _, host := range slices.Sorted(maps.Keys(hosts)) {
		servers := hosts[host]
		if len(servers) == 1 {
			continue
		}

		together = append(together, fmt.Sprintf("Servers %s are on Proxmox node %s: an outage of it stops all of them", list(servers), host))

		if !slices.ContainsFunc(servers, func(name string) bool { return !noBetter[name] }) {
			continue
		}

		if free := lifecycle.FreeNode(host, counts, nodes); free != "" {
			ways = append(ways, fmt.Sprintf("Move one from %s to %s: docs/day-two.md#machines-that-meet", host, free))
		}
	}

	return together, ways
}

// SaySpread is what to say of [SpreadBroken] after a call that gave the condition a reason, empty for none: the condition, also of servers that are apart
// again, and an event when some have met.
func SaySpread(now *status.Condition, before string) ([]status.Condition, []status.Event) {
	switch {
	case now == nil && before == "":
		return nil, nil
	case now == nil:
		now = spreadCondition(metav1.ConditionFalse, status.ReasonApart, []string{"No two servers are on one Proxmox node"})
	case now.Status == metav1.ConditionTrue && now.Reason != before:
		return []status.Condition{*now}, []status.Event{{Warning: true, Reason: now.Type, Message: now.Message}}
	}

	return []status.Condition{*now}, nil
}
