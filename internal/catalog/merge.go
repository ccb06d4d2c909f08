package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Merge combines two catalogues; upper takes precedence over lower. An entry of upper's classes, images, sites and clusters
// replaces the whole entry of the same name in lower, so that an entry never has fields from two origins. Defaults are merged
// field by field, and a tenancy replaces the whole other one.
func Merge(lower, upper Catalog) Catalog {
	return Catalog{
		Defaults: lower.Defaults.under(upper.Defaults),
		Classes:  overlay(lower.Classes, upper.Classes),
		Images:   overlay(lower.Images, upper.Images),
		Sites:    overlay(lower.Sites, upper.Sites),
		Clusters: overlay(lower.Clusters, upper.Clusters),
		Tenancy:  cmp.Or(upper.Tenancy, lower.Tenancy),
		Faults:   mergeFaults(lower, upper),
		Absent:   upper.Absent,
		Formers:  slices.Concat(lower.Formers, upper.Formers),

		Valueless: slices.Concat(lower.Valueless, upper.Valueless),
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

	if upper.DeletionProtection != nil {
		out.DeletionProtection = upper.DeletionProtection
	}

	if upper.Approval != "" {
		out.Approval = upper.Approval
	}

	if upper.Firewall != nil {
		out.Firewall = upper.Firewall
	}

	return out
}
