package compose

import (
	"google.golang.org/protobuf/types/known/structpb"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// controls says whether the cluster is the controller of a resource.
func (c clusterCall) controls(o *structpb.Struct) bool {
	controller := controllerOf(o)

	return controller != nil && controller["uid"].GetStringValue() == c.id.UID
}

// isNode says whether a composed resource is a node, and no Usage.
func (c clusterCall) isNode(o *structpb.Struct) bool {
	return o.GetFields()["kind"].GetStringValue() == c.nodeKind()
}

// nodeKind is the kind of the nodes' composites.
func (c clusterCall) nodeKind() string {
	if _, namespace := ownName(c.call.composite); namespace != "" {
		return claim.KindK3sNode
	}

	return "X" + claim.KindK3sNode
}

// protected says whether cluster and nodes are protected from deletion: by default where VMs would be destroyed.
func (c clusterCall) protected() bool {
	if p := c.spec.DeletionProtection; p != nil {
		return *p
	}

	return c.spec.DeletionPolicy == v1alpha1.DeletionDelete
}

// controllerOf a resource; nil where there is none.
func controllerOf(o *structpb.Struct) map[string]*structpb.Value {
	for _, v := range metadataOf(o)["ownerReferences"].GetListValue().GetValues() {
		if owner := v.GetStructValue().GetFields(); owner["controller"].GetBoolValue() {
			return owner
		}
	}

	return nil
}

// nodeNamed selects the composite of a node.
func (c clusterCall) nodeNamed(name string) *fnv1.ResourceSelector {
	apiVersion, _ := c.call.composite["apiVersion"].(string)
	selector := &fnv1.ResourceSelector{ApiVersion: apiVersion, Kind: c.nodeKind(), Match: &fnv1.ResourceSelector_MatchName{MatchName: name}}

	if _, namespace := ownName(c.call.composite); namespace != "" {
		selector.Namespace = &namespace
	}

	return selector
}
