package compose

import (
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/volume"
)

// volumesRequirement are all PersistentVolumes, among what the function asks Crossplane for.
const volumesRequirement = "k3s-volumes"

// readVolumes asks for the PersistentVolumes of the cluster, where they keep machines from deletion. Their provisioners label them in no
// common way, so that the function asks for all.
func (c *call) readVolumes() (known bool, err error) {
	if !lifecycle.AsksForVolumes(c.facts) {
		return true, nil
	}

	c.facts.Volumes, known, err = requireByLabels(c, volumesRequirement, volume.APIVersion, volume.Kind, nil, volume.Observe)

	return known, err
}
