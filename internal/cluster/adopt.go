package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// An Adoption is a K3sNode that exists and is to become a node of a cluster.
type Adoption struct {
	Child
	// Refused says why it cannot become that; empty if it can.
	Refused string
}

// adopt the K3sNodes that the claim names, each with the spec that it has: all of them, or none. It says whether any are to be adopted, so that
// nothing else may begin: a server that is not counted yet is one of a majority, and a server that is created could start another cluster.
func adopt(d *decision) bool {
	var adopting []Member

	for _, m := range d.now.Members {
		c, exists := d.now.Children[m.Node]

		switch {
		case m.Adopts == "":
		case !exists:
			adopting = append(adopting, m)
		case c.Machine != m.Adopts:
			refuse(d, m, fmt.Sprintf("%s is K3sNode %s, and becomes no other one", m.Node, c.Machine))
		}
	}

	for _, m := range adopting {
		s := d.steps[m.Node]
		s.State, s.Why = StateAdopting, "waits until K3sNode "+m.Adopts+" can be adopted"

		if why := adoptable(d.now, m); why != "" {
			refuse(d, m, m.Node+" does not adopt K3sNode "+m.Adopts+": "+why)
			s.Why = why
		}
	}

	if len(adopting) > 0 && !d.now.Children.hasServers() {
		refuseFounder(d)
	}

	if len(d.said.refused) == 0 {
		for _, m := range adopting {
			takeOver(d, m)
		}
	}

	return len(adopting) > 0 || len(d.said.refused) > 0
}

func refuse(d *decision, m Member, why string) {
	if s := d.steps[m.Node]; s.Why == "" {
		s.Why = why
	}

	d.said.refused = append(d.said.refused, why)
}

// adoptable says why a K3sNode cannot become a node; empty if it can.
func adoptable(now *situation, m Member) string {
	if is := nodeOf(now.Children, m.Adopts); is != "" {
		return "it is node " + is + " of this cluster"
	}

	for _, o := range now.Members {
		if o.Machine == m.Adopts && o.Node != m.Node && o.Adopts == "" {
			return "that is the name of node " + o.Node + ", which would not be created"
		}
	}

	a, known := now.Adoptions[m.Node]
	if !known {
		return "nobody has looked for it"
	}

	return a.Refused
}

// refuseFounder refuses to adopt nodes where the claim has a first server that is not among them: it would start another cluster.
func refuseFounder(d *decision) {
	for _, m := range d.now.Members {
		if m.Founder != nil && m.Adopts == "" {
			refuse(d, m, fmt.Sprintf("%s would start another cluster beside that of the nodes which are adopted: it has to adopt a server, too", m.Node))
		}
	}
}

// takeOver a K3sNode as it is.
func takeOver(d *decision, m Member) {
	c, s := d.now.Adoptions[m.Node].Child, d.steps[m.Node]

	s.Action, s.Machine, s.Role, s.Spec, s.Adopted = ActionAdopt, c.Machine, c.Role, c.Spec, true
	s.Joined, s.Ready, s.DataDisks = c.Joined, c.Ready, c.DataDisks

	s.Why = "adopts K3sNode " + c.Machine + ": nothing changes on its VM"
	if c.VMID != nil {
		s.Why += fmt.Sprintf(" %d", *c.VMID)
	}
}

// nodeOf is the node that a composite is in this cluster; empty where it is none.
func nodeOf(children map[string]Child, composite string) string {
	for name, c := range children {
		if c.Machine == composite {
			return name
		}
	}

	return ""
}

// isFirstTurn says whether a node had no turn since it was adopted. What its VM cannot take up then was so before, and is no reason for a new VM.
func isFirstTurn(c Child) bool { return c.Adopted && c.Template == "" }

// Contradictions are settings of a node in the claim that differ from what the K3sNode has that becomes this node: no VM moves or gets another
// address because it is adopted.
func Contradictions(m Member, c Child) []string {
	var out []string

	network, proxmox := group(m.Spec, "network"), group(m.Spec, "proxmox")
	hasNetwork, hasProxmox := group(c.Spec, "network"), group(c.Spec, "proxmox")

	differ := func(name string, said, has any) {
		if said != nil && has != nil && fmt.Sprint(said) != fmt.Sprint(has) {
			out = append(out, fmt.Sprintf("the claim says %s %v, and it has %v", name, said, has))
		}
	}

	differ("ip", address(network["ip"]), address(hasNetwork["ip"]))
	differ("mac", upper(network["mac"]), upper(hasNetwork["mac"]))

	node, vmID := hasProxmox["node"], hasProxmox["vmId"]
	if c.ProxmoxNode != "" {
		node = c.ProxmoxNode
	}

	if c.VMID != nil {
		vmID = float64(*c.VMID)
	}

	differ("proxmoxNode", proxmox["node"], node)
	differ("vmId", number(proxmox["vmId"]), number(vmID))

	return out
}

// withAdoption is a spec with which a node adopts its VM.
func withAdoption(spec map[string]any, m Member) map[string]any {
	out := maps.Clone(spec)
	out["adopt"] = m.AdoptVM

	return out
}

// adoptsVMs says whether the claim has nodes whose VMs exist, and so a cluster that they are nodes of.
func adoptsVMs(members []Member) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.AdoptVM != nil })
}

// approvals are what a person has to approve before VMs are adopted, in a sentence; empty where nothing waits.
func approvals(now *situation) string {
	var all []string

	for _, m := range now.Members {
		if c := now.Children[m.Node]; m.AdoptVM != nil && c.Approve != "" {
			all = append(all, m.Node+": \""+c.Approve+"\"")
		}
	}

	if len(all) == 0 {
		return ""
	}

	return "VMs wait for the approval of their adoption: status.adoption of each K3sNode has what it would change; then set nodes[].adoptVm.approve of " + strings.Join(all, ", ") + "."
}

// maxAdopt is the length of the name of a K3sNode, in characters.
const maxAdopt = 63

// checkAdoptions of the nodes of a claim, each of which is to be one K3sNode.
func checkAdoptions(at *field.Path, nodes []v1alpha1.ClusterNode) field.ErrorList {
	var errs field.ErrorList

	by := map[string]string{}

	for i, n := range nodes {
		errs = append(errs, checkAdoptedVM(at.Index(i), nodes[:i], n)...)
		at := at.Index(i).Child("adopt")

		if n.Adopt == "" {
			continue
		}

		if len(n.Adopt) > maxAdopt {
			errs = append(errs, field.TooLong(at, message.Excerpt(n.Adopt), maxAdopt))
		}

		if other, taken := by[n.Adopt]; taken {
			errs = append(errs, field.Invalid(at, message.Excerpt(n.Adopt), "is adopted by "+other+" already: a K3sNode becomes one node"))
		}

		by[n.Adopt] = n.Name
	}

	return errs
}

// checkAdoptedVM checks the VM that a node is to adopt, beside the nodes before it in the claim.
func checkAdoptedVM(at *field.Path, before []v1alpha1.ClusterNode, n v1alpha1.ClusterNode) field.ErrorList {
	if n.AdoptVM == nil {
		return nil
	}

	var errs field.ErrorList

	if n.Adopt != "" {
		errs = append(errs, field.Forbidden(at.Child("adoptVm"), "adopt names the K3sNode that becomes this node, with the VM that it has: write one of the two"))
	}

	for _, o := range before {
		if o.AdoptVM != nil && o.AdoptVM.VMID == n.AdoptVM.VMID {
			errs = append(errs, field.Invalid(at.Child("adoptVm", "vmId"), n.AdoptVM.VMID, "is adopted by "+o.Name+" already: a VM becomes one node"))
		}
	}

	return errs
}
