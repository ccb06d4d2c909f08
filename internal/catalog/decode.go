package catalog

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

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
	c := Catalog{}
	at := field.NewPath(prefix)
	data, c.Formers = spelling.Catalogue(data, prefix)
	errs := strict.Decode(at, data, &c, nil)
	c.remember(prefix)

	return c, append(errs, c.names(at)...)
}

// remember sets the origin of every entry.
func (c *Catalog) remember(prefix string) {
	place(prefix+".classes.", c.Classes, fromOfClass)
	place(prefix+".images.", c.Images, fromOfImage)
	place(prefix+".sites.", c.Sites, fromOfSite)
	place(prefix+".clusters.", c.Clusters, fromOfCluster)

	c.Defaults.From = make(map[string]string, 8)
	for name, set := range c.Defaults.set() {
		if set {
			c.Defaults.From[name] = prefix + ".defaults." + name
		}
	}
}

// place sets the origin of each entry of a section.
func place[V any](prefix string, entries map[string]V, from func(*V) *string) {
	for name, v := range entries {
		*from(&v) = prefix + message.Key(name)
		entries[name] = v
	}
}

// set returns which defaults are set, by JSON name.
func (d *Defaults) set() map[string]bool {
	return map[string]bool{
		"class": d.Class != "", "image": d.Image != "", "site": d.Site != "",
		"adminUser": d.AdminUser != "", "sshAuthorizedKeys": d.SSHAuthorizedKeys != nil,
		"pauseOnError": d.PauseOnError != nil, "deletionProtection": d.DeletionProtection != nil,
		"approval": d.Approval != "",
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
