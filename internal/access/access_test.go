package access

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

func TestSites(t *testing.T) {
	const two = "sites: {home: {nodes: {pve1: {}}}, lab: {nodes: {pve9: {datastores: {disks: tank}}}}}"

	fresh := privilege.Site{Disks: []string{"local-lvm"}, Images: []string{"local"}, Snippets: []string{"local"}}

	type want struct {
		sites []privilege.Site
		err   string
	}

	cases := map[string]struct {
		reason, catalogue string
		claims            []string
		want              want
	}{
		"Nothing": {reason: "Without a catalogue there is one site, with the datastores of a fresh Proxmox VE.", want: want{sites: []privilege.Site{fresh}}},
		"Nodes": {
			reason: "Each node has its datastores, or the defaults; another datastore for disks is spare, and so is one that the nodes share.",
			catalogue: `sites: {home: {sharedDatastores: [ceph], nodes: {
  pve1: {datastores: {disks: tank, images: nas, snippets: snips}, storages: {tank: [images], slow: [images, rootdir], iso: [iso]}, pci: [gpu], usb: [stick]}, pve2: {pci: [gpu]}}}}`,
			want: want{sites: []privilege.Site{{
				Name: "home", Disks: []string{"tank", "local-lvm"}, Images: []string{"nas", "local"}, Snippets: []string{"snips", "local"}, Spare: []string{"ceph", "slow", "tank"},
				PCI: []string{"gpu", "gpu"}, USB: []string{"stick"},
			}}},
		},
		"NoNodes": {
			reason: "A site without nodes has the defaults.", catalogue: "sites: {home: {}}",
			want: want{sites: []privilege.Site{{Name: "home", Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets}}},
		},
		"Images": {
			reason:    "A template is cloned at the sites that have its node, and a volume is read.",
			catalogue: two + "\nimages: {golden: {template: 9000, templateNode: pve9, os: nixos}, placed: {volume: 'nas:import/x.qcow2'}}",
			want: want{sites: []privilege.Site{
				{Name: "home", Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets, Volumes: []string{"nas"}},
				{Name: "lab", Disks: []string{"tank"}, Images: fresh.Images, Snippets: fresh.Snippets, Volumes: []string{"nas"}, Uses: []privilege.Use{privilege.UseTemplates}},
			}},
		},
		"Classes": {
			reason:    "A CPU type that a person defined.",
			catalogue: "classes: {a: {cores: 1, memory: 1Gi, disk: 10Gi, cpuType: custom-a}, b: {cores: 1, memory: 1Gi, disk: 10Gi, cpuType: custom-b}, c: {cores: 1, memory: 1Gi, disk: 10Gi, cpuType: host}}",
			want:      want{sites: []privilege.Site{{Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets, Uses: []privilege.Use{privilege.UseCustomCPU}}}},
		},
		"Claim": {
			reason: "What a claim asks for beyond the catalogue, at the only site.", catalogue: "sites: {home: {}}",
			claims: []string{"kind: Machine\nmetadata: {name: a}\nspec: {image: 9000, size: {cpuType: custom-x}, startup: {order: 1}, ha: {enabled: true}, disks: [{name: a, size: 1Gi, storage: slow}, {name: b, size: 1Gi}], " +
				"devices: {pci: [{mapping: gpu}], usb: [{mapping: stick}]}, proxmox: {storage: tank, pool: infra, migrate: true, node: pve}}"},
			want: want{sites: []privilege.Site{{
				Name: "home", Disks: []string{"local-lvm", "tank", "slow"}, Images: fresh.Images, Snippets: fresh.Snippets, PCI: []string{"gpu"}, USB: []string{"stick"}, Pools: []string{"infra"},
				Uses: []privilege.Use{privilege.UseMigration, privilege.UseHA, privilege.UseHostOption, privilege.UseCustomCPU, privilege.UseTemplates},
			}}},
		},
		"Volume": {
			reason: "A claim can name a volume; a name is of the catalogue.",
			claims: []string{"kind: K3sNode\nmetadata: {name: a}\nspec: {image: 'nas:import/x.qcow2', k3s: {role: agent}}", "kind: Machine\nmetadata: {name: b}\nspec: {image: debian-12}"},
			want:   want{sites: []privilege.Site{{Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets, Volumes: []string{"nas"}}}},
		},
		"Cluster": {
			reason: "The nodes of a cluster have the fields of its pools.",
			claims: []string{"kind: K3sCluster\nmetadata: {name: c}\nspec: {cluster: home, servers: {count: 1, template: {proxmox: {pool: k3s}, startup: {order: 2}}}, agents: [{name: gpu, count: 1, devices: {pci: [{mapping: gpu}]}, disks: [{name: d, size: 1Gi, storage: slow}]}]}"},
			want: want{sites: []privilege.Site{{
				Disks: []string{"local-lvm", "slow"}, Images: fresh.Images, Snippets: fresh.Snippets, PCI: []string{"gpu"}, Pools: []string{"k3s"}, Uses: []privilege.Use{privilege.UseHostOption},
			}}},
		},
		"SiteOfClaim": {
			reason: "A claim counts at its site, or at the default one.", catalogue: two + "\ndefaults: {site: home}",
			claims: []string{"kind: Machine\nmetadata: {name: a}\nspec: {proxmox: {pool: a}}", "kind: Machine\nmetadata: {name: b}\nspec: {proxmox: {site: lab, pool: b}}"},
			want: want{sites: []privilege.Site{
				{Name: "home", Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets, Pools: []string{"a"}},
				{Name: "lab", Disks: []string{"tank"}, Images: fresh.Images, Snippets: fresh.Snippets, Pools: []string{"b"}},
			}},
		},
		"Container": {
			reason: "A container has its datastores, its pool and its start order.", catalogue: "sites: {home: {}}",
			claims: []string{"kind: Container\nmetadata: {name: a}\nspec: {image: 'local:vztmpl/debian-12.tar.zst', startup: {order: 1}, disks: [{path: /a, size: 1Gi, storage: slow}], " +
				"proxmox: {storage: tank, pool: infra, node: pve, vmId: 150}}"},
			want: want{sites: []privilege.Site{{
				Name: "home", Disks: []string{"local-lvm", "tank", "slow"}, Images: fresh.Images, Snippets: fresh.Snippets, Pools: []string{"infra"},
				Uses: []privilege.Use{privilege.UseHostOption},
			}}},
		},
		"Parts": {
			reason: "Interfaces and pools of a site, also those that may be removed.", catalogue: "sites: {home: {}}",
			claims: []string{"kind: ProxmoxSite\nmetadata: {name: a}\nspec: {nodes: {pve: {bridges: [{name: vmbr1}]}}, pools: [{name: k3s}], allowRemoval: {pools: [old]}}"},
			want: want{sites: []privilege.Site{{
				Name: "home", Disks: fresh.Disks, Images: fresh.Images, Snippets: fresh.Snippets, Pools: []string{"k3s", "old"},
				Uses: []privilege.Use{privilege.UseSiteNetwork},
			}}},
		},
		"NoSite": {
			reason: "With several sites and no default, nobody knows which token a claim is for.", catalogue: two, claims: []string{"kind: Machine\nmetadata: {name: a}\nspec: {}"},
			want: want{err: "cannot tell the site of Machine a: spec.proxmox.site: Required value: must name a site"},
		},
		"UnknownSite": {
			reason: "A site that the catalogue does not have.", catalogue: two, claims: []string{"kind: Machine\nmetadata: {name: a}\nspec: {proxmox: {site: hme}}"},
			want: want{err: `spec.proxmox.site: Invalid value: "hme": there is no site of that name`},
		},
		"Faults": {
			reason: "All claims with faults are named, since nobody knows what they ask for.",
			claims: []string{"kind: Machine\nmetadata: {name: a}\nspec: {proxmox: {pol: x}}", "kind: Machine\nmetadata: {name: b}\nspec: {cores: 1}"},
			want:   want{err: "cannot read Machine b"},
		},
		"FaultOfNode": {
			reason: "A fault of a pool's template is one, too.",
			claims: []string{"kind: K3sCluster\nmetadata: {name: c}\nspec: {cluster: home, servers: {count: 1, template: {proxmox: {pol: k3s}}}}"},
			want:   want{err: "cannot read node server-0 of K3sCluster c"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cat, faults := catalog.FromValue(parse(t, tc.catalogue), "data")
			if len(faults) > 0 {
				t.Fatal(faults)
			}

			var claims []claim.Claim
			for _, text := range tc.claims {
				claims = append(claims, claim.Decode(parse(t, "apiVersion: homelab.io/v1alpha1\n"+text)))
			}

			sites, err := Sites(cat, claims)
			if tc.want.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want.err) {
					t.Errorf("\n%s\nwant an error with %q, got %v", tc.reason, tc.want.err, err)
				}

				return
			}

			if diff := cmp.Diff(tc.want.sites, sites); diff != "" || err != nil {
				t.Errorf("\n%s\n%v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()

	out := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}

	return out
}
