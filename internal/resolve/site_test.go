package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// TestSiteLosesEntry: a site of which something exists keeps its provider configuration where the catalogue has lost its entry, or its default. A name that
// the claim did not have before is a mistake of the claim.
func TestSiteLosesEntry(t *testing.T) {
	const (
		named   = "{proxmox: {site: gone}, pools: [{name: k3s}]}"
		unnamed = "{pools: [{name: k3s}]}"
		noSite  = `spec.proxmox.site: Invalid value: "gone": there is no site of that name`
		one     = "{sites: {lab: {providerConfig: lab}}}"
	)

	applied, other := aClaim(t, "ProxmoxSite", named), aClaim(t, "ProxmoxSite", "{proxmox: {site: lab}, pools: [{name: k3s}]}")
	of := func(config string) *Entries {
		return &Entries{Site: catalog.Site{Site: catalogue.Site{ProviderConfig: config}}}
	}

	type want struct {
		config string
		kept   bool
		fault  string
	}

	for name, tc := range map[string]struct {
		reason          string
		spec, catalogue string
		have            Existing
		want            want
	}{
		"New":     {"Nothing exists, so nothing can be kept.", named, one, Existing{}, want{fault: noSite}},
		"Named":   {"The entry is gone.", named, one, Existing{Has: of("home"), Applied: &applied}, want{"home", true, ""}},
		"Unknown": {"The same while nobody knows what has arrived.", named, one, Existing{Has: of("home")}, want{"home", true, ""}},
		"Faulty": {
			"The entry has a fault.", named, "{sites: {gone: {network: {cidr: 99}}}}", Existing{Has: of("home"), Applied: &applied}, want{"home", true, ""},
		},
		"Edited":  {"The claim names another site now.", named, one, Existing{Has: of("home"), Applied: &other}, want{fault: noSite}},
		"Default": {"The default is gone.", unnamed, one, Existing{Has: of("home")}, want{"home", true, ""}},
		"Several": {"The default is gone, and it may have been any site.", unnamed, "{sites: {lab: {}, attic: {}}}", Existing{Has: of("default")}, want{"default", true, ""}},
		"NeverHad": {
			"There was no default, and what is built in is what the site has.", unnamed, "{}", Existing{Has: of("default")}, want{"default", false, ""},
		},
		"There": {"The entry is there.", "{proxmox: {site: lab}, pools: [{name: k3s}]}", one, Existing{Has: of("lab"), Applied: &other}, want{"lab", false, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			now := aClaim(t, "ProxmoxSite", tc.spec)

			s, errs := ProxmoxSite(now.Identity, *now.ProxmoxSite, now.Faults, aCatalog(t, tc.catalogue), tc.have)

			got := want{}
			if s != nil {
				got = want{config: s.ProviderConfig, kept: len(s.Kept) > 0 && s.Kept[0].Part == machine.PartProvider}
			}

			if len(errs) > 0 {
				got.fault = errs[0].Error()
				if strings.HasPrefix(got.fault, tc.want.fault) {
					got.fault = tc.want.fault
				}
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
