package site

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestApplied: what of the claim counts as arrived. The spec is compared by its fields: what they hold is for the function's other tests.
func TestApplied(t *testing.T) {
	before := v1alpha1.AppliedSpec{"nodes": "before", "pools": "before"}
	spec := map[string]any{"nodes": "now", "pools": "now", "deletionPolicy": "Delete"}
	nodesLate := v1alpha1.AppliedSpec{"nodes": "before", "pools": "now", "deletionPolicy": "Delete"}

	// A bridge and a pool as the claim has them.
	inProxmox := func(w *world) {
		w.living(aBridge(), nil, nil)
		w.living(aPool(), nil, nil)
	}
	other := func(edit func(*proxmox.SiteParameters)) func(*world) {
		return func(w *world) {
			inProxmox(w)
			w.living(aBridge(), edit, nil)
		}
	}
	// A bridge that the claim no longer has.
	removed := func(deletion v1alpha1.DeletionPolicy, removals ...string) func(*world) {
		return func(w *world) {
			inProxmox(w)
			w.site.Parts, w.site.DeletionPolicy, w.site.Removals = []machine.SitePart{aPool()}, deletion, removals
		}
	}

	for name, tc := range map[string]struct {
		reason string
		there  func(*world)
		before v1alpha1.AppliedSpec
		want   v1alpha1.AppliedSpec
	}{
		"AtRest":   {reason: "All is as the claim says.", there: inProxmox, before: before, want: spec},
		"First":    {reason: "Nothing was known before.", there: inProxmox, want: spec},
		"Absent":   {reason: "Nothing is there yet.", there: func(*world) {}},
		"Half":     {reason: "The pool is there, the bridge is not.", there: func(w *world) { w.living(aPool(), nil, nil) }, before: before, want: before},
		"Writes":   {reason: "The provider has a comment to write.", there: other(func(p *proxmox.SiteParameters) { p.Comment = "old " + mark }), before: before, want: before},
		"Waits":    {reason: "A change waits for its word, and the rest has arrived.", there: other(func(p *proxmox.SiteParameters) { p.MTU = 1500 }), before: before, want: nodesLate},
		"Touched":  {reason: "What somebody changed in Proxmox holds no commit up.", there: other(func(p *proxmox.SiteParameters) { p.MTU = 1500 }), before: spec, want: spec},
		"NoMemory": {reason: "Without a memory, a claim of which something waits has not arrived.", there: other(func(p *proxmox.SiteParameters) { p.MTU = 1500 })},
		"Refused": {
			reason: "What cannot be has not arrived.", before: before, want: nodesLate,
			there: func(w *world) {
				inProxmox(w)
				w.site.Parts[0].Ports = nil
			},
		},
		"RefusedFirst": {
			reason: "Without a memory nobody knows who edited what.", want: spec,
			there: func(w *world) {
				inProxmox(w)
				w.site.Parts[0].Ports = nil
			},
		},
		"NotNamed": {reason: "A removal waits until the claim names it.", there: removed(v1alpha1.DeletionDelete), before: before, want: nodesLate},
		"Named":    {reason: "A removal is under way.", there: removed(v1alpha1.DeletionDelete, "pve1/vmbr1"), before: before, want: before},
		"Orphaned": {reason: "The managed resource is about to go.", there: removed(v1alpha1.DeletionOrphan), before: before, want: before},
		"Gone": {
			reason: "The provider does not find the bridge.", before: before, want: before,
			there: func(w *world) {
				inProxmox(w)
				o := w.observed["bridge-pve1-vmbr1"]
				o.Status.Conditions = proxmox.Conditions{{Type: proxmox.ConditionReady, Status: "False", Reason: "Creating"}, is(proxmox.ConditionSynced)}
				w.observed["bridge-pve1-vmbr1"] = o
			},
		},
		"Unread": {
			reason: "The provider cannot read the bridge.", before: before, want: before,
			there: func(w *world) {
				inProxmox(w)
				o := w.observed["bridge-pve1-vmbr1"]
				o.Status.Conditions = proxmox.Conditions{is(proxmox.ConditionReady), not("observe failed: connection refused")}
				w.observed["bridge-pve1-vmbr1"] = o
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(aBridge(), aPool())
			tc.there(w)

			p := w.decide()
			if diff := cmp.Diff(tc.want, ReportOn(p, Render(p), spec, tc.before).Status.AppliedSpec); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
