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
		name := nameOf(g)

		for n := 0; taken[name]; n++ {
			suffix := fmt.Sprintf("-%d", g.Number())
			if n > 0 {
				suffix += fmt.Sprintf("-%d", n)
			}

			own := nameOf(g)
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
	prefix := "vm"
	if _, container := g.(Container); container {
		prefix = "ct"
	}

	first, _, _ := strings.Cut(strings.ToLower(g.ownName()), ".")

	name := strings.Trim(nameFault.ReplaceAllString(first, "-"), "-")

	switch {
	case name == "":
		return fmt.Sprintf("%s-%d", prefix, g.Number())
	case name[0] >= '0' && name[0] <= '9':
		name = prefix + "-" + name
	}

	return strings.TrimRight(name[:min(len(name), maxName)], "-")
}
