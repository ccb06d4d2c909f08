package object

import (
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/node"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// NodeZone is the composed resource name of the Object that writes the zone of a machine's Node.
const NodeZone = "node-zone"

// A Zone is what an Object writes on a Node: its label [node.ZoneLabel].
type Zone struct {
	// Node is its name, and UID that of the very Node: the API server refuses a write to another Node of the name.
	Node, UID string
	// Zone is the label's value.
	Zone string
	// Writing says that the provider may write the label now; else it may do nothing but observe.
	Writing bool
}

// A ZoneManifest is all that an Object may write on a Node.
type ZoneManifest struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Metadata   ZoneMetadata `json:"metadata"`
}

// ZoneMetadata of a [ZoneManifest].
type ZoneMetadata struct {
	Name   string            `json:"name"`
	UID    string            `json:"uid"`
	Labels map[string]string `json:"labels"`
}

// NewZone is the Object that writes the zone of a Node. It may write only while there is something to write: for an Object with the policy Update the
// provider's runtime calls the update also where there is no Node, and that would create one if the provider's rights allowed it.
func NewZone(f Flavour, providerConfig string, z Zone, m proxmox.Metadata) Of[ZoneManifest] {
	manifest := ZoneManifest{
		APIVersion: node.APIVersion, Kind: node.Kind,
		Metadata: ZoneMetadata{Name: z.Node, UID: z.UID, Labels: map[string]string{node.ZoneLabel: z.Zone}},
	}

	o := of(f, providerConfig, manifest, m)
	o.Spec.ManagementPolicies = proxmox.ObserveOnly()

	if z.Writing {
		o.Spec.ManagementPolicies = []string{"Observe", "Update"}
	}

	return o
}

// ObservedZone is an Object that writes the zone of a Node as it was found.
type ObservedZone struct{ Found[ZoneManifest, node.Node] }

// Zone that the Object writes, or wrote.
func (o ObservedZone) Zone() Zone {
	m := o.Spec.ForProvider.Manifest.Metadata

	return Zone{Node: m.Name, UID: m.UID, Zone: m.Labels[node.ZoneLabel], Writing: slices.Contains(o.Spec.ManagementPolicies, "Update")}
}

// Sight says why the provider does not write the label; [SightClear] where it does, or did.
func (o ObservedZone) Sight() Sight {
	synced := o.Status.Conditions.Of(proxmox.ConditionSynced)

	switch {
	case synced.Status == "", !synced.IsAbout(o.Metadata.Generation):
		return SightPending
	case synced.IsFalse():
		return sightOf(synced.Message)
	}

	return SightClear
}
