package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestSharesSite(t *testing.T) {
	const namespaced, cluster = "ProviderConfig", "ClusterProviderConfig"

	site := func(proxmox, config, kind string) catalog.Site {
		return catalog.Site{Site: catalogue.Site{Proxmox: proxmox, ProviderConfig: config, ProviderConfigKind: kind}}
	}

	cases := map[string]struct {
		reason    string
		sites     map[string]catalog.Site
		own       proxmox.ProviderConfigRef
		other     proxmox.ProviderConfigRef
		namespace string // Of the other managed resource; the owner's is team-a.
		want      bool
		elsewhere bool // It is known to be in another one.
	}{
		"OneConfiguration": {
			reason: "One configuration reaches one Proxmox.", own: proxmox.ProviderConfigRef{Name: "home", Kind: cluster},
			other: proxmox.ProviderConfigRef{Name: "home", Kind: cluster}, namespace: "team-b", want: true,
		},
		"TwoConfigurations": {
			reason: "Nobody says that two configurations reach one Proxmox.", own: proxmox.ProviderConfigRef{Name: "team-a", Kind: cluster},
			other: proxmox.ProviderConfigRef{Name: "team-b", Kind: cluster}, namespace: "team-b",
		},
		"TwoOfOneProxmox": {
			reason: "The catalogue says it.", sites: map[string]catalog.Site{"a": site("dc1", "team-a", ""), "b": site("dc1", "team-b", "")},
			own: proxmox.ProviderConfigRef{Name: "team-a", Kind: cluster}, other: proxmox.ProviderConfigRef{Name: "team-b", Kind: cluster}, namespace: "team-b", want: true,
		},
		"TwoProxmoxes": {
			reason: "The catalogue says that they are two.", sites: map[string]catalog.Site{"a": site("dc1", "team-a", ""), "b": site("dc2", "team-b", "")},
			own: proxmox.ProviderConfigRef{Name: "team-a", Kind: cluster}, other: proxmox.ProviderConfigRef{Name: "team-b", Kind: cluster}, namespace: "team-b", elsewhere: true,
		},
		"OneNamed": {
			reason: "Of the other one nobody knows.", sites: map[string]catalog.Site{"a": site("dc1", "team-a", ""), "b": site("", "team-b", "")},
			own: proxmox.ProviderConfigRef{Name: "team-a", Kind: cluster}, other: proxmox.ProviderConfigRef{Name: "team-b", Kind: cluster}, namespace: "team-b",
		},
		"OfEachNamespace": {
			reason: "A ProviderConfig of another namespace is another one.", sites: map[string]catalog.Site{"a": site("", "pve", namespaced)},
			own: proxmox.ProviderConfigRef{Name: "pve", Kind: namespaced}, other: proxmox.ProviderConfigRef{Name: "pve", Kind: namespaced}, namespace: "team-b",
		},
		"OfEachNamespaceNamed": {
			reason: "The catalogue says that those of all namespaces are one Proxmox.", sites: map[string]catalog.Site{"a": site("dc1", "pve", namespaced)},
			own: proxmox.ProviderConfigRef{Name: "pve", Kind: namespaced}, other: proxmox.ProviderConfigRef{Name: "pve", Kind: namespaced}, namespace: "team-b", want: true,
		},
		"KindsMixed": {
			reason: "A team's own, and the platform's.", sites: map[string]catalog.Site{"a": site("dc1", "pve", namespaced), "b": site("dc1", "", "")},
			own: proxmox.ProviderConfigRef{Name: "pve", Kind: namespaced}, other: proxmox.ProviderConfigRef{Name: "default", Kind: cluster}, namespace: "", want: true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			o := Owner{Composite: "own", Namespace: "team-a", ProviderConfigRef: tc.own, Proxmoxes: ProxmoxesOf(catalog.Catalog{Sites: tc.sites}, proxmox.Namespaced)}

			if diff := cmp.Diff(tc.want, o.SharesSite(tc.other, tc.namespace)); diff != "" {
				t.Errorf("%s\nSharesSite(...): -want, +got:\n%s", tc.reason, diff)
			}

			if got := o.IsElsewhere(tc.other); got != tc.elsewhere {
				t.Errorf("%s\nIsElsewhere(...): want %t", tc.reason, tc.elsewhere)
			}
		})
	}
}

// TestProxmoxesOf: a provider without kinds of configurations refers to them by name.
func TestProxmoxesOf(t *testing.T) {
	cat := catalog.Catalog{Sites: map[string]catalog.Site{
		"a": {Site: catalogue.Site{Proxmox: "dc2", ProviderConfig: "pve"}}, "b": {Site: catalogue.Site{Proxmox: "dc1", ProviderConfig: "pve"}}, "c": {},
	}}

	if diff := cmp.Diff(Proxmoxes{{Name: "pve"}: "dc1"}, ProxmoxesOf(cat, proxmox.Cluster)); diff != "" {
		t.Errorf("The first name counts, in whatever order sites are read.\nProxmoxesOf(...): -want, +got:\n%s", diff)
	}
}
