package catalog

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestProviderOf(t *testing.T) {
	cases := map[string]struct {
		reason  string
		flavour string
		want    string // The provider's API.
		err     string
	}{
		"Namespaced": {"The recommended installation has everything in namespaces.", FlavourNamespaced, proxmox.Namespaced.Name, ""},
		"Claims":     {"Composites of claims are in no namespace.", FlavourClaims, proxmox.Cluster.Name, ""},
		"Legacy":     {"The former provider has groups of its own.", FlavourLegacy, proxmox.Legacy.Name, ""},
		"Cluster":    {"What an Input calls the provider's API is no installation.", "cluster", "", `unknown flavour "cluster": want one of namespaced, claims, legacy`},
		"Capital":    {"Names are in lower case.", "Claims", "", `unknown flavour "Claims": want one of namespaced, claims, legacy`},
		"Empty":      {"Nothing is no flavour: the caller knows what that means.", "", "", `unknown flavour "": want one of namespaced, claims, legacy`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ProviderOf(tc.flavour)
			if said := errorText(err); got.Name != tc.want || said != tc.err {
				t.Errorf("%s\nProviderOf(%q): want %q, %q; got %q, %q", tc.reason, tc.flavour, tc.want, tc.err, got.Name, said)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}

	return err.Error()
}
