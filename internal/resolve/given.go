package resolve

import (
	"maps"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/validate"
)

// A resolution is what a claim is resolved with.
type resolution struct {
	catalog  catalog.Catalog
	existing Existing
	// certain says that a default which the catalogue does not have was never there. Otherwise a living VM keeps what it has.
	certain bool
	// ofCluster says that the claim is a node of a K3sCluster.
	ofCluster bool
}

// A given is one claim, and what it is resolved with. Every part of a resolution gets it, and none changes it.
type given struct {
	resolution

	id   machine.Identity
	spec *v1alpha1.MachineFields
	// userData of a machine, parsed once; nil for a claim of another kind.
	userData func() cloudinit.Parsed
	nix      *v1alpha1.Nix
	k3s      *v1alpha1.K3s
	at       *field.Path
	// container says that the claim is one for a container: its disks are root file systems and mount points.
	container bool
}

// A located machine has a site, as the catalogue describes it.
type located struct {
	site catalog.Site
	// unknown says that the site is a fault, so missing values of the site are none.
	unknown bool
}

// named is a name, and the path of the field that has the name.
type named struct {
	name string
	at   *field.Path
	// doubt is why nobody knows the name: it is a default of a catalogue that is not there, or cannot be read.
	doubt field.ErrorList
}

// guest is a VM or a container, as messages name it.
func (g *given) guest() string {
	if g.container {
		return "container"
	}

	return "VM"
}

// subject is a claim's machine or container, as messages name it.
func (g *given) subject() string {
	if g.container {
		return "container"
	}

	return "machine"
}

// sites of the catalogue that a message may tell who reads it, sorted.
func (g *given) sites() []string {
	return g.catalog.Told(catalog.KindSite, "", message.Nearest(g.catalog.Sites, ""))
}

// images are those of the catalogue's images that a message may tell who reads it.
func (g *given) images() []string {
	return g.catalog.Told(catalog.KindImage, "", slices.Collect(maps.Keys(g.catalog.Images)))
}

// isNew says whether the claim's words decide what is created: there is no VM or container, and none to adopt.
func (g *given) isNew() bool {
	return g.existing.Has == nil && g.existing.Node == "" && !g.existing.Adopting
}

// moves reports whether the claim requests a migration of the VM to another node.
func (g *given) moves() bool {
	p := g.spec.Proxmox

	return g.existing.Node != "" && p.Migrate && p.Node != "" && p.Node != g.existing.Node
}

// setsUp says whether K3s is set up by somebody else than the function: by pre-placed user-data, or in an adopted VM.
func (g *given) setUp() bool {
	return g.existing.Adopting || g.spec.Bootstrap.Snippets.UserData != ""
}

// choose returns the claim's value, else the catalogue's default, else the built-in default.
func (g *given) choose(fromClaim string, at *field.Path, fromCatalog, defaultName, builtIn string) named {
	doubt := g.doubt(defaultName)

	switch {
	case fromClaim != "":
		return named{name: fromClaim, at: at}
	case len(doubt) > 0:
		return named{at: at, doubt: doubt}
	case fromCatalog != "":
		return named{name: fromCatalog, at: g.catalog.Defaults.Path(defaultName)}
	default:
		return named{name: builtIn, at: at}
	}
}

// hostname of the guest, and its faults. The default, the claim's name, is valid unless the API server never checked the claim.
func (g *given) hostname() (string, field.ErrorList) {
	if g.spec.Hostname != "" {
		return g.spec.Hostname, nil
	}

	return g.id.Name, validate.Hostname(field.NewPath("metadata", "name"), g.id.Name)
}

// unsaid are settings that the claim of an adopted VM leaves to the VM.
func (g *given) unsaid() machine.Unsaid {
	out := machine.Unsaid{SSD: g.spec.BootDisk.SSD == nil}
	if g.existing.Adopting {
		out.Node, out.OnBoot, out.Backup = g.spec.Proxmox.Node == "", g.spec.OnBoot == nil, g.spec.BootDisk.Backup == nil
	}

	return out
}

// unlessAdopted is a setting with its default. An adopted VM keeps its own where the claim says nothing.
func (g *given) unlessAdopted(said *bool, byDefault bool) *bool {
	if g.existing.Adopting {
		return said
	}

	return orDefault(said, byDefault)
}

func orTrue(b *bool) bool { return b == nil || *b }

func orDefault(said *bool, byDefault bool) *bool {
	if said != nil {
		return said
	}

	return &byDefault
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}

	return *n
}

// parsedOnce is a claim's user-data for whoever asks for it: most claims have none, and of a machine that exists hardly anybody asks.
func parsedOnce(userData string) func() cloudinit.Parsed {
	return sync.OnceValue(func() cloudinit.Parsed { return cloudinit.Parse(userData) })
}
