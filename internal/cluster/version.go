package cluster

import (
	"cmp"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
)

// recorded are the nodes that exist, with a spec that names the release that they run. The spec is what the node's next VM is created with, which must not
// be older than the others; for the VM that runs, nothing follows from it.
func recorded(w World) World {
	// New VMs bring whatever the claim says, and may go back within a minor release: see [checkBack].
	if w.Upgrade == v1alpha1.UpgradeReplace {
		return followServers(w)
	}

	known := w.Children.named()
	oldest := known.oldestServer(func(c Child) bool { return c.Joined && c.VersionSeen && !c.Deleting })

	w.Children = maps.Clone(w.Children)
	w.Members = slices.Clone(w.Members)

	if w.System == nil {
		return followServers(notOlder(w, known, oldest))
	}

	for i, m := range w.Members {
		c, exists := w.Children[m.Node]
		if !exists {
			continue
		}

		has, names := versionOf(c.Spec), named(w.System.Version, oldest, m, known[m.Node])

		if w.Members[i] = m.withVersion(names); has != names {
			w.Children[m.Node] = c.told(m, names)
		}
	}

	return w
}

// named are the nodes with what they are seen to run as far as a spec can name it: a Node can report any text.
func (c Children) named() Children {
	out := maps.Clone(c)

	for name, child := range out {
		child.VersionSeen = child.VersionSeen && k3s.IsRelease(child.Version)
		out[name] = child
	}

	return out
}

// named is the release that the spec of a node is to name: the claim's once the node runs it, and before that the one that it has, unless the node was
// upgraded to a later one since. The claim may have moved on meanwhile. A server of which nobody knows what it runs, since its Node is gone, comes back with
// no earlier one than all other servers run: agents may have been upgraded to that.
func named(wanted, oldest string, m Member, c Child) string {
	has, runs := versionOf(c.Spec), c.Version

	if !c.VersionSeen {
		runs = oldest
	}

	switch later := k3s.OlderRelease(has, runs); {
	case !c.Joined, !c.VersionSeen && (c.Role != v1alpha1.K3sServer || c.Need == NeedReplacing || !later):
		return has
	case runs == wanted:
		return versionOf(m.Spec)
	case later:
		return runs
	default:
		return has
	}
}

// notOlder is a world whose nodes are to have no earlier release than what runs, where a person upgrades them and the claim did not follow: K3s has no way
// back. A node that exists is told so in its spec at once, for its next VM: the turn is for what the claim asks.
func notOlder(w World, known Children, oldest string) World {
	for i, m := range w.Members {
		c, exists := w.Children[m.Node]
		wanted, has, least := cmp.Or(versionOf(m.Spec), w.Release), versionOf(c.Spec), w.least(m, known[m.Node], oldest)

		if exists && !c.making() && k3s.OlderRelease(cmp.Or(has, w.Release), least) {
			w.Children[m.Node] = c.told(m, least)
		}

		if k3s.OlderRelease(wanted, least) {
			w.Members[i] = m.withVersion(least)
			w.Members[i].Earlier = wanted
		}
	}

	return w
}

// least is the earliest release that the next VM of a node may have: the one that the node runs, or its spec names since that was seen. A server that is new,
// or of which nobody knows what it runs, has none before the oldest one of the servers, and no agent has to have a later one. Empty where nothing is known.
func (w World) least(m Member, c Child, oldest string) string {
	_, exists := w.Children[m.Node]
	own, has := "", versionOf(c.Spec)

	switch {
	case !exists && (m.Adopts != "" || m.AdoptVM != nil):
		return "" // Its VM exists.
	case exists && c.making() && has == versionOf(m.Spec):
		return "" // It gets what the claim says.
	case c.VersionSeen:
		own = c.Version
	case c.Joined && (w.NodesLeave || w.Here): // Nodes are read.
		own = has
	}

	server := m.Role == v1alpha1.K3sServer

	if !c.Joined || server && own == "" || server && k3s.OlderRelease(own, oldest) || !server && k3s.OlderRelease(oldest, own) {
		return oldest
	}

	return own
}

// making says whether a VM is being made for a node. What that is made with stays.
func (c Child) making() bool { return !c.Joined || c.Need == NeedReplacing }

// told is a node whose spec names another release, without a turn.
func (c Child) told(m Member, release string) Child {
	before := m.withVersion(versionOf(c.Spec))
	c.Spec = withVersion(c.Spec, release)

	// Its turn is over, whatever release the turn was for.
	if c.Template == before.Template {
		c.Template = m.withVersion(release).Template
	}

	return c
}

// followServers is a world whose agents are to have no later release than the oldest that a server is known to run: a kubelet must not be newer than an API
// server that it talks to, https://kubernetes.io/releases/version-skew-policy. An agent that has the release that the claim names already stays as it is.
func followServers(w World) World {
	servers := serversRun(w)
	if servers == "" {
		return w
	}

	w.Members = slices.Clone(w.Members)

	for i, m := range w.Members {
		wants, c := versionOf(m.Spec), w.Children[m.Node]
		has := versionOf(c.Spec)

		switch {
		case m.Role != v1alpha1.K3sAgent || has == wants || !k3s.OlderRelease(servers, wants):
			continue
		case has != "":
			w.Members[i] = m.withVersion(has)
		default:
			w.Members[i] = m.withVersion(servers)
		}

		w.Members[i].Later = wants
	}

	return w
}

// serversRun is the oldest release that a server is known to run; empty where that is not known of any. What a VM was created with is what it runs only where
// nodes are upgraded by replacement.
func serversRun(w World) string {
	return w.Children.oldestServer(func(c Child) bool { return !c.Deleting && (c.VersionSeen || w.Upgrade == v1alpha1.UpgradeReplace) })
}

// withVersion is the member with another release of K3s; empty for that of the catalogue.
func (m Member) withVersion(version string) Member {
	if versionOf(m.Spec) == version {
		return m
	}

	m.Spec = withVersion(m.Spec, version)
	if m.Founder != nil {
		m.Founder = withVersion(m.Founder, version)
	}

	// What was a spec before is one now.
	m.Template, _ = templateOf(m.Spec)

	return m
}

func versionOf(spec map[string]any) string {
	return text(group(spec, "k3s"), "version")
}

func withVersion(spec map[string]any, version string) map[string]any {
	out, k := maps.Clone(spec), maps.Clone(group(spec, "k3s"))

	if version == "" {
		delete(k, "version")
	} else {
		k["version"] = version
	}

	out["k3s"] = k

	return out
}
