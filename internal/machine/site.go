package machine

import "github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"

// A Site is what a ProxmoxSite describes, in plain figures.
type Site struct {
	Identity Identity
	// Name in the catalogue; empty without one.
	Name               string
	ProviderConfig     string
	ProviderConfigKind string
	// Parts in the order of their nodes' names, as the claim has them; pools last.
	Parts []SitePart
	// Removals are the parts that may be deleted in Proxmox although the claim exists, see [SitePart.Key].
	Removals       []string
	DeletionPolicy v1alpha1.DeletionPolicy
	// Kept is what the catalogue does not tell of the site, and what its interfaces and pools keep for that reason; empty for a site of which nothing exists.
	Kept []Kept
}

// A SitePartKind is a kind of what a ProxmoxSite describes.
type SitePartKind string

// The kinds.
const (
	SiteBridge SitePartKind = "bridge"
	SiteVLAN   SitePartKind = "VLAN interface"
	SitePool   SitePartKind = "pool"
)

// A SitePart is a bridge, a VLAN interface or a pool.
type SitePart struct {
	Kind SitePartKind
	// Node of an interface; empty for a pool.
	Node string
	Name string
	// Path of its entry in the claim, in messages.
	Path string

	Comment string

	// Address and Address6 are prefixes in their shortest form; empty for none. MTU is in bytes; 0 for the kernel's own.
	Address, Address6 string
	MTU               int64
	// Ports of a bridge, sorted.
	Ports     []string
	VLANAware bool
	// Interface and Tag of a VLAN interface.
	Interface string
	Tag       int64

	// Allow is the word of the claim for an interruption; empty where there is none.
	Allow string
}

// Key tells a part from all others of the site: node/name of an interface, and of a pool a text that no interface has.
func (p SitePart) Key() string {
	if p.Kind == SitePool {
		return SitePoolKey(p.Name)
	}

	return p.Node + "/" + p.Name
}

// SitePoolKey is the key of a pool.
func SitePoolKey(name string) string { return "pool " + name }

// Mark is what the comment of a part ends with: whose it is.
func (s Site) Mark() string {
	name := s.Identity.Name
	if s.Identity.Namespace != "" {
		name = s.Identity.Namespace + "/" + name
	}

	return "[" + s.Identity.Kind + " " + name + "]"
}
