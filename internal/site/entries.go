package site

import (
	"maps"
	"slices"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// EntriesOf are what the interfaces and pools that exist have, in the form of a catalogue's entries, as they were last written: a catalogue that lost the
// entry of the site keeps no other field of the claim from taking effect. Nil where there is only what looks, which needs no entry to go.
func EntriesOf(observed map[string]proxmox.ObservedSitePart) *resolve.Entries {
	for _, name := range slices.Sorted(maps.Keys(observed)) {
		if o := observed[name]; !o.ObserveOnly() {
			ref := o.Spec.ProviderConfigRef

			return &resolve.Entries{Site: catalog.Site{Site: catalogue.Site{ProviderConfig: ref.Name, ProviderConfigKind: ref.Kind}}}
		}
	}

	return nil
}

const (
	// waitsForEntry ends what is said of all that needs the entry.
	waitsForEntry = "the catalogue lacks the entry of the site. Condition " + status.TypeSpecValid + " says what to do."

	// heldSentence says what needs the entry: a new interface, because its node may be none of the site's, and an address, because it may be that of the
	// site's gateway. Nothing goes for good while nobody can tell which site the claim means.
	heldSentence = "These wait for the entry: interfaces and pools that are not in Proxmox yet, the removal of those that are, and changes of an address."
)

// lacksEntry says whether the catalogue lacks the entry of the site.
func (p *Plan) lacksEntry() bool { return len(p.Site.Kept) > 0 }

// holdCreation of a part while the catalogue lacks the entry: the provider goes on to look for it.
func (p *Plan) holdCreation(part *Part) {
	if p.lacksEntry() && part.Action == ActionCreate {
		part.Action, part.Parameters = ActionLook, proxmox.SiteParameters{}
		part.Waits = "It is not created, because " + waitsForEntry
	}
}

// holdRemoval of a part while the catalogue lacks the entry: its managed resource stays as it was written, but for a deletion that the claim no longer
// wants.
func (p *Plan) holdRemoval(part *Part, o proxmox.ObservedSitePart) {
	part.Action, part.Held = ActionKeep, true
	part.Deletes = p.deletes() && proxmox.MayDelete(o.Spec.ManagementPolicies)
	part.Waits = "It was removed from the claim, and stays, because " + waitsForEntry
}

// holdAddress of a part while the catalogue lacks the entry: nobody can compare it with the site's gateway.
func (p *Plan) holdAddress(part *Part) {
	if p.lacksEntry() && slices.ContainsFunc(part.Interruptions, func(c change.Change) bool {
		return c.Field == part.Path+".address" || c.Field == part.Path+".address6"
	}) {
		part.Problem = "Its address cannot be compared with the gateway of the site, because " + waitsForEntry
	}
}
