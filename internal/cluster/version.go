package cluster

import (
	"maps"
	"slices"
)

// recorded are the nodes that exist, with a spec that names the release that they run, once that is the one that all are to run. The spec
// is what the node's next VM is created with, which must not be older than the others; for the VM that runs, nothing follows from it.
func recorded(w World) World {
	if w.System == nil {
		return w
	}

	w.Children = maps.Clone(w.Children)
	w.Members = slices.Clone(w.Members)

	for i, m := range w.Members {
		c, exists := w.Children[m.Node]
		if !exists {
			continue
		}

		has := versionOf(c.Spec)
		before := m.withVersion(has)

		if !c.Joined || !c.VersionSeen || c.Version != w.System.Version {
			w.Members[i] = before
			continue
		}

		if has == versionOf(m.Spec) {
			continue
		}

		c.Spec = withVersion(c.Spec, versionOf(m.Spec))

		// Its turn is over, whatever release the turn was for.
		if c.Template == before.Template {
			c.Template = m.Template
		}

		w.Children[m.Node] = c
	}

	return w
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
	v, _ := group(spec, "k3s")["version"].(string)
	return v
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
