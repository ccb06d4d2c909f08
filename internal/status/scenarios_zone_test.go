package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// zones are the moments of a Node whose zone follows its VM.
func zones() map[string]scenario {
	const pending = "Node dns01 is to get the label topology.kubernetes.io/zone=pve2."

	writing := object.Zone{Node: "dns01", UID: "a", Zone: "pve2", Writing: true}
	of := func(reason string, z lifecycle.Zone, fails string, status metav1.ConditionStatus, why, message string, warns bool) scenario {
		in := func(t *testing.T) Input {
			t.Helper()

			in := drain(t, lifecycle.Drain{})
			in.Plan.Zone = z

			if z.State == lifecycle.ZoneUnasked {
				in.Previous.Conditions = append(in.Previous.Conditions, metav1.Condition{Type: "ZoneLabelled", Status: "True", Reason: "Labelled"})
			}

			if fails != "" {
				o := &object.ObservedZone{}
				o.Spec = object.NewZone(object.Cluster, "home", writing, proxmox.Metadata{}).Spec
				o.Status.Conditions = proxmox.Conditions{{Type: "Synced", Status: "False", Message: fails}}
				in.Plan.Objects.Zone = o
			}

			return in
		}

		s := scenario{reason: reason, in: in, want: Output{
			Status: made(kubernetes), Ready: readiness(true, true, true),
			Conditions: with(nodeConditions(), Condition{Type: "ZoneLabelled", Status: status, Reason: why, Message: message}),
		}}
		if warns {
			s.want.Events = []Event{{Warning: true, Reason: why, Message: message}}
		}

		return s
	}

	return map[string]scenario{
		"ZoneFollows": of("The label is right.", lifecycle.Zone{State: lifecycle.ZoneLabelled, Found: "pve2"}, "", "True", "Labelled",
			"Node dns01 has the label topology.kubernetes.io/zone=pve2, the Proxmox node of its VM.", false),
		"ZoneIsWritten": of("The provider has not looked yet.", lifecycle.Zone{State: lifecycle.ZoneWriting, Object: &writing}, "", "False", "ZonePending",
			pending+" Provider-kubernetes has not been seen to write it yet.", false),
		"ZoneForbidden": of("A right is missing.", lifecycle.Zone{State: lifecycle.ZoneWriting, Object: &writing}, "nodes is forbidden", "False", "ZoneUnwritten",
			pending+" Provider-kubernetes may not patch Nodes: give the identity of its configuration home the rights of the ClusterRole provider-kubernetes-nodes, "+
				"in the cluster that the machine joins.", true),
		"ZoneWithoutProvider": of("Nothing can be composed.", lifecycle.Zone{State: lifecycle.ZoneNoKind}, "", "False", "ZoneUnwritten",
			"Nobody can write the label topology.kubernetes.io/zone of Node dns01: provider-kubernetes is not installed, or its kind Object is not active. Install it, or "+
				"remove zoneLabel from the cluster's entry of the catalogue.", true),
		"ZoneOfAnother": of("Nobody fights over a label.", lifecycle.Zone{State: lifecycle.ZoneOther, Found: "rack-1"}, "", "False", "OtherZone",
			"Node dns01 has the label topology.kubernetes.io/zone=rack-1, which somebody else wrote. It stays, and does not follow the VM: for that, run "+
				"`kubectl label node dns01 topology.kubernetes.io/zone-`.", true),
		"ZoneClaimed": of("The kubelet would write it again.", lifecycle.Zone{State: lifecycle.ZoneClaimed}, "", "False", "ZoneClaimed",
			"spec.k3s.labels has topology.kubernetes.io/zone, which K3s writes again whenever it starts, so the label does not follow the VM.", false),
		"ZoneUnasked": of("The key is gone.", lifecycle.Zone{}, "", "Unknown", "ZoneUnasked",
			"The catalogue does not ask for the label topology.kubernetes.io/zone any more. What the Node has stays.", false),
	}
}
