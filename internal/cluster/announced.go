package cluster

import (
	"cmp"
	"fmt"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// announced is what the claim asks of nodes that run and its fields do not tell, in sentences with the path that the person typed.
func announced(now *situation) []string {
	var out []string

	for _, m := range now.Members {
		if c, exists := now.Children[m.Node]; exists && c.Joined && !c.Deleting && len(now.Refusals.Nodes[m.Node]) == 0 {
			out = append(out, ownPlace(now, m, c)...)
		}
	}

	return append(out, otherToken(now)...)
}

// otherAddress says that a node has a fixed address which its claim does not say any more, where its turn replaces the VM for that. The entry that had it may
// be gone, and nobody thinks of a new VM then.
func otherAddress(now *situation, m Member, c Child) []string {
	has, wants := text(group(c.Spec, "network"), "ip"), text(group(SpecOf(m, c), "network"), "ip")
	if has == "" || has == wants || !now.getsNewVM(m, c) || !now.replaceable(m) {
		return nil
	}

	instead := "asks for its address over DHCP"
	if wants != "" {
		instead = "has " + message.Excerpt(wants)
	}

	return []string{fmt.Sprintf("spec.nodes: no entry gives %[1]s the address %[2]s any more, and a VM keeps its address: in its turn, the VM is replaced by one that %[3]s. "+
		"To keep the VM, write {name: %[1]s, ip: %[2]s} again.", m.Node, message.Excerpt(has), instead)}
}

// ownPlace is what becomes of what a node's own entry gave it. Where another address takes a new VM, that one begins with the rest, too.
func ownPlace(now *situation, m Member, c Child) []string {
	if out := otherAddress(now, m, c); len(out) > 0 {
		return out
	}

	return unsaid(m, c)
}

// pinned are fields of an entry that a VM keeps when nothing gives them any more, and that the next VM does not have.
var pinned = []struct{ group, field, has, next string }{ //nolint:gochecknoglobals // A constant table.
	{"proxmox", "vmId", "VMID", "gets another one"},
	{"proxmox", "node", "Proxmox node", "may get another one"},
	{"network", "mac", "MAC address", "gets another one, which a reservation on a DHCP server does not know"},
}

// unsaid says that a VM keeps what its claim does not say any more, and for how long.
func unsaid(m Member, c Child) []string {
	var out []string

	wants := SpecOf(m, c)
	for _, f := range pinned {
		if has := group(c.Spec, f.group)[f.field]; has != nil && group(wants, f.group)[f.field] == nil {
			out = append(out, fmt.Sprintf("spec.nodes: no entry gives %s the %s %s any more: its VM keeps it, and a VM that replaces it %s.",
				m.Node, f.has, message.Excerpt(fmt.Sprint(has)), f.next))
		}
	}

	return out
}

// otherToken says that another source of the token changes nothing of the nodes that run, and which Secret is still read. It says no more than what is so
// until the last of them has its turn.
func otherToken(now *situation) []string {
	var out []string

	edited := false

	for _, m := range now.Members {
		c, exists := now.Children[m.Node]
		if !exists || !c.Joined || c.Deleting {
			continue
		}

		began, wants := founds(c.Spec) && m.Founder != nil, SpecOf(m, c)
		if began {
			wants = m.Founder
		}

		token, wanted := group(group(c.Spec, "k3s"), "token"), group(group(wants, "k3s"), "token")
		if covers(token, wanted) || sameSecret(token, wanted) {
			continue
		}

		edited = edited || !began

		if secret := text(group(token, "secretRef"), "name"); began && secret != "" {
			out = append(out, fmt.Sprintf("spec.token: %s keeps the token with which it began the cluster until its VM is replaced: leave Secret %s where it is.",
				m.Node, message.Excerpt(secret)))
		}
	}

	if edited {
		out = append(out, "spec.token (or joinToken): an edit of it has no effect on nodes that run: a node needs the token to join, and not afterwards. New VMs get the new token, and "+
			"join only if it is the cluster's, too: docs/bootstrap.md, \"How to provide the token\".")
	}

	return out
}

// sameSecret says whether two tokens are those of one Secret, whatever else is said of them.
func sameSecret(a, b map[string]any) bool {
	one, other := group(a, "secretRef"), group(b, "secretRef")
	key := func(ref map[string]any) string { return cmp.Or(text(ref, "key"), resolve.DefaultTokenKey) }

	return text(one, "name") != "" && text(one, "name") == text(other, "name") && key(one) == key(other)
}
