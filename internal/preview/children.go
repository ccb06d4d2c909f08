package preview

import (
	"cmp"
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// A Child is a node of a K3sCluster: a composite that another one composes.
type Child struct {
	Rendered

	Name  string // In its cluster, such as server-0.
	Since int    // The turn of the cluster in which it appears, from 1.
}

// adopted says whether the node is a machine that was there before its cluster.
func (c Child) adopted() bool {
	return c.Claim.Object.GetAnnotations()[cluster.AdoptedAnnotation] != ""
}

// vmID of the node with a space before it, for a sentence; empty where there is none.
func (c Child) vmID() string {
	for _, o := range c.Turn.Composed {
		if id := o.GetLabels()[proxmox.VMIDLabel]; o.GetKind() == proxmox.VMKind && id != "" {
			return " " + id
		}
	}

	return ""
}

// ofNodes is what the nodes of the stage's cluster compose.
func (s *stage) ofNodes() []unstructured.Unstructured {
	var out []unstructured.Unstructured

	for _, o := range s.neighbours {
		c := metav1.GetControllerOf(&o)
		if c != nil && slices.ContainsFunc(s.observed, func(node unstructured.Unstructured) bool {
			return clusterOf(node) != nil && node.GetKind() == c.Kind && node.GetName() == c.Name && node.GetNamespace() == o.GetNamespace()
		}) {
			out = append(out, o)
		}
	}

	return out
}

// children are the nodes of a K3sCluster, each with what becomes of it, in the order in which they appear. Each finds those before it.
func (r Renderer) children(ctx context.Context, in Story, of Rendered) []Child {
	var out []Child

	for _, o := range of.Turn.Composed {
		if kindOf(o) != claim.KindK3sNode {
			continue
		}

		c := in.Claim
		c.Object = o
		name := o.GetAnnotations()[annotationResourceName]
		out = append(out, Child{Rendered: Rendered{Claim: c}, Name: name, Since: of.appeared[name]})
	}

	slices.SortStableFunc(out, func(a, b Child) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(rank(a.Claim.Object), rank(b.Claim.Object)),
			cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})

	nodes := r.nodesOf(in)
	for i := range out {
		out[i].Rendered = nodes.next(ctx, out[i].Claim)
	}

	return out
}

// rank of a node by its role: servers first.
func rank(node unstructured.Unstructured) int {
	if role, _, _ := unstructured.NestedString(node.Object, "spec", "k3s", "role"); role == "server" {
		return 0
	}

	return 1
}
