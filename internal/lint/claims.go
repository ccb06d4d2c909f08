package lint

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// noCatalogue is said where a claim needs a catalogue and none was read.
const noCatalogue = "no catalogue was read: name its file with --catalogue, or lint it together with the claims"

// checkClaim has every judge of a claim judge it.
func (l *linter) checkClaim(o object) {
	if isEncrypted(o.value) {
		l.addAtKey(o, "sops", encrypted, Error)

		return
	}

	l.envelope(o, "spec", "status")
	defer func() { l.faults = append(append(l.faults, octals(o, l.faults)...), cutNotes(o)...) }()

	from := l.catalogueOf(o)
	cat := catalog.BuiltIn()
	cat.Absent = noCatalogue

	if from != nil {
		cat, from.asked = from.merged, true
	}

	provider := l.options.providerFor(o, from)
	l.faults = append(l.faults, o.misplaced(provider)...)

	value := composite(o)
	decoded := claim.Decode(value)

	switch {
	case from == nil && l.unread:
		// What the claim takes from the catalogue is judged once that is YAML. It would all be missing.
		l.refused(o, nil, decoded.Faults)
		return
	case decoded.K3sCluster != nil:
		l.checkCluster(o, decoded, cat, from, provider)
		return
	case decoded.Container != nil:
		l.checkContainer(o, decoded, cat, from, provider)
		return
	case decoded.ProxmoxSite != nil:
		l.checkSite(o, decoded, cat, from, provider)
		return
	}

	checkMachine(l, o, decoded, cat, from, provider)
}

// checkMachine judges a claim that gets a VM of its own.
func checkMachine(l *linter, o object, decoded claim.Claim, cat catalog.Catalog, from *catalogue, provider proxmox.Flavour) {
	adopts := decoded.Fields().Adopt != nil
	m, faults := resolve.Claim(decoded, cat, resolve.Existing{Adopting: adopts, WithoutFirewalls: validate.WithoutFirewalls(provider)})

	var lacks field.ErrorList

	if m != nil && !adopts {
		faults, lacks = parted(append(bootstrap.Check(m), ofSecrets(l.secrets, m)...))
	}

	if m != nil && len(faults) == 0 {
		faults = validate.FirewallWith(provider, m)
	}

	if m != nil && !adopts {
		faults = append(faults, (&share{catalog: cat}).take(m, m.DiskGiB())...)
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	if from != nil {
		from.uses(decoded)
	}

	// Who has something to correct reads of what is useless when that is done.
	if m != nil && len(faults) == 0 {
		l.warned(o, m)
		l.useless(o, decoded, cat)
		unfilledTexts(l, o)

		for _, f := range lacks {
			l.add(o, f.Field, message.Fault(f), Warning)
		}

		if !adopts {
			l.right = append(l.right, judgedClaim{object: o, fields: decoded.Fields(), k3s: decoded.K3s(), machine: m, from: from})
		}
	}
}
