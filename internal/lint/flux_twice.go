package lint

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ofPlace are the fields of a layer that put what it applies elsewhere, or under another name.
var ofPlace = []string{"kubeConfig", "namePrefix", "nameSuffix", "targetNamespace", "postBuild", "suspend"} //nolint:gochecknoglobals // A constant list.

// twice are the faults of a layer that applies a claim which an earlier layer of the same cluster applies, too. Flux accepts both: the claim bears the name of
// the layer that was last (https://fluxcd.io/flux/components/kustomize/kustomizations, Garbage collection), whose loss of the file deletes it.
func (r *fluxRepository) twice(l fluxLayer) []Fault {
	for _, before := range r.layers {
		if before.self.is(l.self) {
			return nil
		}

		if !l.besides(before) {
			continue
		}

		for _, o := range l.objects {
			if !isApplied(o) || !slices.ContainsFunc(before.objects, o.is) {
				continue
			}

			return []Fault{l.warning(fmt.Sprintf("applies %s %s, and so does layer %s: each takes it from the other one again and again, and the one that had it last deletes it when it has prune: true and loses the file. "+
				"Leave it to one of them: give them folders of their own%s", o.kind(), message.Excerpt(o.name()), message.Excerpt(before.self.name()), seeMachines))}
		}
	}

	return nil
}

// besides says whether two layers are of one cluster, and put what they apply at the same place. Files of one folder are of one cluster; clusters may share
// what they apply.
func (l fluxLayer) besides(other fluxLayer) bool {
	if l.self.name() == other.self.name() || filepath.Dir(l.self.file) != filepath.Dir(other.self.file) || len(l.patches)+len(other.patches) > 0 {
		return false
	}

	return !slices.ContainsFunc(ofPlace, func(field string) bool {
		return !reflect.DeepEqual(at(l.self.value, "spec", field), at(other.self.value, "spec", field))
	})
}
