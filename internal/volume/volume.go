// Package volume models a PersistentVolume, as far as it tells on which Node its data is.
package volume

import (
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/homelab-io/function-proxmox-machine/internal/structcodec"
)

// Kind and APIVersion of a PersistentVolume.
const (
	Kind       = "PersistentVolume"
	APIVersion = "v1"
)

// Phases and the reclaim policy that count.
const (
	phaseBound    = "Bound"
	phaseReleased = "Released"
	reclaimRetain = "Retain"
)

// A Volume is a PersistentVolume as it was found.
type Volume struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		ClaimRef      ClaimRef `json:"claimRef"`
		ReclaimPolicy string   `json:"persistentVolumeReclaimPolicy"`
		NodeAffinity  struct {
			Required struct {
				Terms []Term `json:"nodeSelectorTerms"`
			} `json:"required"`
		} `json:"nodeAffinity"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// A ClaimRef names the PersistentVolumeClaim that has the volume.
type ClaimRef struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
}

// A Term selects Nodes: those that meet all its requirements.
type Term struct {
	Expressions []Requirement `json:"matchExpressions"`
	Fields      []Requirement `json:"matchFields"`
}

// A Requirement on a label of a Node, or on a field.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values"`
}

// Observe reads a PersistentVolume.
func Observe(o *structpb.Struct) (Volume, error) {
	var v Volume

	err := structcodec.Decode(o, &v, structcodec.Text{})

	return v, err
}

// Title is the claim that has the volume, as namespace/name; without one the volume's own name.
func (v Volume) Title() string {
	if c := v.Spec.ClaimRef; c.Name != "" {
		return c.Namespace + "/" + c.Name
	}

	return v.Metadata.Name
}

// HoldsData says whether somebody may still want what is on the volume: it is bound to a claim, or was, and is retained.
func (v Volume) HoldsData() bool {
	return v.Status.Phase == phaseBound || v.Status.Phase == phaseReleased && v.Spec.ReclaimPolicy == reclaimRetain
}

// LivesOn says whether the volume can be used on no Node but that with one of the names given: its metadata.name, and its label
// kubernetes.io/hostname. Provisioners of local volumes write the name into a label of their own (local-path and the kubelet's local
// volumes: kubernetes.io/hostname; TopoLVM: topology.topolvm.io/node; OpenEBS: openebs.io/nodename), so that the label's key does not matter.
func (v Volume) LivesOn(names ...string) bool {
	terms := v.Spec.NodeAffinity.Required.Terms

	return len(terms) > 0 && !slices.ContainsFunc(terms, func(t Term) bool { return !t.needs(names) })
}

// needs says whether a term selects no Node but that of the names.
func (t Term) needs(names []string) bool {
	return slices.ContainsFunc(slices.Concat(t.Expressions, t.Fields), func(r Requirement) bool {
		return r.Operator == "In" && len(r.Values) == 1 && r.Values[0] != "" && slices.Contains(names, r.Values[0])
	})
}
