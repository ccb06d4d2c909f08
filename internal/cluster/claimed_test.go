package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestUseless: a person who writes a setting for a node that the count does not have is told so beside the claim's validity.
func TestUseless(t *testing.T) {
	refused := Refusals{Absent: Absent(
		v1alpha1.K3sClusterSpec{Nodes: []v1alpha1.ClusterNode{{Name: "server-0"}, {Name: "server-3", IP: "192.168.4.61"}}},
		[]Member{{Node: "server-0"}, {Node: "server-1"}},
	)}

	want := status.Condition{
		Type: status.TypeSpecValid, Status: metav1.ConditionTrue, Reason: status.ReasonValid,
		Message: `The claim is valid. spec.nodes[1].name: "server-3": has no effect: the pool's count has no such node; there are: server-0, server-1.`,
	}

	if diff := cmp.Diff(want, specValid(refused, nil)); diff != "" {
		t.Errorf("specValid(...): -want, +got:\n%s", diff)
	}
}

// TestUselessQuestion: a question ends with its own mark.
func TestUselessQuestion(t *testing.T) {
	refused := Refusals{Absent: Absent(v1alpha1.K3sClusterSpec{Nodes: []v1alpha1.ClusterNode{{Name: "server-1"}}}, []Member{{Node: "server-0"}})}
	want := []string{`spec.nodes[0].name: "server-1": has no effect: the pool's count has no such node; did you mean server-0?`}

	if diff := cmp.Diff(want, refused.Useless()); diff != "" {
		t.Errorf("Useless(): -want, +got:\n%s", diff)
	}
}

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
