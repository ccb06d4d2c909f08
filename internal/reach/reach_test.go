package reach

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

const divided = `
defaults: {site: lab, class: small, image: debian-13, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}, large: {cores: 16, memory: 64Gi, disk: 100Gi}}
images: {debian-13: {url: "https://cloud.debian.org/debian-13.qcow2", os: debian}, debian-ct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst", os: debian}}
sites:
  lab:
    nodes:
      n1: {bridges: [vmbr0, vmbr1], datastores: {disks: local-zfs, images: local, snippets: local}, storages: {local: [import, snippets, vztmpl], local-zfs: [images, rootdir]}, usb: [stick]}
      n2: {bridges: [vmbr0, vmbr1], datastores: {disks: local-zfs, images: local, snippets: local}, storages: {local: [import, snippets, vztmpl], local-zfs: [images, rootdir]}}
    network: {bridge: vmbr0, gateway: 10.7.0.1, cidr: 24}
    vmIds: {from: 4000, to: 4999}
clusters: {home: {server: "https://10.7.0.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}
tenancy:
  default: Deny
  tenants:
    infra: {namespaces: [infra], allow: [pin, adopt]}
    team-b:
      namespaces: [team-b, "team-b-*"]
      sites: {lab: {nodes: [n1], bridges: {vmbr0: []}, vmIds: {from: 4200, to: 4299}}}
      classes: [small]
      quota: {machines: 3, memory: 8Gi}
      clusters: {home: [agent]}
`

func catalogOf(t *testing.T, text string) catalog.Catalog {
	t.Helper()

	var data any
	if err := yaml.Unmarshal([]byte(text), &data); err != nil {
		t.Fatal(err)
	}

	cat, faults := catalog.FromValue(data, "data")
	if len(faults) > 0 {
		t.Fatal(faults)
	}

	return cat
}

func object(t *testing.T, text string) unstructured.Unstructured {
	t.Helper()

	var o map[string]any
	if err := yaml.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}

	return unstructured.Unstructured{Object: o}
}

// claimed is a claim in a namespace.
func claimed(t *testing.T, kind, namespace, name, spec string) unstructured.Unstructured {
	t.Helper()

	return object(t, "{apiVersion: homelab.io/v1alpha1, kind: "+kind+", metadata: {name: "+name+", namespace: "+namespace+"}, spec: "+spec+"}")
}

// labelled is a claim with the label of a tenant.
func labelled(tenant string, o unstructured.Unstructured) unstructured.Unstructured {
	o.SetLabels(map[string]string{"tenant-id": tenant})

	return o
}

// composed is the VM of a composite, as the provider has it.
func composed(t *testing.T, group, namespace, composite, node, id string) unstructured.Unstructured {
	t.Helper()

	in, ref := "", "{name: default}"
	if group != "proxmoxbpg.crossplane.io" {
		in, ref = "namespace: "+namespace+", ", "{name: default, kind: ClusterProviderConfig}"
	}

	return object(t, `{apiVersion: virtualenvironmentvm.`+group+`/v1alpha1, kind: EnvironmentVM,
  metadata: {name: `+composite+`-vm, `+in+`labels: {crossplane.io/composite: `+composite+`, homelab.io/namespace: `+namespace+`},
    annotations: {crossplane.io/composition-resource-name: vm, crossplane.io/external-name: "`+id+`"}},
  spec: {providerConfigRef: `+ref+`, managementPolicies: ["*"], forProvider: {nodeName: `+node+`, vmId: `+id+`, cpu: [{cores: 2}], memory: [{dedicated: 4096}], disk: [{datastoreId: local-zfs, size: 30}]}},
  status: {atProvider: {id: "`+id+`", nodeName: `+node+`, vmId: `+id+`}}}`)
}

// short is what a report says of one thing: whose it is, its field, value and rule.
func short(all []Outside) (out []string) {
	for _, o := range all {
		out = append(out, o.Kind+" "+o.Namespace+"/"+o.Name+" "+o.Field+"="+o.Value+" "+o.Rule)
	}

	return out
}

func TestOutside(t *testing.T) {
	const rules = "data.tenancy.tenants.team-b."

	cases := map[string]struct {
		reason   string
		objects  []unstructured.Unstructured
		teamB    []string
		nobody   []string
		unjudged []Unjudged
	}{
		"Nothing": {reason: "There is nothing."},
		"Within":  {reason: "A claim within the rules is not listed.", objects: []unstructured.Unstructured{claimed(t, "Machine", "team-b", "a", "{}"), claimed(t, "Machine", "infra", "b", "{class: large, proxmox: {node: n2}}")}},
		"Claim": {
			reason:  "All that a claim asks for is listed, in the order of the claim.",
			objects: []unstructured.Unstructured{claimed(t, "Machine", "team-b-dev", "a", "{class: large, network: {dhcp: true, bridge: vmbr1}, adopt: {vmId: 108}}")},
			teamB: []string{
				"Machine team-b-dev/a spec.class=large " + rules + "classes", "Machine team-b-dev/a spec.network.bridge=vmbr1 " + rules + "sites.lab.bridges",
				"Machine team-b-dev/a spec.adopt=108 " + rules + "allow",
			},
		},
		"Nobody": {
			reason:  "A namespace that is no tenant's.",
			objects: []unstructured.Unstructured{claimed(t, "Machine", "guest", "a", "{}")},
			nobody:  []string{"Machine guest/a metadata.namespace=guest data.tenancy.default"},
		},
		"Site": {
			reason:  "A ProxmoxSite needs a word.",
			objects: []unstructured.Unstructured{claimed(t, "ProxmoxSite", "team-b", "lab", "{pools: [{name: p}]}")},
			teamB:   []string{"ProxmoxSite team-b/lab kind=ProxmoxSite " + rules + "allow"},
		},
		"Container": {
			reason:  "A container.",
			objects: []unstructured.Unstructured{claimed(t, "Container", "team-b", "a", "{image: debian-ct, unprivileged: false, proxmox: {vmId: 4300, node: n1}}")},
			teamB: []string{
				"Container team-b/a spec.proxmox.node=n1 " + rules + "allow", "Container team-b/a spec.proxmox.vmId=4300 " + rules + "sites.lab.vmIds",
				"Container team-b/a spec.unprivileged=false " + rules + "allow",
			},
		},
		"Cluster": {
			reason:  "The nodes of a K3sCluster that are not there yet, by the fields of their cluster, once for all.",
			objects: []unstructured.Unstructured{claimed(t, "K3sCluster", "team-b", "own", "{version: v1.33.6+k3s1, endpoint: \"https://10.7.0.70:6443\", token: {secretRef: {name: t}, allowPlaintext: true}, servers: {count: 1, class: large}}")},
			teamB:   []string{"K3sCluster team-b/own spec.servers.class=large " + rules + "classes"},
		},
		"ClusterOfAnother": {
			reason: "A K3sCluster names its tenant as its nodes do, and is told once for all of them.",
			objects: []unstructured.Unstructured{labelled("infra", claimed(t, "K3sCluster", "team-b", "own",
				"{version: v1.33.6+k3s1, endpoint: \"https://10.7.0.70:6443\", token: {secretRef: {name: t}, allowPlaintext: true}, joinToken: {secretRef: {name: j}, allowPlaintext: true}, servers: {count: 3}, agents: [{name: w, count: 2}]}"))},
			teamB: []string{"K3sCluster team-b/own metadata.labels[tenant-id]=infra data.tenancy.tenants"},
		},
		"ClusterOfItsOwn": {
			reason: "The name of its own tenant is right.",
			objects: []unstructured.Unstructured{labelled("team-b", claimed(t, "K3sCluster", "team-b", "own",
				"{version: v1.33.6+k3s1, endpoint: \"https://10.7.0.70:6443\", token: {secretRef: {name: t}, allowPlaintext: true}, joinToken: {secretRef: {name: j}, allowPlaintext: true}, servers: {count: 3}}"))},
		},
		"Namespaced": {
			reason:  "What the function chose before the rules is listed, too.",
			objects: []unstructured.Unstructured{claimed(t, "Machine", "team-b", "a", "{}"), composed(t, "proxmoxbpg.m.crossplane.io", "team-b", "a", "n2", "4100")},
			teamB:   []string{"Machine team-b/a status.node=n2 " + rules + "sites.lab.nodes", "Machine team-b/a status.vmId=4100 " + rules + "sites.lab.vmIds"},
		},
		"Claims": {
			reason: "A claim and its composite are one machine, by the claim's name.",
			objects: []unstructured.Unstructured{
				claimed(t, "Machine", "team-b", "a", "{class: large, resourceRef: {apiVersion: homelab.io/v1alpha1, kind: XMachine, name: a-x1}}"),
				object(t, "{apiVersion: homelab.io/v1alpha1, kind: XMachine, metadata: {name: a-x1}, spec: {class: large, claimRef: {apiVersion: homelab.io/v1alpha1, kind: Machine, name: a, namespace: team-b}}}"),
				composed(t, "proxmoxbpg.crossplane.io", "team-b", "a-x1", "n1", "4200"),
			},
			teamB: []string{"Machine team-b/a spec.class=large " + rules + "classes"},
		},
		"Applied": {
			reason: "What a machine had before the rules is outside of them, although the function leaves it alone.",
			objects: []unstructured.Unstructured{object(t, `{apiVersion: homelab.io/v1alpha1, kind: Machine, metadata: {name: a, namespace: team-b}, spec: {class: large},
				status: {appliedSpec: {class: large}}}`), composed(t, "proxmoxbpg.m.crossplane.io", "team-b", "a", "n1", "4200")},
			teamB: []string{"Machine team-b/a spec.class=large " + rules + "classes"},
		},
		"Faulty": {
			reason:   "Of a claim with another fault nobody knows what it asks for.",
			objects:  []unstructured.Unstructured{claimed(t, "Machine", "team-b", "a", "{class: huge}")},
			unjudged: []Unjudged{{Kind: "Machine", Namespace: "team-b", Name: "a", Fault: `spec.class: "huge": there is no class of that name; there are: large, small`}},
		},
		"Preview": {reason: "A preview's composite has no spec, and others' kinds are no claims.", objects: []unstructured.Unstructured{
			object(t, "{apiVersion: homelab.io/v1alpha1, kind: Machine, metadata: {name: a, namespace: guest}}"),
			object(t, "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Machine, metadata: {name: a, namespace: guest}, spec: {}}"),
		}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Of(catalogOf(t, divided), tc.objects)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.teamB, short(got.Tenants[1].Outside)); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.nobody, short(got.Outside)); diff != "" {
				t.Errorf("%s: of nobody: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.unjudged, got.Unjudged); diff != "" {
				t.Errorf("%s: not judged: -want, +got:\n%s", tc.reason, diff)
			}

			if len(got.Tenants[0].Outside) > 0 || got.IsOutside() != (len(tc.teamB)+len(tc.nobody) > 0) {
				t.Errorf("%s: infra has %v, and IsOutside is %t", tc.reason, short(got.Tenants[0].Outside), got.IsOutside())
			}
		})
	}
}

// TestTheFunctionsOwnRules: of a new claim, what is outside is what the function refuses, in its words.
func TestTheFunctionsOwnRules(t *testing.T) {
	cat := catalogOf(t, divided)

	for _, spec := range []string{
		"{}", "{class: large}", "{proxmox: {node: n2, vmId: 4300}}", "{network: {dhcp: true, mac: 'BC:24:11:00:00:01'}}", "{image: 'local:import/x.qcow2'}",
		"{bootstrap: {snippets: {vendorData: 'local:snippets/x.yaml'}}}", "{size: {cores: 4}}", "{adopt: {vmId: 108}}",
	} {
		o := claimed(t, "Machine", "team-b", "a", spec)
		c := claim.Decode(o.Object)
		_, want := resolve.Claim(c, cat, resolve.Existing{Adopting: c.Fields().Adopt != nil})

		got, err := Of(cat, []unstructured.Unstructured{o})
		if err != nil {
			t.Fatal(err)
		}

		said := map[string]bool{}
		for _, one := range got.Tenants[1].Outside {
			said[one.Field+" "+one.Rule] = true
		}

		if len(got.Tenants[1].Outside) != len(want) {
			t.Errorf("%s: the function refuses %v, and outside are %v", spec, want, short(got.Tenants[1].Outside))
		}

		for _, f := range want {
			if !said[f.Field+" "+f.Origin] {
				t.Errorf("%s: the function refuses %v, which is not among %v", spec, f, short(got.Tenants[1].Outside))
			}
		}
	}
}

func TestOf(t *testing.T) {
	objects := []unstructured.Unstructured{
		composed(t, "proxmoxbpg.m.crossplane.io", "team-b", "a", "n1", "4200"), composed(t, "proxmoxbpg.crossplane.io", "team-b-dev", "b-x1", "n1", "4201"),
		composed(t, "proxmoxbpg.m.crossplane.io", "guest", "c", "n1", "4000"),
	}

	got, err := Of(catalogOf(t, divided), objects)
	if err != nil {
		t.Fatal(err)
	}

	want := Report{Default: "Deny", Tenants: []Tenant{
		{
			Name: "infra", Namespaces: []string{"infra"}, Classes: []string{"large", "small"}, Images: []string{"debian-13", "debian-ct"},
			Sites: []Site{{
				Name: "lab", Nodes: []string{"n1", "n2"}, Bridges: map[string][]int64{"vmbr0": {}, "vmbr1": {}}, Datastores: []string{Any}, PCI: []string{Any}, USB: []string{"stick"},
				Addresses: []string{Any}, VMIDs: &catalogue.Range{From: 4000, To: 4999},
			}},
			Clusters: map[string][]string{"home": {Any}}, DNS: []string{Any}, Allow: []string{"adopt", "pin"},
			Quota: []Quota{{Name: "machines"}, {Name: "cores"}, {Name: "memory", Unit: "Mi"}, {Name: "disk", Unit: "Gi"}},
		},
		{
			Name: "team-b", Namespaces: []string{"team-b", "team-b-*"}, Classes: []string{"small"}, Images: []string{"debian-13", "debian-ct"},
			Sites: []Site{{
				Name: "lab", Nodes: []string{"n1"}, Bridges: map[string][]int64{"vmbr0": {}}, Datastores: []string{Any}, PCI: []string{Any}, USB: []string{"stick"},
				Addresses: []string{Any}, VMIDs: &catalogue.Range{From: 4200, To: 4299},
			}},
			Clusters: map[string][]string{"home": {"agent"}}, DNS: []string{Any}, Allow: []string{},
			Quota: []Quota{
				{Name: "machines", Used: 2, Limit: new(int64(3))}, {Name: "cores", Used: 4}, {Name: "memory", Unit: "Mi", Used: 8192, Limit: new(int64(8192))}, {Name: "disk", Unit: "Gi", Used: 60},
			},
		},
	}}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Of(...): -want, +got:\n%s", diff)
	}

	want.Tenants = want.Tenants[1:]
	if diff := cmp.Diff(want.Tenants, got.In(catalogOf(t, divided).Tenancy, "team-b-x").Tenants); diff != "" {
		t.Errorf("In(team-b-x): -want, +got:\n%s", diff)
	}

	without, err := Of(catalog.Catalog{}, objects)
	if err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff(Report{Default: "Allow", Tenants: []Tenant{}}, without); diff != "" {
		t.Errorf("without a tenancy: -want, +got:\n%s", diff)
	}
}
