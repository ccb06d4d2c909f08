package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
)

// TestSharedSettingsChanged: who is told to replace a server by one that K3s does not let into the cluster loses a vote.
func TestSharedSettingsChanged(t *testing.T) {
	got := (&bootstrapReport{machine: dns01().Machine}).changed([]bootstrap.Difference{
		{Kind: bootstrap.DifferenceShared, Field: "spec.k3s.config.cluster-cidr"},
		{Kind: bootstrap.DifferenceField, Field: "spec.k3s.config.debug"},
		{Kind: bootstrap.DifferenceShared, Field: "spec.k3s.disable"},
	})
	want := Condition{
		"BootstrapCurrent", "False", "BootstrapChanged",
		"The claim, or its catalogue, describes other bootstrap data than the VM was created with: spec.k3s.config.cluster-cidr, spec.k3s.config.debug, spec.k3s.disable. " +
			"The VM keeps running with its old data. K3s refuses a server that differs from its cluster in spec.k3s.config.cluster-cidr, spec.k3s.disable, so that no new VM " +
			"can take the place of this one: write what the cluster has, which is in /etc/rancher/k3s/config.yaml of the VM. Other settings are for a new cluster.",
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed(...): -want, +got:\n%s", diff)
	}
}
