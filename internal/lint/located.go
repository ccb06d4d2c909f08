package lint

import (
	"regexp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// pathOf a fault as the function says it: path: message. Keys in brackets may be of any letters.
var pathOf = regexp.MustCompile(`^((?:spec|metadata)(?:[A-Za-z0-9.]|\[[^\]]*\])*): (.*)$`)

// Located is a fault of the object of some files with this kind and name, as the function says it, with its place before it. What is no fault of a field, or
// of no such object, is as it was said.
func Located(files []manifest.Raw, kind, name, said string) string {
	parts := pathOf.FindStringSubmatch(said)
	if parts == nil {
		return said
	}

	for _, f := range files {
		for _, o := range parse(f, false).objects {
			if o.kind() != kind || o.name() != name {
				continue
			}

			return o.fault(position(o.node, parts[1]), parts[1], parts[2], Error).String()
		}
	}

	return said
}
