package lint

import (
	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// checkContainer has every judge of the claim of a Container judge it.
func (l *linter) checkContainer(o object, c claim.Claim, cat catalog.Catalog, from *catalogue, provider proxmox.Flavour) {
	if faults := validate.ContainersWith(provider); len(faults) > 0 {
		l.refused(o, from, faults)
		return
	}

	spec := *c.Container
	m, faults := resolve.Container(c.Identity, spec, c.Faults, cat, resolve.Existing{Adopting: spec.Adopt != nil})

	if m != nil && spec.Adopt == nil {
		faults = append(faults, (&share{catalog: cat}).take(&m.Machine, m.DiskGiB())...)
	}

	l.refused(o, from, faults)
	l.judged(o, faults)

	if from != nil {
		like := v1alpha1.MachineFields{
			Class: spec.Class, Image: v1alpha1.ImageRef(spec.Image), Proxmox: v1alpha1.Placement{Site: spec.Proxmox.Site}, Adopt: spec.Adopt,
		}
		from.uses(claim.Claim{Machine: &v1alpha1.MachineSpec{MachineFields: like}})
	}

	if m == nil {
		return
	}

	l.warned(o, &m.Machine)

	if len(faults) > 0 {
		return
	}

	l.useless(o, c, cat)
	unfilledTexts(l, o)

	at := v1alpha1.Placement{Site: spec.Proxmox.Site, Node: spec.Proxmox.Node}
	for _, w := range wider(l, o, at, &m.Machine, "a container", "leave it out, which takes the bridge's,") {
		l.add(o, w.path, w.text, Warning)
	}
}
