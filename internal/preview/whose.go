package preview

import (
	"regexp"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// drawn is what Crossplane puts behind a claim's name to name its composite.
var drawn = regexp.MustCompile(`^-[a-z0-9]{5}$`)

// kindOf an object without the X of cluster scoped composites.
func kindOf(o unstructured.Unstructured) string { return strings.TrimPrefix(o.GetKind(), "X") }

// clusterOf a node is its controller, where that is a K3sCluster; nil otherwise.
func clusterOf(o unstructured.Unstructured) *metav1.OwnerReference {
	if c := metav1.GetControllerOf(&o); c != nil && strings.TrimPrefix(c.Kind, "X") == claim.KindK3sCluster {
		return c
	}

	return nil
}

// hasNode says whether an object is a node of the stage's cluster. The cluster's composite has a name of its own where there is a claim.
func (s *stage) hasNode(o unstructured.Unstructured) bool {
	c := clusterOf(o)
	if c == nil || kindOf(s.composite) != claim.KindK3sCluster || c.Kind != s.composite.GetKind() {
		return false
	}

	if _, ok := s.composite.GetLabels()[labelClaimName]; ok {
		return o.GetLabels()[labelClaimName] == s.claimName() && s.sameNamespace(o)
	}

	return c.Name == s.composite.GetName() && o.GetNamespace() == s.composite.GetNamespace()
}

// nested says whether a resource is composed by a composite that another one composes: Crossplane labels it with the outermost one.
func nested(o unstructured.Unstructured) bool {
	c, label := metav1.GetControllerOf(&o), o.GetLabels()[labelComposite]

	return c != nil && label != "" && c.Name != label
}

// isItself is true for the stage's composite, and for its claim.
func (s *stage) isItself(o unstructured.Unstructured) bool {
	if kindOf(o) != kindOf(s.composite) {
		return false
	}

	// All nodes of a K3sCluster have the label of the cluster's claim.
	if clusterOf(o) != nil || clusterOf(s.composite) != nil {
		return o.GetKind() == s.composite.GetKind() && o.GetName() == s.composite.GetName() && o.GetNamespace() == s.composite.GetNamespace()
	}

	if name, ok := o.GetLabels()[labelClaimName]; ok {
		return name == s.claimName() && s.sameNamespace(o)
	}

	return o.GetName() == s.claimName() && (o.GetNamespace() == "" || o.GetNamespace() == s.namespace())
}

// belongs is true unless the labels that Crossplane puts on composed resources name another claim or composite, or the object is in a cluster and is no
// composed resource. Where there is a claim its name counts: that of its composite is the cluster's own.
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

	c, labels := metav1.GetControllerOf(&o), o.GetLabels()
	claimed, ofClaim := labels[labelClaimName]
	composed, ofComposite := labels[labelComposite]

	switch {
	// Crossplane takes the label off what it deletes, just before it does, and observes it no more.
	case !ofClaim && !ofComposite && o.GetDeletionTimestamp() != nil:
		return false
	// Who writes a file by hand leaves all of it out, and Crossplane says what is wrong with its owner.
	case !ofClaim && !ofComposite && o.GetUID() == "":
		return true
	// What a cluster has and nobody composed, a person made.
	case o.GetUID() != "" && c == nil:
		return false
	// A claim of another kind may have the name, too.
	case c != nil && strings.TrimPrefix(c.Kind, "X") != kindOf(s.composite):
		return false
	case ofClaim:
		return claimed == s.claimName() && s.sameNamespace(o)
	case ofComposite:
		return composed == s.composite.GetName() || composed == s.claimName()
	default:
		return s.isComposite(c.Name)
	}
}

// isComposite says whether a name is that of the stage's composite. A cluster draws the name of a claim's.
func (s *stage) isComposite(name string) bool {
	_, ofClaim := s.composite.GetLabels()[labelClaimName]

	return name == s.composite.GetName() || ofClaim && drawn.MatchString(strings.TrimPrefix(name, s.claimName()))
}

// sameNamespace is true unless the labels of a resource name another namespace than the claim's.
func (s *stage) sameNamespace(o unstructured.Unstructured) bool {
	namespace, ok := o.GetLabels()[labelClaimNamespace]

	return !ok || namespace == s.namespace()
}

// claimName is the name of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) claimName() string { return ownName(s.composite) }

// ownName is the name of a composite's claim, or that of a composite without one.
func ownName(o unstructured.Unstructured) string {
	if name, ok := o.GetLabels()[labelClaimName]; ok {
		return name
	}

	return o.GetName()
}

// namespace of the claim, as its composite remembers it; without a claim the composite's own.
func (s *stage) namespace() string {
	if namespace, ok := s.composite.GetLabels()[labelClaimNamespace]; ok {
		return namespace
	}

	return s.composite.GetNamespace()
}

// hasRollout says whether a claim, or its composite, is of a machine of a group.
func hasRollout(object unstructured.Unstructured) bool {
	_, has, err := unstructured.NestedMap(object.Object, "spec", "rollout")

	return has && err == nil
}
