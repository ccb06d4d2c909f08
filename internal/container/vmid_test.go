package container

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestVMIDOnOtherNodes: a container is created when none has its VMID on any node of the site.
func TestVMIDOnOtherNodes(t *testing.T) {
	site := []string{"pve", "pve2", "pve3"}

	// By node, of a container; nil where the provider has not answered. Empty: of a VM; nil where there is none.
	type answers map[string]proxmox.Conditions

	type want struct {
		Action     Action
		Outcome    lifecycle.Outcome
		Node       string
		Unanswered []string
		Condition  string // VMIDInUse.
	}

	unreachable := proxmox.Conditions{{Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: received an HTTP 595 response - Reason: No route to host"}}

	// What the provider says of a VM with the VMID, which the Proxmox cluster has on a node that does not answer.
	unread := proxmox.Conditions{{
		Type: "Synced", Status: "False", Reason: "ReconcileError",
		Message: "observe failed: cannot run import: error retrieving VM 150: received an HTTP 595 response - Reason: No route to host",
	}}

	for name, tc := range map[string]struct {
		reason  string
		nodes   []string
		answers answers
		adopt   bool
		want    want
	}{
		"Free":    {"None has it.", site, answers{"pve": none(), "pve2": none(), "pve3": none()}, false, want{Action: ActionCreate, Outcome: lifecycle.OutcomeFree, Condition: "False NumberFree"}},
		"Another": {"A container on another node has it.", site, answers{"pve": none(), "pve2": none(), "pve3": found()}, false, want{Action: ActionCheck, Outcome: lifecycle.OutcomeTaken, Node: "pve3", Condition: "True NumberTaken"}},
		"EarlyAnswer": {
			"One that is found is enough to know.", site,
			answers{"pve3": found()},
			false,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeTaken, Node: "pve3", Condition: "True NumberTaken"},
		},
		"Waits": {
			"Without an answer of each node, nothing is created.", site,
			answers{"pve": none(), "pve3": none()},
			false,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeChecking, Unanswered: []string{"pve2"}, Condition: "Unknown Looking"},
		},
		"Unreachable": {
			"Nor while a node cannot be reached.", site,
			answers{"pve": none(), "pve2": unreachable, "pve3": none()},
			false,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeChecking, Unanswered: []string{"pve2"}, Condition: "Unknown Looking"},
		},
		"UnreadVM": {
			"The Proxmox cluster knows that something on a node that does not answer has it.", site,
			answers{"pve": none(), "pve2": none(), "pve3": unreachable, "": unread},
			false,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeTaken, Condition: "True NumberTaken"},
		},
		"UnlistedNode": {
			"The claim's node counts, whether the catalogue lists it or not.",
			[]string{"pve2"},
			answers{"pve2": none()},
			false,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeChecking, Unanswered: []string{"pve"}, Condition: "Unknown Looking"},
		},
		"Adopts": {
			"The container that is to be adopted is on the claim's node.", site,
			answers{"pve": none()},
			true,
			want{Action: ActionCheck, Outcome: lifecycle.OutcomeFree, Condition: "False NumberFree"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := request(aContainer(func(c *machine.Container) {
				c.Template.Download = nil
				if tc.adopt {
					c.Adopt = &v1alpha1.Adopt{VMID: 150}
				}
			}), map[string]proxmox.ObservedContainer{})
			r.Nodes = tc.nodes

			asked := Plan{Request: r, Described: Describe(r.Container, replacement.First)}
			for _, node := range asked.looks().nodes {
				o := proxmox.ObservedContainer{Kind: proxmox.ContainerKind}
				o.Metadata.Name, o.Spec.ManagementPolicies, o.Status.Conditions = node, proxmox.ObserveOnly(), tc.answers[node]
				o.Spec.ForProvider.NodeName = node

				if o.Status.Conditions.Of("Ready").IsTrue() {
					o.Status.AtProvider = living(aContainer(nil), nil).Status.AtProvider
					o.Status.AtProvider.NodeName = node
					o.Status.AtProvider.Parameters.Description = "made by hand"
				}

				r.Observed.Containers[asked.looks().name(node, kindContainer)] = o
			}

			_, vm := asked.checkNames()
			v := proxmox.ObservedVM{Kind: proxmox.VMKind}
			v.Spec.ManagementPolicies, v.Status.Conditions = proxmox.ObserveOnly(), none()
			if of := tc.answers[""]; of != nil {
				v.Status.Conditions = of
			}

			r.Observed.VMs[vm] = v

			p := Decide(r)
			rendered := Render(p)
			report := ReportOn(p, rendered, nil, v1alpha1.ContainerStatus{})
			got := want{p.Action, p.Check.Outcome, p.Check.Node, p.Check.Unanswered, conditionOf(t, report, status.TypeVMIDInUse)}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			if tc.want.Action == ActionCheck && len(rendered.Checks.Containers) != len(asked.looks().nodes) {
				t.Errorf("%s\nwant a check on each of %v, got %d", tc.reason, asked.looks().nodes, len(rendered.Checks.Containers))
			}

			for _, c := range rendered.Checks.Containers {
				if node := c.Spec.ForProvider.NodeName; c.Metadata.ExternalName() != node+"/150" || !proxmox.OnlyObserves(c.Spec.ManagementPolicies) {
					t.Errorf("%s\nthe check on %s is %+v", tc.reason, node, c.Metadata)
				}
			}

			for _, node := range tc.want.Unanswered {
				i := slices.IndexFunc(report.Conditions, func(c status.Condition) bool { return c.Type == status.TypeVMIDInUse })
				if len(asked.looks().nodes) > 1 && !strings.Contains(report.Conditions[i].Message, node) {
					t.Errorf("%s\nwant the message to name %s: %s", tc.reason, node, report.Conditions[i].Message)
				}
			}
		})
	}
}

// TestFirstOnAnyNode: two claims that ask on several nodes agree on who was first, whichever of their questions is the earliest.
func TestFirstOnAnyNode(t *testing.T) {
	r := request(aContainer(nil), map[string]proxmox.ObservedContainer{})
	r.Nodes = []string{"pve", "pve2"}
	asked := Plan{Request: r, Described: Describe(r.Container, replacement.First)}

	for node, at := range map[string]string{"pve": "2026-06-01T00:00:00Z", "pve2": "2026-01-01T00:00:00Z"} {
		o := proxmox.ObservedContainer{Kind: proxmox.ContainerKind}
		o.Metadata.Name, o.Metadata.CreationTimestamp = node, at
		r.Observed.Containers[asked.looks().name(node, kindContainer)] = o
	}

	_, vm := asked.checkNames()
	v := proxmox.ObservedVM{}
	v.Metadata.Name, v.Metadata.CreationTimestamp = "vm", "2026-06-01T00:00:00Z"
	r.Observed.VMs[vm] = v

	for at, want := range map[string]string{"2026-03-01T00:00:00Z": "", "2025-12-01T00:00:00Z": "infra/web"} {
		r.Others = []lifecycle.Other{{VMID: 150, Checks: true, ProviderConfigRef: proxmox.ProviderConfigRef{Name: "home"}, Metadata: proxmox.ObservedMetadata{
			Name: "other", CreationTimestamp: at, Metadata: proxmox.Metadata{Labels: map[string]string{proxmox.NamespaceLabel: "infra", proxmox.MachineLabel: "web"}},
		}}}

		p := Plan{Request: r, Described: Describe(r.Container, replacement.First)}
		if got := p.claimedBy(); got != want {
			t.Errorf("asked at %s: want %q, got %q", at, want, got)
		}
	}
}
