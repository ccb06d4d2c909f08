package lint

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// Doubled are the faults of catalogues of which the cluster keeps one, among files and those that lie beside them.
func Doubled(files, beside []manifest.Raw) []Fault {
	l := &linter{options: Options{Catalogue: DefaultCatalogue}}
	own := 0

	for i, f := range slices.Concat(files, beside) {
		for _, o := range parse(f, false).objects {
			l.sort(o)
		}

		if i < len(files) {
			own = len(l.catalogues)
		}
	}

	for _, c := range l.claims {
		if from := l.catalogueOf(c); from != nil {
			from.asked = true
		}
	}

	return sameName(l.catalogues, own)
}

// isSame says whether a catalogue is another one, read twice: a file that is named, and is in a folder that is, too.
func (c *catalogue) isSame(other *catalogue) bool {
	return filepath.Clean(c.file) == filepath.Clean(other.file) && c.first == other.first
}

// sameName are the faults of catalogues that have the name of another one of their folder: who applies the folder has one of them, and loses the entries of the
// other one without a word. Catalogues in different folders may be those of different clusters. Those from index foreign on were not to be checked: they count
// where a claim uses one of the two.
func sameName(catalogues []*catalogue, foreign int) []Fault {
	var out []Fault

	for i, c := range catalogues {
		at := slices.IndexFunc(catalogues[:i], func(before *catalogue) bool {
			return before.name() == c.name() && filepath.Dir(before.file) == filepath.Dir(c.file) && !before.isSame(c)
		})
		if at < 0 || c.name() == "" {
			continue
		}

		first := catalogues[at]
		if i >= foreign && !c.asked && !first.asked {
			continue
		}

		line := first.first + position(first.node, "metadata.name").Line - 1

		out = append(out, c.fault(position(c.node, "metadata.name"), "metadata.name", fmt.Sprintf(
			"%q: the EnvironmentConfig in %s:%d has this name, too, and the cluster keeps one of them: put all entries into one of the two, and remove the other one",
			message.Excerpt(c.name()), first.file, line), Error))
	}

	return out
}
