package site

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// lost is a site whose entry the catalogue lacks.
func lost(s *machine.Site) {
	s.Kept = []machine.Kept{{Part: machine.PartProvider, Faults: field.ErrorList{field.NotFound(field.NewPath("spec", "proxmox", "site"), "home")}}}
}

// TestLosesEntry: while the catalogue lacks the entry of the site, nothing that exists is dropped, deleted or changed because of it; what does not need
// the entry goes on, and what needs it waits.
func TestLosesEntry(t *testing.T) {
	type want struct {
		action                 Action
		update, delete         bool
		waits, problem, change bool
	}

	all := func(w *world) {
		w.living(aBridge(), nil, nil)
		w.living(aPool(), nil, nil)
	}
	// As the provider has it while the claim says Delete.
	deletes := func(w *world) {
		w.site.DeletionPolicy = v1alpha1.DeletionDelete

		for name, o := range w.observed {
			o.Spec.ManagementPolicies = proxmox.WithoutUpdate(proxmox.Policies(true))
			w.observed[name] = o
		}
	}
	without := func(w *world, removals ...string) {
		w.site.Parts, w.site.Removals = []machine.SitePart{aPool()}, removals
	}
	atRest := want{action: ActionFollow}

	for name, tc := range map[string]struct {
		reason string
		there  func(*world)
		want   want // Of the bridge.
	}{
		"AtRest": {"What exists stays as it was written.", all, atRest},
		"New": {
			"A new interface waits: its node may be none of the site's.", func(w *world) {
				w.living(aPool(), nil, nil)
				w.site.Parts[0].Ports = nil
				w.look(w.decide(), lookName(w.decide(), "bridge-pve1-vmbr1"), nil, bridgeAbsent)
			},
			want{action: ActionLook, waits: true},
		},
		"Orphan": {
			"The deletion policy needs no entry: what was to be deleted is not.", func(w *world) {
				all(w)
				deletes(w)
				w.site.DeletionPolicy = v1alpha1.DeletionOrphan
			},
			atRest,
		},
		"Delete": {"Nor does it take what the claim says.", func(w *world) { all(w); deletes(w) }, want{action: ActionFollow, delete: true}},
		"Comment": {
			"A comment needs no entry.", func(w *world) { all(w); w.site.Parts[0].Comment = "other" }, want{action: ActionFollow, change: true},
		},
		"MTU": {"Neither does a change that waits for its word.", func(w *world) { all(w); w.site.Parts[0].MTU = 1500 }, atRest},
		"Address": {
			"Another address could be that of the site's gateway.", func(w *world) { all(w); w.site.Parts[0].Address = "10.0.8.2/24" },
			want{action: ActionFollow, problem: true},
		},
		"Removed": {"A part that the claim no longer has stays.", func(w *world) { all(w); without(w) }, want{action: ActionKeep, waits: true}},
		"RemovedNamed": {
			"Also one that the provider was about to delete.", func(w *world) { all(w); deletes(w); without(w, "pve1/vmbr1") },
			want{action: ActionKeep, delete: true, waits: true},
		},
		"RemovedOrphan": {
			"And it is not deleted where the claim says so.", func(w *world) {
				all(w)
				deletes(w)
				without(w)
				w.site.DeletionPolicy = v1alpha1.DeletionOrphan
			},
			want{action: ActionKeep, waits: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(aBridge(), aPool())
			tc.there(w)
			lost(w.site)

			p := w.decide()
			r := Render(p)
			report := ReportOn(p, r, nil, nil)
			i := slices.IndexFunc(p.Parts, func(part Part) bool { return part.Resource == "bridge-pve1-vmbr1" })
			part, policies := p.Parts[i], r.Parts["bridge-pve1-vmbr1"].Spec.ManagementPolicies

			got := want{
				action: part.Action, update: proxmox.MayUpdate(policies), delete: proxmox.MayDelete(policies), waits: part.Waits != "", problem: part.Problem != "", change: part.Writing != WritesNothing,
			}
			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			for name, o := range w.observed {
				if _, rendered := r.Parts[name]; !rendered && !o.ObserveOnly() {
					t.Errorf("%s: %s is dropped", tc.reason, name)
				}
			}

			if c := report.Conditions[0]; c.Type != status.TypeSpecValid || c.Reason != status.ReasonCatalogueEntryMissing {
				t.Errorf("%s: SpecValid: %+v", tc.reason, c)
			}
		})
	}
}

// TestLosesEntryChangesNothing: the managed resources of a site at rest are the same without the entry of the site.
func TestLosesEntryChangesNothing(t *testing.T) {
	w := newWorld(aBridge(), aVLAN(), aPool())
	for _, part := range w.site.Parts {
		w.living(part, nil, nil)
	}

	before := Render(w.decide())
	lost(w.site)

	if diff := cmp.Diff(before, Render(w.decide())); diff != "" {
		t.Errorf("-with the entry, +without:\n%s", diff)
	}
}

// TestLosesEntryApplied: a removal that waits for the entry has not arrived, and neither has the name of the site; the rest has.
func TestLosesEntryApplied(t *testing.T) {
	w := newWorld(aBridge(), aPool())
	w.living(aBridge(), nil, nil)
	w.living(aPool(), nil, nil)
	lost(w.site)

	w.site.Parts = []machine.SitePart{aPool()}
	spec := map[string]any{"nodes": "now", "pools": "now", "proxmox": "now"}
	before := v1alpha1.AppliedSpec{"nodes": "before", "pools": "before", "proxmox": "before"}

	p := w.decide()
	want := v1alpha1.AppliedSpec{"nodes": "before", "pools": "now", "proxmox": "before"}

	if diff := cmp.Diff(want, ReportOn(p, Render(p), maps.Clone(spec), before).Status.AppliedSpec); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestEntriesOf: what looks needs no entry to go, so a site of which nothing exists has none.
func TestEntriesOf(t *testing.T) {
	w := newWorld(aPool())
	w.look(w.decide(), lookName(w.decide(), "pool-k3s"), nil, "observe failed: external resource does not exist")

	if got := EntriesOf(w.observed); got != nil {
		t.Errorf("a look is no part: %+v", got)
	}

	w.living(aPool(), nil, nil)

	if got := EntriesOf(w.observed); got == nil || got.Site.ProviderConfig != "home" {
		t.Errorf("want the provider configuration of the pool, got %+v", got)
	}
}
