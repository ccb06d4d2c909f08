package validate

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// proxmoxNames refuses two names of one Proxmox cluster: a provider configuration reaches one.
func proxmoxNames(c catalog.Catalog) (errs field.ErrorList) {
	names := slices.Sorted(maps.Keys(c.Sites))

	for i, name := range names {
		site := c.Sites[name]

		for _, before := range names[:i] {
			first := c.Sites[before]
			if site.Proxmox == first.Proxmox || !site.SameProxmox(first) {
				continue
			}

			at, right := site, first
			if right.Proxmox == "" {
				at, right = first, site
			}

			config, _ := site.Provider()
			errs = append(errs, field.Invalid(at.Path().Child("proxmox"), message.Excerpt(at.Proxmox), fmt.Sprintf(
				"must be %s, as in %s: both have provider configuration %s, which reaches one Proxmox cluster",
				message.Excerpt(right.Proxmox), right.Path(), message.Excerpt(config))))

			break
		}
	}

	return errs
}
