package preview

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// observe sorts what the cluster has: the claim's own composed resources, those of other machines, Kubernetes Nodes, and the composite or
// claim itself. Unless a person named it, only what fits the flavour counts.
func (r Renderer) observe(s *stage, objects []unstructured.Unstructured, named bool) {
	var known unstructured.Unstructured

	for _, o := range objects {
		group := o.GroupVersionKind().Group

		switch {
		case s.hasNode(o):
			s.observed = append(s.observed, o)
		case r.Configuration.owns(group):
			// The composite knows more than its claim.
			switch itself := s.isItself(o); {
			case itself && (known.Object == nil || o.GetKind() == s.composite.GetKind()):
				known = o
			case kindOf(s.composite) == claim.KindK3sCluster && kindOf(o) == claim.KindK3sNode:
				s.neighbours = append(s.neighbours, o) // The cluster may adopt it.
			case !itself && o.GetKind() == s.composite.GetKind() && hasRollout(s.composite):
				s.group = append(s.group, o)
			}
		case o.GetAPIVersion() == "v1" && o.GetKind() == "Node":
			s.nodes = append(s.nodes, o)
		case !named && !r.Configuration.flavour.renders(group):
		case s.belongs(o):
			s.observed = append(s.observed, o)
		default:
			s.neighbours = append(s.neighbours, o)
		}
	}

	if s.given = named || len(s.observed) > 0; s.given {
		s.identify(known)
	}
}

// identify gives the composite the name and the UID that it has in the cluster, and its status: much is named after them,
// and composed resources of another owner would be refused. known is the composite or the claim, where it was given.
func (s *stage) identify(known unstructured.Unstructured) {
	for _, o := range s.observed {
		if owner := metav1.GetControllerOf(&o); owner != nil && owner.Kind == s.composite.GetKind() {
			s.composite.SetName(owner.Name)
			s.composite.SetUID(owner.UID)
		}
	}

	if known.GetKind() == s.composite.GetKind() {
		s.composite.SetName(known.GetName())

		if uid := known.GetUID(); uid != "" {
			s.composite.SetUID(uid)
		}
	}

	if status, ok := known.Object["status"]; ok {
		s.composite.Object["status"] = status
	}
}

// renders is true for the API groups of the managed resources that fl renders. A story's observed resources are of one
// flavour, and mean nothing in another.
func (fl flavour) renders(group string) bool {
	namespaced := strings.HasSuffix(group, ".proxmoxbpg.m.crossplane.io")
	cluster := strings.HasSuffix(group, ".proxmoxbpg.crossplane.io")

	switch {
	case fl.providerAPI != "":
		return !namespaced && !cluster
	case fl.namespaced:
		return namespaced
	default:
		return cluster
	}
}
