package catalog

import "cmp"

// The usual name and kind of the provider's configuration.
const (
	defaultProviderConfig     = "default"
	defaultProviderConfigKind = "ClusterProviderConfig"
)

// Provider is the provider's configuration of a site, with defaults.
func (s Site) Provider() (name, kind string) {
	return cmp.Or(s.ProviderConfig, defaultProviderConfig), cmp.Or(s.ProviderConfigKind, defaultProviderConfigKind)
}

// SameProxmox says whether two sites are one Proxmox cluster: one provider configuration reaches both, or both have its name.
func (s Site) SameProxmox(other Site) bool {
	name, kind := s.Provider()
	otherName, otherKind := other.Provider()

	return s.Proxmox != "" && s.Proxmox == other.Proxmox || name == otherName && kind == otherKind
}
