package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// aSite is the claim of a ProxmoxSite with these lines of spec, which begin in line 5.
func aSite(spec string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra-machines}\nspec:\n" + indented(spec)
}

// remembering is a catalogue that remembers a flavour.
func remembering(flavour string) string {
	return "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog, annotations: {homelab.io/flavour: " + flavour + "}}\n" +
		"data:\n  defaults: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}\n  sites: {home: {nodes: {pve: {}}}}\n"
}

func TestFlavour(t *testing.T) {
	const (
		container = "image: local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst\nproxmox: {node: pve, vmId: 150}"
		firewall  = "proxmox: {node: pve}\nfirewall: {preset: k3s-server}"
		lone      = "endpoint: https://192.168.4.61:6443\nversion: v1.36.5+k3s1\ntoken: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n"

		noFirewall = "needs provider-proxmox-bpg v1.9.1 or later: releases up to v0.11.1 cannot change the rules of a firewall without a gap, in which nobody reaches the guest. Remove firewall, or upgrade the provider (docs/compatibility.md)"
		old        = `claim.yaml:2:1: kind: a Container needs provider-proxmox-bpg v1.14.0 or later: earlier releases cannot start or stop a container (docs/compatibility.md). Upgrade the provider`
	)

	composite := strings.Replace(aMachine("proxmox: {node: pve}"), "kind: Machine", "kind: XMachine", 1)
	silent := strings.Replace(remembering("x"), ", annotations: {homelab.io/flavour: x}", "", 1)
	printed := func(document, uid string) string {
		return strings.Replace(document, "metadata: {", "metadata: {resourceVersion: \"1\", uid: "+uid+", ", 1)
	}
	siteOf := func(catalogue string) string {
		return strings.Replace(catalogue, "defaults: {", "defaults: {site: home, ", 1)
	}
	former := func(flavour string) string { return strings.Replace(remembering(flavour), "v1beta1", "v1alpha1", 1) }

	cases := map[string]struct {
		reason    string
		flavour   string // As --flavour has it.
		catalogue string
		claim     string
		want      []string
	}{
		"Nothing":        {"Who begins installs without claims, where a container starts.", "", silent, aContainerClaim(container), nil},
		"Remembered":     {"The catalogue remembers the former provider, which cannot start a container.", "", remembering("legacy"), aContainerClaim(container), []string{old}},
		"Named":          {"Who names a flavour needs no catalogue that remembers it.", "legacy", "", aContainerClaim(container), []string{old}},
		"NamedAgainst":   {"A person knows better than the catalogue.", "claims", remembering("legacy"), aContainerClaim(container), nil},
		"LegacySite":     {"The former provider has no interfaces of nodes.", "legacy", "", aSite("{}"), []string{"claim.yaml:2:1: kind: a ProxmoxSite needs provider-proxmox-bpg v1.18.0 or later (docs/compatibility.md). Upgrade the provider"}},
		"LegacyFirewall": {"Nor does it change a firewall without a gap.", "legacy", remembering("claims"), aMachine(firewall), []string{"claim.yaml:6:3: spec.firewall: " + noFirewall}},
		"ClaimsFirewall": {"The provider of today does.", "claims", remembering("claims"), aMachine(firewall), nil},
		"LegacyFirewallOfServers": {
			"Neither do the nodes of a cluster have one.", "legacy", siteOf(remembering("legacy")), aCluster(lone + "servers: {count: 1, class: small, template: {firewall: {preset: k3s-server}}}"),
			[]string{"claim.yaml:8:48: spec.servers.template.firewall: " + noFirewall},
		},
		"LegacyFirewallOfAgents": {
			"Two agents of one pool have one fault.", "legacy", siteOf(remembering("legacy")),
			aCluster(lone + "servers: {count: 1, class: small}\nagents: [{name: worker, count: 2, class: small, template: {firewall: {preset: k3s-agent}}}]"),
			[]string{"claim.yaml:9:62: spec.agents[0].template.firewall: " + noFirewall},
		},
		"ClaimsFirewallOfServers": {
			"The provider of today changes those, too.", "claims", siteOf(remembering("claims")), aCluster(lone + "servers: {count: 1, class: small, template: {firewall: {preset: k3s-server}}}"), nil,
		},
		"LegacyCluster":       {"A cluster without a firewall is the same everywhere.", "legacy", siteOf(remembering("legacy")), aCluster(lone + "servers: {count: 1, class: small}"), nil},
		"LegacyMachine":       {"A plain machine is the same everywhere.", "legacy", remembering("legacy"), aMachine("proxmox: {node: pve}"), nil},
		"CompositeNamespaced": {"Without claims there is no kind of composites.", "", "", composite, []string{`claim.yaml:2:7: kind: "XMachine": there is no such kind where the project is installed without claims: write kind Machine, in a namespace`}},
		"CompositeOfClaims":   {"With claims, Crossplane makes composites.", "", remembering("claims"), composite, []string{`claim.yaml:2:7: kind: "XMachine": Crossplane makes composites of claims: write kind Machine, in a namespace`}},
		"RefOfClaim": {
			"The API server drops a claim's own fields where there are no claims.", "", remembering("namespaced"), aMachine("proxmox: {node: pve}\ncompositionRef: {name: mine}"),
			[]string{"claim.yaml:6:3: spec.compositionRef: unknown field; where the project is installed without claims, write spec.crossplane.compositionRef"},
		},
		"RefOfComposite": {
			"And those of a composite in a namespace where there are claims.", "", remembering("claims"), aMachine("proxmox: {node: pve}\ncrossplane: {compositionRef: {name: mine}}"),
			[]string{"claim.yaml:6:3: spec.crossplane: unknown field; where the project is installed with claims, write what is below it into spec itself"},
		},
		"RefOfClaimRight":     {"A claim may choose its Composition.", "claims", remembering("claims"), aMachine("proxmox: {node: pve}\ncompositionRef: {name: mine}"), nil},
		"RefOfCompositeRight": {"So may a composite in a namespace.", "", remembering("namespaced"), aMachine("proxmox: {node: pve}\ncrossplane: {compositionRef: {name: mine}}"), nil},
		"Printed":             {"What kubectl printed has Crossplane's fields where the cluster has them.", "", remembering("namespaced"), printed(aMachine("proxmox: {node: pve}\nresourceRef: {name: x}\ncompositionRef: {name: mine}"), "a"), nil},
		"PrintedLegacy": {
			"It does not show that the provider is the former one; the catalogue does.", "", remembering("legacy"), printed(aContainerClaim(container+"\nresourceRef: {name: x}"), "a"),
			[]string{old},
		},
		"UnknownFlavour": {
			"A flavour that there is none of is not guessed at.", "", remembering("claim"), aContainerClaim(container),
			[]string{`catalogue.yaml:3:69: metadata.annotations.homelab.io/flavour: unknown flavour "claim": want one of namespaced, claims, legacy`},
		},
		"FormerVersion": {
			"Crossplane 2 serves one version of EnvironmentConfigs.", "", former("namespaced"), aMachine("proxmox: {node: pve}"),
			[]string{`catalogue.yaml:1:13: apiVersion: "apiextensions.crossplane.io/v1alpha1": an EnvironmentConfig has apiextensions.crossplane.io/v1beta1`},
		},
		"FormerVersionLegacy": {"Crossplane 1.20 serves two.", "", former("legacy"), aMachine("proxmox: {node: pve}"), nil},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := []manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(tc.claim))}}
			if tc.catalogue != "" {
				files = append(files, manifest.Raw{File: "catalogue.yaml", Documents: manifest.RawDocuments([]byte(tc.catalogue))})
			}

			o := Options{}
			if tc.flavour != "" {
				o.Provider = provider(t, tc.flavour)
			}

			var got []string

			for _, f := range Check(files, nil, o).Faults {
				if f.Severity == Error { // What a flavour does not have is no warning.
					got = append(got, f.String())
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestWarningsOfClusters: what the function warns of a node stands at the cluster's field, and what it warns of the catalogue stands there, once.
func TestWarningsOfClusters(t *testing.T) {
	const (
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata:\n" +
			"  defaults: {site: home, sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}\n" +
			"  sites: {home: {nodes: {pve: {}}, network: {gateway: 192.168.4.1, cidr: 24}}}\n" +
			"  clusters: {home: {server: 'https://k3s.home.arpa', version: v1.36.5+k3s1, config: {embedded-registry: true}}}\n"
		claim = "cluster: home\ntoken: {secretRef: {name: k3s-token}, allowPlaintext: true, trustOnFirstUse: true}\n" +
			"servers: {count: 3, class: small}\nnodes: [{name: server-0, ip: 192.168.4.61}, {name: server-1, ip: 192.168.4.62}, {name: server-2, ip: 192.168.4.63}]"
	)

	var got []string

	for _, f := range Check([]manifest.Raw{
		{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(aCluster(claim)))},
		{File: "catalogue.yaml", Documents: manifest.RawDocuments([]byte(catalogue))},
	}, nil, Options{}).Faults {
		got = append(got, f.String())
	}

	want := []string{
		"claim.yaml:7:3: warning: spec.servers.template.bootstrap.userData: embedded-registry shares no images without mirrors in /etc/rancher/k3s/registries.yaml: " +
			"write that file here, with `mirrors: {\"*\": {}}` for all registries",
		"catalogue.yaml:7:29: warning: data.clusters.home.server: https://k3s.home.arpa has no port, so nodes join at 443, where K3s does not listen: unless a load balancer does, " +
			"write https://k3s.home.arpa:6443",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestFlavourBeside: a catalogue that nobody named says its flavour, too, and its fault is not silent where a claim uses it.
func TestFlavourBeside(t *testing.T) {
	cases := map[string]struct {
		reason string
		claims string
		want   int
	}{
		"Used":   {"The other commands refuse the claim for it.", aMachine("proxmox: {site: home, node: pve}"), 1},
		"Unused": {"What nobody uses is other people's.", "kind: Service\n", 0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			files := []manifest.Raw{{File: "claim.yaml", Documents: manifest.RawDocuments([]byte(tc.claims))}}
			beside := []manifest.Raw{{File: "catalogue.yaml", Documents: manifest.RawDocuments([]byte(remembering("claim")))}}

			if got := Check(files, beside, Options{}).Faults; len(got) != tc.want {
				t.Errorf("%s: want %d, got %v", tc.reason, tc.want, got)
			}
		})
	}
}

// TestFlavoursOfTwoCatalogues: of two repositories in a folder, each is installed in its own way.
func TestFlavoursOfTwoCatalogues(t *testing.T) {
	asked := installedJudge{}
	raw := func(file, text string) manifest.Raw {
		return manifest.Raw{File: file, Documents: manifest.RawDocuments([]byte(text))}
	}

	Check([]manifest.Raw{
		raw("a/catalogue.yaml", remembering("claims")), raw("a/claim.yaml", aMachine("proxmox: {node: pve}")),
		raw("b/catalogue.yaml", remembering("namespaced")), raw("b/claim.yaml", aNode("proxmox: {node: pve}")),
	}, nil, Options{Judge: asked})

	if diff := cmp.Diff(installedJudge{"Machine": "cluster", "K3sNode": "namespaced"}, asked); diff != "" {
		t.Errorf("the provider's API by kind: -want, +got:\n%s", diff)
	}
}

// An installedJudge notes for which API of the provider it is asked, by kind.
type installedJudge map[string]string

func (j installedJudge) Refuse(object map[string]any, f proxmox.Flavour) field.ErrorList {
	j[text(object["kind"])] = f.Name

	return nil
}

func provider(t *testing.T, flavour string) proxmox.Flavour {
	t.Helper()

	f, err := catalog.ProviderOf(flavour)
	if err != nil {
		t.Fatal(err)
	}

	return f
}
