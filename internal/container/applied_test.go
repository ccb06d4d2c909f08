package container

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestApplied: what of the claim counts as arrived. The spec is compared by its fields: what they hold is for the function's other tests.
func TestApplied(t *testing.T) {
	before := v1alpha1.AppliedSpec{"image": "debian-12", "size": map[string]any{"memory": "512Mi"}}
	spec := map[string]any{"image": "debian-13", "size": map[string]any{"memory": "1Gi"}, "os": "ubuntu"}
	otherOS := func(c *machine.Container) { c.OS = "ubuntu" }

	for name, tc := range map[string]struct {
		reason string
		edit   func(c *machine.Container)
		seen   func(o *proxmox.ObservedContainer)
		before v1alpha1.AppliedSpec
		want   v1alpha1.AppliedSpec
	}{
		"AtRest":  {reason: "The container is as its claim says.", before: before, want: spec},
		"First":   {reason: "Nothing was known before.", want: spec},
		"Writes":  {reason: "The provider has something to write.", edit: func(c *machine.Container) { c.Tags = []string{"x"} }, before: before, want: before},
		"Restart": {reason: "What waits for a restart has arrived.", edit: func(c *machine.Container) { c.MemoryMiB = 4096 }, before: before, want: spec},
		"Refused": {
			reason: "What the container cannot follow has not, and nobody wrote the field before.", edit: otherOS, before: before,
			want: v1alpha1.AppliedSpec{"image": "debian-13", "size": spec["size"]},
		},
		"RefusedField": {
			reason: "A field that was there before stays as it was.", edit: otherOS, before: v1alpha1.AppliedSpec{"os": "debian"},
			want: v1alpha1.AppliedSpec{"image": "debian-13", "size": spec["size"], "os": "debian"},
		},
		"RefusedFirst": {reason: "Without a memory nobody knows who edited what.", edit: otherOS, want: spec},
		"Starting": {
			reason: "The container is to run, and does not.", before: before, want: before,
			seen: func(o *proxmox.ObservedContainer) { o.Status.AtProvider.Started = false },
		},
		"Working": {
			reason: "The provider is at work.", before: before, want: before,
			seen: func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = append(o.Status.Conditions, proxmox.Condition{Type: "AsyncOperation", Status: "False", Reason: "Ongoing"})
			},
		},
		"Gone": {
			reason: "The provider does not find the container.", before: before, want: before,
			seen: func(o *proxmox.ObservedContainer) {
				o.Status.Conditions = proxmox.Conditions{{Type: "Ready", Status: "False", Reason: "Creating"}, {Type: "Synced", Status: "True"}}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := Decide(request(aContainer(tc.edit), map[string]proxmox.ObservedContainer{replacement.First: living(aContainer(nil), tc.seen)}))
			got := ReportOn(p, Render(p), spec, v1alpha1.ContainerStatus{AppliedSpec: tc.before}).Status.AppliedSpec

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	t.Run("Absent", func(t *testing.T) {
		p := Decide(request(aContainer(nil), nil))
		if got := ReportOn(p, Render(p), spec, v1alpha1.ContainerStatus{}).Status.AppliedSpec; got != nil {
			t.Errorf("nothing of a container that does not exist is applied: %v", got)
		}
	})
}
