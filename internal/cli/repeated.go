package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
)

// sayRepeated warns of claims of one kind, namespace and name in the files of one folder, of which the cluster keeps one. Those in different folders may be for
// different clusters; and of what Kustomize made nobody wrote it twice.
func sayRepeated(to io.Writer, configuration preview.Configuration, claims []preview.Claim) {
	for i, c := range claims {
		first := slices.IndexFunc(claims[:i], func(before preview.Claim) bool {
			return before.Line > 0 && c.Line > 0 && filepath.Dir(before.File) == filepath.Dir(c.File) && c.Object.GetName() != "" &&
				before.Object.GroupVersionKind().GroupKind() == c.Object.GroupVersionKind().GroupKind() &&
				before.Object.GetName() == c.Object.GetName() && configuration.NamespaceOf(before) == configuration.NamespaceOf(c)
		})
		if first < 0 {
			continue
		}

		_, _ = fmt.Fprintf(to, "%s:%d: warning: %s %s (%s:%d) has the same name and namespace: the cluster keeps one of them, and here both are shown\n",
			manifest.Shown(c.File), c.Line, c.Object.GetKind(), message.Excerpt(c.Object.GetName()), manifest.Shown(claims[first].File), claims[first].Line)
	}
}
