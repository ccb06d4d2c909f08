package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Refusals are the parts of a claim that cannot be while its cluster lives: they are said, and all other parts take effect.
type Refusals struct {
	// Cluster are faults of what is the whole cluster's.
	Cluster field.ErrorList
	// Nodes are faults of what nodes would be created with or get, by [Member.Node].
	Nodes map[string]field.ErrorList
	// Absent are settings of nodes that their pools do not have: without effect, and faults of a new claim alone.
	Absent field.ErrorList
}

// Useless is what of the claim has no effect, in sentences.
func (r Refusals) Useless() []string {
	var out []string
	for _, f := range r.Absent {
		out = append(out, message.Sentence(f.Field+": "+message.Fault(f)))
	}

	return out
}

// All faults, each once, in the order of the fields in docs/api.md.
func (r Refusals) All() field.ErrorList {
	out := slices.Clone(r.Cluster)

	for _, name := range slices.Sorted(maps.Keys(r.Nodes)) {
		out = append(out, r.Nodes[name]...)
	}

	return claim.InOrderOfCluster(out)
}

// Refuse a part of what a node would have.
func (r *Refusals) Refuse(node string, errs field.ErrorList) {
	if len(errs) == 0 {
		return
	}

	if r.Nodes == nil {
		r.Nodes = map[string]field.ErrorList{}
	}

	r.Nodes[node] = append(r.Nodes[node], errs...)
}

// Together refuses what belongs together: a fault of what a pool's nodes share, which the change of one of them would bring, refuses the changes of the others
// in the same group of fields, too. A server would otherwise be replaced into a half of an edit, such as another network that its cluster does not follow to.
// A node that is to be created is no half of anything.
func (r *Refusals) Together(members []Member, spec v1alpha1.K3sClusterSpec, children map[string]Child) {
	shared := map[string]field.ErrorList{} // By pool and group.

	for _, m := range members {
		if _, exists := children[m.Node]; !exists {
			continue
		}

		for _, f := range r.Nodes[m.Node] {
			if path, ofPool := strings.CutPrefix(f.Field, poolPath(m, spec)); ofPool {
				of := poolPath(m, spec) + groupOf(strings.TrimPrefix(path, "template."))
				shared[of] = append(shared[of], f)
			}
		}
	}

	for _, m := range members {
		c, exists := children[m.Node]
		if !exists || len(r.Nodes[m.Node]) > 0 || !Changes(m, c) {
			continue
		}

		groups := map[string]bool{}
		for _, changed := range changes(m, c) {
			groups[poolPath(m, spec)+groupOf(changed)] = true
		}

		for _, of := range slices.Sorted(maps.Keys(groups)) {
			r.Refuse(m.Node, shared[of])
		}
	}
}

// groupOf a field: the first name of its path.
func groupOf(path string) string {
	i := strings.IndexAny(path, ".[")
	if i < 0 {
		return path
	}

	return path[:i]
}

// Standing is a claim whose release cannot be, with the newest one that its servers were asked to run, by their specs or by Plans, or run already: a rollout of
// that one goes on, and new nodes join with it. An earlier one would have system-upgrade-controller downgrade who has it.
func Standing(spec v1alpha1.K3sClusterSpec, children map[string]Child, planned ...string) v1alpha1.K3sClusterSpec {
	asked := slices.Clone(planned)

	for _, c := range children {
		if c.Role == v1alpha1.K3sServer {
			asked = append(asked, versionOf(c.Spec), c.Version)
		}
	}

	newest := ""

	for _, release := range asked {
		if release != "" && (newest == "" || k3s.OlderRelease(newest, release)) {
			newest = release
		}
	}

	spec.Version = cmp.Or(newest, spec.Version)

	return spec
}
