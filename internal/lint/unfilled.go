package lint

import (
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// freeText are fields that take any text, so that no rule finds in them what nobody has filled in.
var freeText = regexp.MustCompile(`^spec(\..+)?\.(notes|comment)$`)

// unfilledTexts warns of texts that are kept as they are, and in which a placeholder is left, or what SOPS has encrypted. A script may have names with
// dollars of its own: of user-data only what is encrypted counts.
func unfilledTexts(l *linter, o object) {
	for path, text := range texts(composite(o)["spec"]) {
		at := joined(append([]string{"spec"}, path...))

		for line := range strings.Lines(text) {
			why := message.Unfilled(strings.TrimSpace(line), freeText.MatchString(at))
			if why == "" {
				continue
			}

			l.add(o, at, why, Warning)

			break
		}
	}
}
