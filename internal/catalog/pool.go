package catalog

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// An AddressPool is one range of IPv4 addresses, as the text 192.168.4.50-192.168.4.99, or a list of ranges. A range may be one
// address. Or it names a pool of Cluster API's IPAM, as an object. The zero value is no pool.
type AddressPool struct {
	Ranges []string
	List   bool // Whether the ranges were written as a list.
	// Named is the object that names a pool of Cluster API's IPAM, as it was written; nil where there are ranges.
	Named map[string]any
	// Unreadable says that there was something that is neither text, nor a list of texts, nor an object.
	Unreadable bool
}

// noPool says what a pool can be.
const noPool = "must be a range of addresses, such as 192.168.4.50-192.168.4.99, a list of ranges, or a pool of Cluster API, such as " +
	"{kind: InClusterIPPool, name: lab}"

// maxRanges of a pool.
const maxRanges = 32

// UnmarshalJSON accepts any JSON: what is no range is a fault that [AddressPool.AddressRanges] reports.
func (p *AddressPool) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = AddressPool{Ranges: []string{text}}
		return nil
	}

	var texts []string
	if json.Unmarshal(b, &texts) == nil {
		*p = AddressPool{Ranges: texts, List: true}
		return nil
	}

	var named map[string]any
	if json.Unmarshal(b, &named) == nil && named != nil {
		*p = AddressPool{Named: named}
		return nil
	}

	*p = AddressPool{Unreadable: true}

	return nil
}

// IsZero says whether there is no pool.
func (p AddressPool) IsZero() bool {
	return !p.Unreadable && !p.List && p.Named == nil && len(p.Ranges) == 0
}

// Of is the pool of Cluster API's IPAM, and the faults of an object that names none. Without apiGroup it is in the group of IPAddressClaims.
// The zero pool where there are ranges.
func (p AddressPool) Of(at *field.Path) (ipam.Pool, field.ErrorList) {
	switch {
	case p.Named == nil:
		return ipam.Pool{}, nil
	case p.Named["apiGroup"] == nil && p.Named["kind"] == nil && p.Named["name"] == nil:
		return ipam.Pool{}, field.ErrorList{field.Invalid(at, field.OmitValueType{}, noPool)}
	}

	var out ipam.Pool

	errs := strict.Decode(at, p.Named, &out, nil)
	out.APIGroup = cmp.Or(out.APIGroup, ipam.Group)

	rule := func(name, value, why string, faults []string) {
		switch {
		case slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Field == at.Child(name).String() }):
		case value == "":
			errs = append(errs, field.Required(at.Child(name), why))
		case len(faults) > 0:
			errs = append(errs, field.Invalid(at.Child(name), message.Excerpt(value), why))
		}
	}

	rule("apiGroup", out.APIGroup, "must be the API group of the pool's kind, such as "+ipam.Group, validation.IsDNS1123Subdomain(out.APIGroup))
	rule("kind", out.Kind, "must be the kind of the pool, such as InClusterIPPool or GlobalInClusterIPPool", noKind(out.Kind))
	rule("name", out.Name, "must be the name of the pool, such as lab", validation.IsDNS1123Subdomain(out.Name))

	return out, errs
}

// noKind says why a text is no kind of an API; nil where it is one.
func noKind(text string) []string {
	// Kinds have upper case letters, and otherwise what a DNS label has.
	if text != "" && (text[0] < 'A' || text[0] > 'Z') {
		return []string{"begins with a lower case letter"}
	}

	return validation.IsDNS1035Label(strings.ToLower(text))
}

// At is the path of a range of the pool.
func (p AddressPool) At(at *field.Path, i int) *field.Path {
	if p.List {
		return at.Index(i)
	}

	return at
}

// AddressRanges are the pool's ranges, in the order in which they were written, and the faults of those that are none. In their places
// there are zero ranges.
func (p AddressPool) AddressRanges(at *field.Path) ([]machine.AddressRange, field.ErrorList) {
	const such = "such as 192.168.4.50-192.168.4.99"

	switch {
	case p.Unreadable:
		return nil, field.ErrorList{field.Invalid(at, field.OmitValueType{}, noPool)}
	case p.List && len(p.Ranges) == 0:
		return nil, field.ErrorList{field.Required(at, "must have a range of addresses, "+such+": without a pool, leave it out")}
	case len(p.Ranges) > maxRanges:
		return nil, field.ErrorList{field.TooMany(at, len(p.Ranges), maxRanges)}
	}

	out := make([]machine.AddressRange, 0, len(p.Ranges))

	var errs field.ErrorList

	for i, text := range p.Ranges {
		r, why := parseRange(text)
		if why != "" {
			errs = append(errs, field.Invalid(p.At(at, i), message.Excerpt(text), why))
		}

		out = append(out, r)
	}

	return out, errs
}

// parseRange of addresses, or why it is none.
func parseRange(text string) (r machine.AddressRange, why string) {
	from, to, two := strings.Cut(text, "-")
	if !two {
		to = from
	}

	a, err := netip.ParseAddr(strings.TrimSpace(from))
	b, errTo := netip.ParseAddr(strings.TrimSpace(to))

	switch {
	case strings.Contains(text, "/"):
		return r, "must be a range with its first and its last address, such as 192.168.4.50-192.168.4.99, without a prefix length: that is in cidr"
	case err != nil || errTo != nil || !a.Is4() || !b.Is4():
		return r, "must be two IPv4 addresses with a hyphen, such as 192.168.4.50-192.168.4.99, or one address"
	case b.Less(a):
		return r, fmt.Sprintf("ends before it begins: write %s-%s", b, a)
	}

	return machine.AddressRange{From: a, To: b}, ""
}
