package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// spreads are the moments of a VM that meets others which it is kept apart from.
func spreads() map[string]scenario {
	of := func(reason string, apart lifecycle.Apart, status, why, text string, also ...func(*Input)) scenario {
		want := Output{
			Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true),
			Conditions: conditions(Condition{"SpreadBroken", metav1.ConditionStatus(status), why, text}),
		}

		if status == "True" {
			want.Events = []Event{{Warning: true, Reason: "SpreadBroken", Message: text}}
		}

		return scenario{reason: reason, want: want, in: func(t *testing.T) Input {
			t.Helper()

			in := settled(t)
			m := *in.Machine
			m.Placement.Spread = "dns"
			in.Machine, in.Plan.Machine, in.Plan.Observed, in.Plan.Apart = &m, &m, in.State, apart
			in.Plan.Owner = lifecycle.Owner{Composite: "dns01-x", Machine: "dns01", ClaimNamespace: "infra"}

			for _, change := range also {
				change(&in)
			}

			return in
		}}
	}

	vm := func(namespace, name, node string) proxmox.ObservedVM {
		out := proxmox.ObservedVM{}
		out.Metadata.Labels = map[string]string{proxmox.NamespaceLabel: namespace, proxmox.MachineLabel: name, proxmox.CompositeLabel: namespace + "-" + name}
		out.Status.AtProvider.NodeName = node

		return out
	}
	group := lifecycle.Apart{Group: []proxmox.ObservedVM{vm("infra", "dns02", "pve"), vm("infra", "dns03", "pve3")}}

	return map[string]scenario{
		"SpreadOnOneNode": of("A machine of the group is on its node, and another node of the site has none.",
			lifecycle.Apart{Group: group.Group, Nodes: []string{"pve", "pve2", "pve3"}}, "True", "OnOneNode",
			"VM 153 is on node pve, and so are other machines of dns (proxmox.spread): infra/dns02. An outage of the node stops all of them. Node pve2 has fewer. The function "+
				"moves none of them by itself. To part them: `qm migrate 153 pve2 --online` on pve, or with spec.proxmox.node and spec.proxmox.migrate: true "+
				"(docs/day-two.md, Machines that meet)."),
		"SpreadServersOnOneNode": of("Another server is on its node, and a third one of another namespace, whose name nobody here may know.",
			lifecycle.Apart{Servers: []proxmox.ObservedVM{vm("infra", "k3s-b", "pve"), vm("shop", "k3s-c", "pve"), vm("strange", "k3s-d", "pve")}, Nodes: []string{"pve", "pve2"}},
			"True", "OnOneNode",
			"VM 153 is on node pve, and so are other servers of its K3s cluster: infra/k3s-b, another claim of this Proxmox. An outage of the node stops all of "+
				"them. Node pve2 has fewer. The function moves none of them by itself. To part them: `qm migrate 153 pve2 --online` on pve (docs/day-two.md, Machines that meet).",
			func(in *Input) {
				in.Plan.Kin = lifecycle.Kin{Namespace: "infra", Named: []string{"shop"}}
				in.Plan.Machine.HA = &machine.HA{}
			}),
		"SpreadTooFewNodes": of("Each other node has as many, but for one.", lifecycle.Apart{Group: group.Group, Nodes: []string{"pve", "pve3"}}, "False", "TooFewNodes",
			"VM 153 is on node pve, and so are other machines of dns (proxmox.spread): infra/dns02. An outage of the node stops all of them. No other node that is known has "+
				"fewer of them, so there is nothing to do. With a new node, list it below sites.<site>.nodes in the catalogue."),
		"SpreadApart": of("Somebody moved it away.", lifecycle.Apart{Group: group.Group[1:]}, "False", "Apart", "No machine that this one is kept apart from is on its node.",
			func(in *Input) {
				in.Previous.Conditions = append(in.Previous.Conditions, metav1.Condition{Type: "SpreadBroken", Status: "True", Reason: "OnOneNode"})
			}),
	}
}
