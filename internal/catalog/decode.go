package catalog

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/spelling"
	"github.com/homelab-io/function-proxmox-machine/internal/strict"
)

var digitsPattern = regexp.MustCompile(`^[0-9]+$`)

// Decode decodes a catalogue from JSON: an EnvironmentConfig's data, or catalog.inline of a Composition's Input. The prefix is
// the catalogue's origin and the start of the path of every fault, for instance "EnvironmentConfig machine-catalog: data", as in
//
//	EnvironmentConfig machine-catalog: data.classes.small.corez: Forbidden: unknown field; there are: cores, ...
//
// Decode reports all unknown fields, wrong types and invalid names at once. A well-formed entry with invalid values is
// reported when a claim uses it, so that one mistake does not block every machine; see package validate.
func Decode(document []byte, prefix string) (Catalog, field.ErrorList) {
	if len(document) == 0 {
		return Catalog{}, nil
	}

	var data any
	if err := json.Unmarshal(document, &data); err != nil {
		return Catalog{}, field.ErrorList{field.Invalid(field.NewPath(prefix), field.OmitValueType{}, "must be JSON: "+err.Error())}
	}

	if data == nil {
		return Catalog{}, nil
	}

	return FromValue(data, prefix)
}

// FromValue decodes a catalogue from the values of encoding/json or of a protobuf Struct; see [Decode].
func FromValue(data any, prefix string) (Catalog, field.ErrorList) {
	at := field.NewPath(prefix)

	if err := version(at.Child(versionKey), data); err != nil {
		return Catalog{}, field.ErrorList{err}
	}

	data, formers := spelling.Catalogue(data, prefix)

	var written v1alpha1.Catalogue

	errs, valueless := strict.DecodeEntries(at, data, &written, nil)
	c := placed(written, prefix)
	c.Formers, c.Valueless = formers, valueless

	return c, append(explained(prefix, errs), c.names(at)...)
}

// versionKey is the JSON name of a catalogue's version.
const versionKey = "apiVersion"

// version refuses a catalogue of another version than this function knows: nothing in it has a meaning that is known here.
func version(at *field.Path, data any) *field.Error {
	m, ok := data.(map[string]any)
	if !ok {
		return nil // The decoder says what the catalogue must be.
	}

	const only = "must be " + v1alpha1.APIVersion + ", the only version that this function knows: write that, or leave it out"

	switch v := m[versionKey].(type) {
	case nil:
		return nil
	case string:
		if v == "" || v == v1alpha1.APIVersion {
			return nil
		}

		return field.Invalid(at, message.Excerpt(v), only)
	default:
		return field.Invalid(at, field.OmitValueType{}, only)
	}
}

// placed is a catalogue as people write it, with the origin of every entry.
func placed(c v1alpha1.Catalogue, prefix string) Catalog {
	out := Catalog{
		Defaults: Defaults{Defaults: c.Defaults, From: make(map[string]string, 8)},
		Classes:  place(prefix+".classes.", c.Classes, func(v v1alpha1.Class, from string) Class { return Class{v, from} }),
		Images:   place(prefix+".images.", c.Images, func(v v1alpha1.Image, from string) Image { return Image{v, from} }),
		Sites:    place(prefix+".sites.", c.Sites, func(v v1alpha1.Site, from string) Site { return Site{Site: v, From: from} }),
		Clusters: place(prefix+".clusters.", c.Clusters, func(v v1alpha1.Cluster, from string) Cluster { return Cluster{Cluster: v, From: from} }),
	}

	if c.Tenancy != nil {
		out.Tenancy = &Tenancy{*c.Tenancy, prefix + "." + sectionTenancy}
	}

	for name, set := range out.Defaults.set() {
		if set {
			out.Defaults.From[name] = prefix + ".defaults." + name
		}
	}

	return out
}

// place gives each entry of a section its origin.
func place[W, V any](prefix string, entries map[string]W, with func(W, string) V) map[string]V {
	if entries == nil {
		return nil
	}

	out := make(map[string]V, len(entries))
	for name, v := range entries {
		out[name] = with(v, prefix+message.Key(name))
	}

	return out
}

// set returns which defaults are set, by JSON name.
func (d *Defaults) set() map[string]bool {
	return map[string]bool{
		"class": d.Class != "", "image": d.Image != "", "site": d.Site != "",
		"adminUser": d.AdminUser != "", "sshAuthorizedKeys": d.SSHAuthorizedKeys != nil,
		"pauseOnError": d.PauseOnError != nil, "deletionProtection": d.DeletionProtection != nil,
		"approval": d.Approval != "", "firewall": d.Firewall != nil,
	}
}

// names reports entries that no claim can name.
func (c *Catalog) names(at *field.Path) field.ErrorList {
	errs := keys(at.Child("classes"), c.Classes, 63)
	errs = append(errs, keys(at.Child("sites"), c.Sites, 63)...)
	errs = append(errs, keys(at.Child("clusters"), c.Clusters, 63)...)
	errs = append(errs, keys(at.Child("images"), c.Images, 255)...)

	for _, name := range slices.Sorted(maps.Keys(c.Images)) {
		if strings.Contains(name, ":") || digitsPattern.MatchString(name) {
			errs = append(errs, field.Invalid(at.Child("images", message.Key(name)), message.Excerpt(name),
				"is not a valid name of an image: a number is a template, and a name with a colon is a volume"))
		}
	}

	return errs
}

func keys[V any](at *field.Path, m map[string]V, maxRunes int) field.ErrorList {
	var errs field.ErrorList

	for _, name := range slices.Sorted(maps.Keys(m)) {
		if name == "" || utf8.RuneCountInString(name) > maxRunes {
			errs = append(errs, field.Invalid(at.Child(message.Key(name)), message.Excerpt(name), "must be neither empty nor longer than a claim allows"))
		}
	}

	return errs
}
