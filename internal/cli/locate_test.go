package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// claimAt is a fault in the claim, with its place; a warning is none.
var claimAt = regexp.MustCompile(`dns01\.yaml:\d+:\d+: (spec|metadata)`)

// TestFaultsOfTheCatalogue: a claim whose catalogue is wrong is told the file and the line there, and nothing is said to be missing in the claim.
func TestFaultsOfTheCatalogue(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec:\n  class: small\n" +
			"  network: {ip: 192.168.4.53}\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n  defaults: {site: home}\n" +
			"  sites:\n    home:\n      nodes: {pve: {datastores: {disks: local-zfs, images: local}}}\n      network: {gateway: 192.168.4.1, cidr: 24}\n"
		value = "catalogue.yaml:9:45: data.sites.home.network.cidr: 240: must be a whole number from 1 to 32"
		tab   = "catalogue.yaml:6:1: is indented with a tab"
	)

	for name, tc := range map[string]struct {
		reason   string
		from, to string
		want     string
	}{
		"Value":   {"A value that is wrong.", "cidr: 24", "cidr: 240", value},
		"NotYAML": {"A catalogue that is no YAML.", "  sites:", "\tsites:", tab},
		"Misnamed": {
			"A catalogue that nobody asks for.", "machine-catalog", "machine-catalogue",
			`catalogue.yaml:3:18: metadata.name: "machine-catalogue": the Compositions read the EnvironmentConfig machine-catalog: for another name`,
		},
		"Version": {
			"One that Crossplane does not read.", "crossplane.io/v1beta1", "crossplane.io/v1alpha1",
			`catalogue.yaml:1:13: apiVersion: "apiextensions.crossplane.io/v1alpha1": an EnvironmentConfig has apiextensions.crossplane.io/v1beta1`,
		},
		"Spec": {"One with its content elsewhere.", "\ndata:", "\nspec:", "catalogue.yaml:4:1: spec: a catalogue has its content below data, so nobody reads this one"},
	} {
		t.Run(name, func(t *testing.T) {
			lintFiles(t, map[string]string{"dns01.yaml": claim, "catalogue.yaml": strings.Replace(catalogue, tc.from, tc.to, 1)})

			for command, more := range map[string][]string{"render": nil, "lint": nil, "plan": {"--observed", "none"}} {
				code, out, said := runAt(t, "", append([]string{command, "-f", "dns01.yaml"}, more...)...)

				if all := out + said; code == 0 || !strings.Contains(all, tc.want) {
					t.Errorf("%s: %s exits with %d and says\n%s\nwant %s", tc.reason, command, code, all, tc.want)
				} else if strings.Contains(all, "EnvironmentConfig machine-catalog: data") || claimAt.MatchString(all) {
					t.Errorf("%s: %s blames the claim:\n%s", tc.reason, command, all)
				}
			}
		})
	}
}

// TestFaultsOfTheClaim: render and plan name the place of each fault in the claim, as lint does, at once and in the same words.
func TestFaultsOfTheClaim(t *testing.T) {
	const (
		head      = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec:\n"
		other     = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns02, namespace: infra-machines}\nspec:\n  class: small\n  proxmox: {node: pve}\n---\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n  defaults: {site: home}\n" +
			"  sites: {home: {nodes: {pve: {datastores: {disks: local-zfs, images: local}}}, network: {gateway: 192.168.4.1, cidr: 24}}}\n"
	)

	for name, tc := range map[string]struct {
		reason, claim string
		want          []string
	}{
		"Several": {
			"All faults, at the name of what should not be there, and else at the value.", head + "  class: tiny\n  cores: 2\n  network: {ip: 192.168.4.256}\n",
			[]string{"dns01.yaml:5:10: spec.class: \"tiny\"", "dns01.yaml:6:3: spec.cores: unknown field", "dns01.yaml:7:17: spec.network.ip: \"192.168.4.256\""},
		},
		"AsTyped": {
			"What YAML reads as another value, as it was typed.", head + "  class: small\n  tags: [yes, 0x1f, 1.30]\n  proxmox: {site: no}\n",
			[]string{"spec.tags[0]: yes: must be text", "spec.tags[1]: 0x1f: must be text", "spec.tags[2]: 1.30: must be text", "spec.proxmox.site: no: must be text"},
		},
		"Second": {"The second claim of a file.", other + head + "  class: tiny\n", []string{"dns01.yaml:12:10: spec.class: \"tiny\""}},
	} {
		t.Run(name, func(t *testing.T) {
			lintFiles(t, map[string]string{"dns01.yaml": tc.claim, "catalogue.yaml": catalogue})

			for command, more := range map[string][]string{"render": nil, "lint": nil, "plan": {"--observed", "none"}} {
				code, out, said := runAt(t, "", append([]string{command, "-f", "dns01.yaml"}, more...)...)

				for _, want := range tc.want {
					if all := out + said; code == 0 || strings.Count(all, want) != 1 {
						t.Errorf("%s: %s exits with %d and says\n%s\nwant once %s", tc.reason, command, code, all, want)
					}
				}
			}
		})
	}
}

// TestCatalogueInNamespace: what is in no namespace is read all the same where a file, or a kustomization, puts it into one.
func TestCatalogueInNamespace(t *testing.T) {
	const (
		claim     = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec: {class: small, network: {dhcp: true}}\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog, namespace: infra-machines}\ndata:\n" +
			"  defaults: {site: home}\n  sites:\n    home:\n      nodes: {pve: {datastores: {disks: local-zfs, images: local}}}\n"
	)

	lintFiles(t, map[string]string{"dns01.yaml": claim, "catalogue.yaml": catalogue})

	for command, more := range map[string][]string{"render": nil, "plan": {"--observed", "none"}} {
		if code, out, said := runAt(t, "", append([]string{command, "-f", "dns01.yaml"}, more...)...); code != ExitOK {
			t.Errorf("%s: exit code %d, %s%s", command, code, out, said)
		}
	}
}

// TestCatalogueThatIsMeant: render, plan and lint take the same catalogue of those beside a claim, and say the same of one that nobody reads: what is wrong
// with it, and nothing that only follows.
func TestCatalogueThatIsMeant(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec:\n  class: small\n  network: {dhcp: true}\n" +
			"  bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam]}\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n" +
			"  defaults: {site: home}\n  sites:\n    home:\n      nodes: {pve: {datastores: {disks: local-zfs, images: local}}}\n"
		named = `:3:18: metadata.name: "machine-catalogue": the Compositions read the EnvironmentConfig machine-catalog: for another name, set catalog.name in their Input`
	)

	misnamed := strings.Replace(catalogue, "machine-catalog", "machine-catalogue", 1)

	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		flags  []string
		want   []string
	}{
		"OtherFile": {"A catalogue may have a file of any name.", map[string]string{"machine-catalog.yaml": catalogue}, nil, nil},
		"Beside":    {"Of two, the one that is read counts.", map[string]string{"a.yaml": misnamed, "b.yaml": catalogue}, nil, nil},
		"Misnamed":  {"There is only one that is not.", map[string]string{"a.yaml": misnamed}, nil, []string{"a.yaml" + named}},
		"MeantAndFaulty": {
			"One with faults may be other people's, and not where somebody names it.",
			map[string]string{"a.yaml": strings.Replace(misnamed, "sites:", "sitez:", 1)},
			[]string{"--catalogue", "a.yaml"},
			[]string{"a.yaml" + named, "a.yaml:6:3: data.sitez: unknown field; did you mean data.sites?"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tc.files["dns01.yaml"] = claim
			lintFiles(t, tc.files)

			for command, more := range map[string][]string{"render": nil, "lint": nil, "plan": {"--observed", "none"}} {
				_, out, said := runAt(t, "", append(append([]string{command, "-f", "dns01.yaml"}, tc.flags...), more...)...)

				var got []string

				for line := range strings.Lines(out + said) {
					if line = strings.TrimSpace(line); regexp.MustCompile(`^[a-z0-9]+\.yaml:|: is missing`).MatchString(line) {
						got = append(got, line)
					}
				}

				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("%s %s: -want, +got:\n%s\n%s", tc.reason, command, diff, out+said)
				}
			}
		})
	}
}

// TestBesideTheClaim: lint says of the files that go with a claim what is wrong, also where nobody names them.
func TestBesideTheClaim(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec:\n  class: small\n  proxmox: {node: pve}\n" +
			"  network: {dhcp: true}\n  bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam]}\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {sites: {}}\n"
		secret    = "apiVersion: v1\nkind: Secret\nmetadata: {name: t}\nstringData: {t: must-not-be-shown}\n"
		encrypted = "apiVersion: v1\nkind: Secret\nmetadata: {name: t}\nstringData: {t: \"ENC[a]\"}\nsops: {mac: \"ENC[a]\"}\n"
	)

	for name, tc := range map[string]struct {
		reason string
		files  map[string]string
		want   string
	}{
		"Secret":     {"Anybody can read it who can read the repository.", map[string]string{"secrets.yaml": secret}, "secrets.yaml:4:1: warning: stringData: is in clear text"},
		"Ignored":    {"Git passes over it.", map[string]string{"secrets.yaml": secret, ".gitignore": "secrets.yaml\n"}, ""},
		"Encrypted":  {"Nobody can read it.", map[string]string{"secrets.yaml": encrypted}, ""},
		"Catalogues": {"The cluster keeps one of two.", map[string]string{"a.yaml": catalogue, "b.yaml": catalogue}, "b.yaml:3:18: metadata.name: \"machine-catalog\": the EnvironmentConfig in a.yaml:3 has this name, too"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.files["dns01.yaml"] = claim
			lintFiles(t, tc.files)

			_, out, _ := runAt(t, "", "lint", "-f", "dns01.yaml")
			if out == "" != (tc.want == "") || !strings.HasPrefix(out, tc.want) || strings.Count(out, "\n") > 1 {
				t.Errorf("%s lint says %q, want %q once", tc.reason, out, tc.want)
			}
		})
	}
}
