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

// isItself is true for the stage's composite, and for its claim.
func (s *stage) isItself(o unstructured.Unstructured) bool {
	// All nodes of a K3sCluster have the label of the cluster's claim.
	if clusterOf(o) != nil || clusterOf(s.composite) != nil {
		return o.GetKind() == s.composite.GetKind() && o.GetName() == s.composite.GetName() && o.GetNamespace() == s.composite.GetNamespace()
	}

	if name, ok := o.GetLabels()[labelClaimName]; ok {
		return name == s.claimName() && s.sameNamespace(o)
	}

	return o.GetName() == s.claimName() && (o.GetNamespace() == "" || o.GetNamespace() == s.namespace())
}

// belongs is true unless the labels that Crossplane puts on composed resources name another claim or composite. Where there
// is a claim its name counts: that of its composite is the cluster's own.
func (s *stage) belongs(o unstructured.Unstructured) bool {
	in := s.composite.GetNamespace()
	if in != "" && o.GetNamespace() != "" && o.GetNamespace() != in {
		return false
	}

	// What a node of a K3sCluster composes has the labels of the cluster, and of its claim.
	if nested(o) || clusterOf(s.composite) != nil {
		c := metav1.GetControllerOf(&o)

		return c != nil && c.Kind == s.composite.GetKind() && c.Name == s.composite.GetName()
	}

	labels := o.GetLabels()
	if name, ok := labels[labelClaimName]; ok {
		return name == s.claimName() && s.sameNamespace(o)
	}

	name, ok := labels[labelComposite]

	return !ok || name == s.composite.GetName() || name == s.claimName()
}

// sameNamespace is true unless the labels of a resource name another namespace than the claim's.
func (s *stage) sameNamespace(o unstructured.Unstructured) bool {
	namespace, ok := o.GetLabels()[labelClaimNamespace]

	return !ok || namespace == s.namespace()
}

// claimName is the name of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) claimName() string {
	if name, ok := s.composite.GetLabels()[labelClaimName]; ok {
		return name
	}

	return s.composite.GetName()
}

// namespace of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) namespace() string {
	if namespace, ok := s.composite.GetLabels()[labelClaimNamespace]; ok {
		return namespace
	}

	return s.composite.GetNamespace()
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
