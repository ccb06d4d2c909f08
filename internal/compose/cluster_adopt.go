package compose

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Names of what is asked for of a K3sNode that a cluster adopts. The name of the node follows.
const (
	adoptRequirement      = "k3s-cluster-adopts-"
	adoptClaimRequirement = "k3s-cluster-adopts-claim-"
)

// An adopter finds the K3sNodes that a cluster adopts.
type adopter struct{ of clusterCall }

// adoptions are the K3sNodes that nodes of the claim are to be, by node, each with why it cannot be that.
func (c adopter) adoptions(
	members []cluster.Member, children map[string]cluster.Child, cat catalog.Catalog,
) (out map[string]cluster.Adoption, known bool, err error) {
	out, known = map[string]cluster.Adoption{}, true

	var errs field.ErrorList

	for _, m := range members {
		if _, exists := children[m.Node]; exists || m.Adopts == "" {
			continue
		}

		a, fetched, err := c.adoption(m)
		if err != nil {
			return nil, false, err
		}

		known = known && fetched
		out[m.Node] = a

		if fetched && a.Refused == "" {
			errs = append(errs, c.checkAdopted(m, a.Child, cat)...)
		}
	}

	if known && len(errs) > 0 {
		return nil, false, invalidCluster(errs)
	}

	return out, known, nil
}

// adoption of the K3sNode that a member names.
func (c adopter) adoption(m cluster.Member) (a cluster.Adoption, known bool, err error) {
	if !fetchesFromNamespaces(c.of.call.req) {
		return cluster.Adoption{Refused: "this Crossplane (before 2.0) cannot tell whether its claim still exists: upgrade Crossplane first, " +
			"or move the VM with adopt.vmId of a K3sNode"}, true, nil
	}

	items, known := require(c.of.call.req, c.of.call.rsp, adoptRequirement+m.Node, c.of.nodeNamed(m.Adopts))

	o := first(items)
	if o == nil {
		_, namespace := ownName(c.of.call.composite)
		if namespace != "" {
			namespace = " in namespace " + namespace
		}

		return cluster.Adoption{Refused: "there is no " + c.of.nodeKind() + " of that name" + namespace}, known, nil
	}

	if a.Child, err = cluster.Observe(o.AsMap()); err != nil {
		return a, known, errors.Wrapf(err, "cannot read %s %q", c.of.nodeKind(), m.Adopts)
	}

	a.Adopted = true

	claimed, fetched := c.claimOf(o, m)
	known = known && fetched
	a.Refused = c.refusal(o, m, a.Child, claimed)

	if a.Refused != "" || !known {
		return a, known, nil
	}

	// A VM keeps a disk that leaves its spec.
	vms, known, err := c.of.clusterVMs()
	for _, vm := range vms {
		if composedBy(vm) == m.Adopts && len(vm.Spec.ForProvider.Disk) > 1 {
			a.DataDisks = true
		}
	}

	return a, known, err
}

// refusal says why a K3sNode cannot become a node of this cluster; empty if it can.
func (c adopter) refusal(o *structpb.Struct, m cluster.Member, child cluster.Child, claimed bool) string {
	controller := controllerOf(o)
	node := claim.Decode(o.AsMap())
	foreign, contradictions := c.foreign(o, node.Identity), cluster.Contradictions(m, child)

	switch mark := metadataOf(o)["annotations"].GetStructValue().GetFields()[proxmox.ResourceNameAnnotation].GetStringValue(); {
	case foreign != "":
		return foreign // And nothing else of it.
	case child.Deleting:
		return "it is being deleted"
	case controller != nil && !c.of.controls(o):
		return fmt.Sprintf("it is controlled by %s %s", controller["kind"].GetStringValue(), controller["name"].GetStringValue())
	case claimed:
		return fmt.Sprintf("its claim K3sNode %s still exists, and would go on to write it: docs/clusters.md has the steps", node.Identity.Name)
	case child.Role != m.Role:
		return fmt.Sprintf("its role is %s, and %s is a node with role %s", child.Role, m.Node, m.Role)
	case node.K3s() == nil || clusterLabel(node, c.of.id.Namespace) != c.of.label():
		return c.otherCluster(node)
	case child.Spec["protection"] != nil:
		return "its spec has protection, which is the former name of deletionProtection, and the cluster writes that: rename it first"
	case len(contradictions) > 0:
		return strings.Join(contradictions, "; ")
	case mark != m.Node:
		// Crossplane does not reconcile a composite any more that refers to a resource without the annotation, as it does from when it has written the
		// reference until it has written the resource (ObserveComposedResources in internal/controller/apiextensions/composite/composition_functions.go,
		// v2.4.0: errAnonymousCD).
		return fmt.Sprintf("its annotation does not agree to that: kubectl annotate %s %s --overwrite %s=%s",
			claim.Resource(c.of.nodeKind()), m.Adopts+c.inNamespace(), proxmox.ResourceNameAnnotation, m.Node)
	default:
		return ""
	}
}

// inNamespace is the option of kubectl for the cluster's namespace; empty where nodes are cluster scoped.
func (c adopter) inNamespace() string {
	if _, namespace := ownName(c.of.call.composite); namespace != "" {
		return " -n " + namespace
	}

	return ""
}

// clusterLabel of a node. One that has lost its claim has its namespace as a node of this cluster alone.
func clusterLabel(node claim.Claim, namespace string) string {
	id := node.Identity
	if id.Namespace == "" {
		id.Namespace = namespace
	}

	return claim.ClusterOf(id, node.K3s()).Label
}

// otherCluster says of which cluster a node is that is not of this one.
func (c adopter) otherCluster(node claim.Claim) string {
	ours := "k3s.cluster: " + c.of.spec.Cluster
	if c.of.spec.Cluster == "" {
		ours = "k3s.clusterName: " + c.of.id.Name
	}

	if name := node.Cluster().Name; name != "" {
		return fmt.Sprintf("it is a node of cluster %s, and not of this one, with %s", name, ours)
	}

	return "it does not say which cluster it is a node of: set " + ours + " in it first, if it is one of this cluster"
}

// claimOf says whether a cluster scoped K3sNode still has its claim.
func (c adopter) claimOf(o *structpb.Struct, m cluster.Member) (exists, known bool) {
	node := o.AsMap()
	if !claim.IsOfClaim(node) {
		return false, true
	}

	apiVersion, _ := c.of.call.composite["apiVersion"].(string)
	id := claim.Decode(node).Identity
	items, known := require(c.of.call.req, c.of.call.rsp, adoptClaimRequirement+m.Node, &fnv1.ResourceSelector{
		ApiVersion: apiVersion, Kind: claim.KindK3sNode, Match: &fnv1.ResourceSelector_MatchName{MatchName: id.Name}, Namespace: &id.Namespace,
	})

	return first(items) != nil, known
}

// foreign says whether a cluster scoped K3sNode is that of another namespace, whose Secrets it may read; empty if it is not.
func (c adopter) foreign(o *structpb.Struct, id machine.Identity) string {
	if namespaceOf(o) != "" {
		return ""
	}

	of := id.Namespace
	if of == "" {
		of = metadataOf(o)["labels"].GetStructValue().GetFields()[claim.NamespaceLabel].GetStringValue()
	}

	switch of {
	case c.of.id.Namespace:
		return ""
	case "":
		return "it is a K3sNode of no namespace"
	default:
		return "it is a K3sNode of another namespace"
	}
}

// checkAdopted checks what an adopted node gets in its turn.
func (c adopter) checkAdopted(m cluster.Member, child cluster.Child, cat catalog.Catalog) field.ErrorList {
	apiVersion, _ := c.of.call.composite["apiVersion"].(string)
	m.Spec, m.Founder, m.Machine = cluster.SpecOf(m, child), nil, child.Machine

	return cluster.CheckMember(m, c.of.id, apiVersion, c.of.spec, cat, checkSecrets(c.of.call.req))
}
