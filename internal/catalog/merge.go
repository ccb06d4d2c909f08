package catalog

import (
	"maps"
)

// Merge lays the upper catalogue over the lower one. Of classes, images, sites and clusters, an entry of the upper one
// replaces the lower one's entry of that name as a whole, so that it means what is written there and nothing else;
// defaults are laid over each other field by field.
func Merge(lower, upper Catalog) Catalog {
	return Catalog{
		Defaults: lower.Defaults.under(upper.Defaults),
		Classes:  overlay(lower.Classes, upper.Classes),
		Images:   overlay(lower.Images, upper.Images),
		Sites:    overlay(lower.Sites, upper.Sites),
		Clusters: overlay(lower.Clusters, upper.Clusters),
	}
}

func overlay[V any](lower, upper map[string]V) map[string]V {
	out := make(map[string]V, len(lower)+len(upper))
	maps.Copy(out, lower)
	maps.Copy(out, upper)

	return out
}

func (d Defaults) under(upper Defaults) Defaults {
	out := d
	out.From = overlay(d.From, upper.From)

	if upper.Class != "" {
		out.Class = upper.Class
	}

	if upper.Image != "" {
		out.Image = upper.Image
	}

	if upper.Site != "" {
		out.Site = upper.Site
	}

	if upper.AdminUser != "" {
		out.AdminUser = upper.AdminUser
	}

	if upper.SSHAuthorizedKeys != nil {
		out.SSHAuthorizedKeys = upper.SSHAuthorizedKeys
	}

	if upper.PauseOnError != nil {
		out.PauseOnError = upper.PauseOnError
	}

	return out
}
