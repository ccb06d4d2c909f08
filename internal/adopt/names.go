package adopt

import (
	"fmt"
	"regexp"
	"strings"
)

var nameFault = regexp.MustCompile(`[^a-z0-9-]+`)

// maxName is the length of a claim's name.
const maxName = 63

// Names of the claims of guests, at their places: each like the guest's own. Of guests with one name, all but the first have their VMID behind it,
// whatever their kinds: a file and a host have one name, too.
func Names(all []Guest) []string {
	out, taken := make([]string, len(all)), map[string]bool{}

	for i, g := range all {
		own := nameOf(g)
		name := own

		for n := 0; taken[name]; n++ {
			suffix := fmt.Sprintf("-%d", g.About().ID)
			if n > 0 {
				suffix += fmt.Sprintf("-%d", n)
			}

			name = strings.TrimRight(own[:min(len(own), maxName-len(suffix))], "-") + suffix
		}

		out[i], taken[name] = name, true
	}

	return out
}

// nameOr is the name of the claim: what a person chose, else one like the guest's.
func nameOr(chosen string, g Guest) string {
	if chosen != "" {
		return chosen
	}

	return nameOf(g)
}

// nameOf a claim like a guest's own name: it begins with a letter.
func nameOf(g Guest) string {
	about, prefix := g.About(), "vm"
	if about.Kind == KindContainer {
		prefix = "ct"
	}

	first, _, _ := strings.Cut(strings.ToLower(about.Name), ".")

	name := strings.Trim(nameFault.ReplaceAllString(first, "-"), "-")

	switch {
	case name == "":
		return fmt.Sprintf("%s-%d", prefix, about.ID)
	case name[0] >= '0' && name[0] <= '9':
		name = prefix + "-" + name
	}

	return strings.TrimRight(name[:min(len(name), maxName)], "-")
}
