package site

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestRetain: what an answer leaves out, Crossplane deletes. A call that cannot decide yet writes all that there is, as it was last written.
func TestRetain(t *testing.T) {
	w := newWorld(aBridge(), aVLAN(), aPool())
	for _, part := range w.site.Parts {
		w.living(part, nil, nil)
	}

	got := Retain(proxmox.State{SiteParts: w.observed})
	want := Rendering{Parts: map[string]proxmox.SitePart{}}

	for name, o := range w.observed {
		part := proxmox.SitePart{APIVersion: o.APIVersion, Kind: o.Kind, Metadata: o.Metadata.Metadata, Spec: o.Spec}
		want.Parts[name] = part
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Retain(): -want, +got:\n%s", diff)
	}

	manifests, err := got.Manifests(nil)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(slices.Sorted(maps.Keys(w.observed)), slices.Sorted(maps.Keys(manifests))); diff != "" || len(manifests) != 3 {
		t.Errorf("Manifests(): -want, +got:\n%s", diff)
	}
}
