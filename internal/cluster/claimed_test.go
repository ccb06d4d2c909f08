package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

func TestClaimedTwice(t *testing.T) {
	got := claimedTwice(v1alpha1.K3sClusterSpec{Nodes: []v1alpha1.ClusterNode{
		{Name: "server-0", IP: "192.168.4.61/24", MAC: "bc:24:11:00:00:01", VMID: new(int64(4001))},
		{Name: "server-1", IP: "192.168.4.62", MAC: "BC:24:11:00:00:02", VMID: new(int64(4002))},
		{Name: "server-2", IP: "192.168.4.61", MAC: "BC:24:11:00:00:01", VMID: new(int64(4001))},
		{Name: "worker-0"},
		{Name: "worker-1"},
	}})

	want := field.ErrorList{
		field.Invalid(field.NewPath("spec", "nodes").Index(2).Child("ip"), "192.168.4.61", "is what this claim gives server-0, too: two VMs cannot have it at once"),
		field.Invalid(field.NewPath("spec", "nodes").Index(2).Child("mac"), "BC:24:11:00:00:01", "is what this claim gives server-0, too: two VMs cannot have it at once"),
		field.Invalid(field.NewPath("spec", "nodes").Index(2).Child("vmId"), "4001", "is what this claim gives server-0, too: two VMs cannot have it at once"),
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("However they are written.\nclaimedTwice(...): -want, +got:\n%s", diff)
	}
}
