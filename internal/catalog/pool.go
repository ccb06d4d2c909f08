package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/ipam"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

// noPool says what a pool can be.
const noPool = "must be a range of addresses, such as 192.168.4.50-192.168.4.99, a list of ranges, or a pool of Cluster API, such as " +
	"{kind: InClusterIPPool, name: lab}"

// maxRanges of a pool.
const maxRanges = 32

// NamedPool is the pool of Cluster API's IPAM, and the faults of an object that names none. Without apiGroup it is in the group of IPAddressClaims.
// The zero pool where there are ranges.
func NamedPool(p v1alpha1.AddressPool, at *field.Path) (ipam.Pool, field.ErrorList) {
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

// RangeAt is the path of a range of the pool.
func RangeAt(p v1alpha1.AddressPool, at *field.Path, i int) *field.Path {
	if p.List {
		return at.Index(i)
	}

	return at
}

// AddressRanges are the pool's ranges, in the order in which they were written, and the faults of those that are none. In their places
// there are zero ranges.
func AddressRanges(p v1alpha1.AddressPool, at *field.Path) ([]machine.AddressRange, field.ErrorList) {
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
			errs = append(errs, field.Invalid(RangeAt(p, at, i), message.Excerpt(text), why))
		}

		out = append(out, r)
	}

	return out, errs
}

// parseRange of addresses, or why it is none.
func parseRange(text string) (r machine.AddressRange, why string) {
	out, ok := machine.ParseAddressRange(text)

	switch {
	case strings.Contains(text, "/"):
		return r, "must be a range with its first and its last address, such as 192.168.4.50-192.168.4.99, without a prefix length: that is in cidr"
	case !ok || !out.From.Is4():
		return r, "must be two IPv4 addresses with a hyphen, such as 192.168.4.50-192.168.4.99, or one address"
	case out.To.Less(out.From):
		return r, fmt.Sprintf("ends before it begins: write %s-%s", out.To, out.From)
	}

	return out, ""
}
