package container

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/diagnose"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// TestSpecCondition: warnings go with a claim that is valid, and a claim that keeps something says so in place of it.
func TestSpecCondition(t *testing.T) {
	kept := []machine.Kept{{Part: machine.PartImage}}
	valid := func(text string) status.Condition {
		return status.Condition{Type: status.TypeSpecValid, Status: metav1.ConditionTrue, Reason: status.ReasonValid, Message: text}
	}

	cases := map[string]struct {
		reason   string
		kept     []machine.Kept
		warnings []string
		want     status.Condition
	}{
		"Valid":  {reason: "There is nothing to say.", want: valid("The claim is valid.")},
		"Warned": {reason: "In their order.", warnings: []string{"B.", "A."}, want: valid("The claim is valid. B. A.")},
		"Kept":   {reason: "What is kept comes first.", kept: kept, warnings: []string{"A."}, want: status.KeptCondition("container", kept, []string{"A."})},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			p := Plan{Request: request(aContainer(func(c *machine.Container) { c.Kept, c.Warnings = tc.kept, tc.warnings }), nil)}

			if diff := cmp.Diff(tc.want, reporter{plan: p}.spec()); diff != "" {
				t.Errorf("%s\nspec(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestChangedByHand: what differs in a container is told of a container, and offers no replacement, which destroys it. Other rows are as they are.
func TestChangedByHand(t *testing.T) {
	for _, r := range diagnose.Rows() {
		got := changedByHand(r)

		if r.Name != diagnose.RowImmutable {
			if got.Meaning != r.Meaning || got.Remedy != r.Remedy {
				t.Errorf("row %s: %q, %q", r.Name, got.Meaning, got.Remedy)
			}

			continue
		}

		text := got.Meaning + got.Remedy
		if got.Class != r.Class || !strings.Contains(text, "container <vmId>") || strings.Contains(text, "VM ") || strings.Contains(text, "lifecycle.replace") {
			t.Errorf("row %s: %s", r.Name, text)
		}
	}
}

// TestProviderCondition: an error of the provider is told with the container's own values.
func TestProviderCondition(t *testing.T) {
	p := Plan{Request: request(aContainer(func(c *machine.Container) {
		c.Placement.Node, c.Placement.Site, c.Boot.Image = "pve", "home", "debian-12"
		c.Placement.VMID = 150
	}), nil)}
	finding := func(node string) status.Finding {
		return status.Finding{
			Row:  diagnose.Row{Class: "X", Meaning: "No <image> on <node> of <site>.", Remedy: "See <vmId> of <machine> in <namespace>."},
			Name: "container", Kind: proxmox.ContainerKind, Node: node,
		}
	}
	p.State = StateLiving
	id := p.Container.Identity

	cases := map[string]struct {
		reason string
		errors []status.Finding
		seen   proxmox.ObservedContainer // Zero for one that is not there.
		want   status.Condition
	}{
		"Runs": {
			reason: "One that ran is said to have run.", errors: []status.Finding{finding("")}, seen: living(p.Container, nil),
			want: status.Condition{
				Type: status.TypeProviderHealthy, Status: metav1.ConditionFalse, Reason: "X",
				Message: "container (EnvironmentContainer): No debian-12 on pve of home. See 150 of " + id.Name + " in " + id.Namespace + ". Container 150 ran when the provider last read it.",
			},
		},
		"Stopped": {
			reason: "Of one that did not, nothing is said.", errors: []status.Finding{finding("")},
			seen: living(p.Container, func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Started = false }),
			want: status.Condition{
				Type: status.TypeProviderHealthy, Status: metav1.ConditionFalse, Reason: "X",
				Message: "container (EnvironmentContainer): No debian-12 on pve of home. See 150 of " + id.Name + " in " + id.Namespace + ".",
			},
		},
		"Healthy": {reason: "There is none.", want: status.Condition{Type: status.TypeProviderHealthy, Status: metav1.ConditionTrue, Reason: status.ReasonNoError, Message: "The provider reports no error."}},
		"OfClaim": {
			reason: "It is about the node of the claim.", errors: []status.Finding{finding("")},
			want: status.Condition{
				Type: status.TypeProviderHealthy, Status: metav1.ConditionFalse, Reason: "X",
				Message: "container (EnvironmentContainer): No debian-12 on pve of home. See 150 of " + id.Name + " in " + id.Namespace + ".",
			},
		},
		"OfNode": {
			reason: "It is about another node.", errors: []status.Finding{finding("pve2")},
			want: status.Condition{
				Type: status.TypeProviderHealthy, Status: metav1.ConditionFalse, Reason: "X",
				Message: "container (EnvironmentContainer): No debian-12 on pve2 of home. See 150 of " + id.Name + " in " + id.Namespace + ".",
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			r := reporter{plan: p, o: tc.seen, errors: tc.errors}
			if diff := cmp.Diff(tc.want, r.lastSeen(r.provider())); diff != "" {
				t.Errorf("%s\nlastSeen(provider()): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
