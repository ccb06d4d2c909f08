package upgrade

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// A difference is one thing that an upgrade changes in what is rendered.
type difference struct {
	kind   string // Of the managed resource; "composite" for the status.
	path   string // As announced: spec.forProvider.disk[0].size. "resource" is the whole, "name" the composed resource's name.
	what   string // appears, vanishes or changes.
	from   string // JSON of what the release rendered; empty where it rendered nothing.
	to     string // JSON of what is rendered now.
	living bool   // Whether the machine has a VM.
	where  string // The stored call, and the composed resource in it.
}

func (d difference) String() string {
	machine := "a machine without a VM"
	if d.living {
		machine = "a living VM"
	}

	if d.grave() {
		machine += ", which it can harm"
	}

	return fmt.Sprintf("`%s: %s` %s (%s): from %.200s to %.200s, in %s", d.kind, d.path, d.what, machine, d.from, d.to, d.where)
}

// grave says whether a difference can harm a living VM: it is what the provider makes and remakes the resource from, or what
// tells Crossplane and the provider which resource it is, and what they may do with it.
func (d difference) grave() bool {
	if !d.living || d.kind == compositeKind {
		return false
	}

	if d.path == wholeResource {
		return d.what == world.Vanishes
	}

	for _, p := range []string{"name", "apiVersion", "kind", "spec", `metadata.annotations["` + world.ExternalName + `"]`} {
		if rest, ok := strings.CutPrefix(d.path, p); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}

	return false
}

const (
	compositeKind = "composite"
	wholeResource = "resource"
)

// differences between what a release answered and what is answered now.
func differences(was, is storedAnswer, living bool, where string) []difference {
	c := comparison{living: living, where: where, kind: compositeKind}

	c.values("fatal", whether(was.Fatal), whether(is.Fatal))

	if was.Fatal || is.Fatal {
		return c.out
	}

	c.values("ready", text(was.Ready), text(is.Ready))
	c.add(world.FieldDifferences("status", was.Status, is.Status)...)

	for was, is := range pairs(was.Resources, is.Resources) {
		c.resource(was, is)
	}

	return c.out
}

// whether and text are values that are there where they say something.
func whether(b bool) any {
	if !b {
		return nil
	}

	return b
}

func text(s string) any {
	if s == "" {
		return nil
	}

	return s
}

// A namedResource is a stored resource with its composed resource name, empty where there is none.
type namedResource struct {
	name string
	storedResource
}

// pairs what was rendered with what is rendered: by name, and where a name ends with a hash that changed, by the rest of it, if
// that leaves no doubt.
func pairs(was, is map[string]storedResource) func(yield func(was, is namedResource) bool) {
	partner := map[string]string{}
	gone, come := map[string][]string{}, map[string][]string{}

	for name := range was {
		if _, ok := is[name]; ok {
			partner[name] = name
		} else {
			gone[stem(name)] = append(gone[stem(name)], name)
		}
	}

	for name := range is {
		if _, ok := was[name]; !ok {
			come[stem(name)] = append(come[stem(name)], name)
		}
	}

	for s, names := range gone {
		if len(names) == 1 && len(come[s]) == 1 {
			partner[names[0]] = come[s][0]
		}
	}

	return func(yield func(was, is namedResource) bool) {
		for _, name := range slices.Sorted(maps.Keys(was)) {
			other := partner[name]
			if !yield(namedResource{name, was[name]}, namedResource{other, is[other]}) {
				return
			}
		}

		partners := slices.Collect(maps.Values(partner))
		for _, name := range slices.Sorted(maps.Keys(is)) {
			if !slices.Contains(partners, name) && !yield(namedResource{}, namedResource{name, is[name]}) {
				return
			}
		}
	}
}

var hashSuffix = regexp.MustCompile(`-[0-9a-f]{10}$`)

func stem(name string) string { return hashSuffix.ReplaceAllString(name, "") }

// A comparison collects differences.
type comparison struct {
	kind, where string
	living      bool
	out         []difference
}

// resource compares a composed resource with its like. One that is there on one side only is one difference.
func (c *comparison) resource(was, is namedResource) {
	in := comparison{where: c.where + " " + was.name, living: c.living}

	switch {
	case is.name == "":
		in.kind = kindOf(was)
		in.values(wholeResource, was.name, nil)
	case was.name == "":
		in.kind, in.where = kindOf(is), c.where+" "+is.name
		in.values(wholeResource, nil, is.name)
	default:
		in.kind = kindOf(was)
		in.values("name", was.name, is.name)
		in.values("ready", was.Ready, is.Ready)

		for _, k := range world.UnionKeys(was.Manifest, is.Manifest) {
			in.values(k, was.Manifest[k], is.Manifest[k])
		}
	}

	c.out = append(c.out, in.out...)
}

func kindOf(r namedResource) string { return fmt.Sprint(r.Manifest["kind"]) }

// values compares two values at a path; nil is none.
func (c *comparison) values(path string, was, is any) { c.add(world.Differences(path, was, is)...) }

func (c *comparison) add(all ...world.Difference) {
	for _, d := range all {
		c.out = append(c.out, difference{kind: c.kind, path: d.Path, what: d.What, from: d.From, to: d.To, living: c.living, where: c.where})
	}
}
