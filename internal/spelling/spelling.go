package spelling

import (
	"fmt"
	"maps"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A Former is a former spelling that somebody typed.
type Former struct {
	Path  string // Of the field, as typed: spec.firmware.type.
	Has   string // What was typed: uefi, or the field's name.
	Write string // What to write in its place: type: UEFI.
}

// String is a sentence for the person who typed it.
func (f Former) String() string {
	return fmt.Sprintf("%s: %s is a former spelling, which the next release refuses: write %s.", f.Path, f.Has, f.Write)
}

// Claim is the spec of a claim in today's spelling, and the former spellings that it has. The spec itself does not change.
func Claim(spec map[string]any) (map[string]any, []Former) {
	out := document{maps.Clone(spec)}
	formers := out.rename("spec")

	for _, v := range vocabularies {
		formers = append(formers, out.translate("spec", v)...)
	}

	out.splitAddresses()

	return out.fields, formers
}

// Identity is the spec of a claim in the spelling of the first release. Two specs that say the same have the same identity, however they
// are written, and a spec that the first release took is its own identity, so that what an earlier release derived from it stays.
func Identity(spec map[string]any) map[string]any {
	out := document{maps.Clone(spec)}

	for _, r := range renames() {
		if v, ok := out.fields[r.today]; ok && out.fields[r.former] == nil {
			delete(out.fields, r.today)
			out.fields[r.former] = v
		}
	}

	for _, v := range vocabularies {
		for former, today := range v.today {
			if o := out.child(v.object); o[v.field] == today {
				out.own(v.object)[v.field] = former
			}
		}
	}

	out.splitAddresses()

	for _, name := range ofInterface() {
		out.move(name, "network", "proxmox")
	}

	return out.fields
}

// Catalogue is a catalogue in today's spelling, and the former spellings that it has, with paths below prefix. The catalogue itself does
// not change; what is no catalogue is returned as it is.
func Catalogue(data any, prefix string) (any, []Former) {
	fields, ok := data.(map[string]any)
	if !ok {
		return data, nil
	}

	var formers []Former

	out := document{maps.Clone(fields)}

	if len(out.child("defaults")) > 0 {
		formers = append(formers, document{out.own("defaults")}.rename(prefix+".defaults")...)
	}

	if len(out.child("images")) > 0 {
		formers = append(formers, translateImages(out.own("images"), prefix+".images.")...)
	}

	return out.fields, formers
}

func translateImages(images map[string]any, prefix string) []Former {
	var formers []Former

	for _, name := range slices.Sorted(maps.Keys(images)) {
		entry, ok := images[name].(map[string]any)
		if !ok {
			continue
		}

		image := document{maps.Clone(entry)}
		for _, v := range vocabularies {
			formers = append(formers, image.translate(prefix+message.Key(name), v)...)
		}

		images[name] = image.fields
	}

	return formers
}

// A document is an object whose own fields may be set; the objects in it belong to others.
type document struct{ fields map[string]any }

// child is an object in the document, to be read; nil where there is none.
func (d document) child(name string) map[string]any {
	o, ok := d.fields[name].(map[string]any)
	if !ok {
		return nil
	}

	return o
}

// own is a copy of an object in the document, which takes the object's place and may be changed.
func (d document) own(name string) map[string]any {
	o := maps.Clone(d.child(name))
	if o == nil {
		o = map[string]any{}
	}

	d.fields[name] = o

	return o
}

// rename the renamed fields. One that contradicts today's stays: that is a fault.
func (d document) rename(path string) []Former {
	var formers []Former

	for _, r := range renames() {
		had, ok := d.fields[r.former].(bool)
		if !ok {
			continue
		}

		if has, ok := d.fields[r.today]; ok && has != nil && has != any(had) {
			continue
		}

		delete(d.fields, r.former)
		d.fields[r.today] = had
		formers = append(formers, Former{Path: path + "." + r.former, Has: r.former, Write: fmt.Sprintf("%s: %t", r.today, had)})
	}

	return formers
}

// translate the words of a field.
func (d document) translate(path string, v vocabulary) []Former {
	former, ok := d.child(v.object)[v.field].(string)
	if !ok {
		return nil
	}

	today, ok := v.today[former]
	if !ok {
		return nil
	}

	d.own(v.object)[v.field] = today

	if former == v.written {
		return nil
	}

	return []Former{{Path: path + "." + v.object + "." + v.field, Has: former, Write: v.field + ": " + today}}
}

// move a field from one object to another that does not have it, or has the same.
func (d document) move(name, from, to string) {
	v, ok := d.child(from)[name]
	if has := d.child(to)[name]; !ok || v == nil || has != nil && fmt.Sprint(has) != fmt.Sprint(v) {
		return
	}

	delete(d.own(from), name)
	d.own(to)[name] = v
}
