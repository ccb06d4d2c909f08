package reach

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// everything of a site, of which the rules of a tenant take something away.
const everything = `
defaults: {site: lab, class: small, image: debian-13, sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB6wjNxBzvIwvpG3cVKVUmQ4iYYZZKcVQyM8YLfJvWZl a"]}
classes: {small: {cores: 2, memory: 4Gi, disk: 30Gi}}
images: {debian-13: {url: "https://cloud.debian.org/debian-13.qcow2", os: debian}, debian-ct: {url: "http://download.proxmox.com/images/system/debian-12-standard_12.7-1_amd64.tar.zst", os: debian}}
clusters: {home: {server: "https://10.7.0.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}
sites:
  lab:
    sharedDatastores: [local-zfs, local]
    nodes:
      n1: {bridges: [vmbr0, vmbr1], datastores: {disks: local-zfs, images: local, snippets: local}, storages: {local: [import, snippets, vztmpl], local-zfs: [images, rootdir]}, pci: [gpu], usb: [stick]}
    network: {bridge: vmbr0, vlan: 30, gateway: 10.7.0.1, cidr: 24, pool: 10.7.0.100-10.7.0.119}
    vmIds: {from: 4000, to: 4999}
tenancy:
  tenants:
    team-b: {namespaces: [team-b]}
`

// TestRulesThatComeLater: whatever rule of a tenant a machine that runs is outside of, since the rule came later or allows less by now, the report says so.
func TestRulesThatComeLater(t *testing.T) {
	cases := map[string]struct {
		rule string
		spec string // Of a VM; empty for what the defaults give one.
		want string // Field, value and rule; empty where the rule has no say.
	}{
		"Node":      {"{sites: {lab: {nodes: [n2]}}}", "{}", "status.node=n1 sites.lab.nodes"},
		"VMID":      {"{sites: {lab: {vmIds: {from: 4300, to: 4399}}}}", "{}", "status.vmId=4200 sites.lab.vmIds"},
		"Site":      {"{sites: {other: {}}}", "{}", "spec.proxmox.site=lab sites"},
		"Bridge":    {"{sites: {lab: {bridges: {vmbr1: []}}}}", "{}", "spec.network.bridge=vmbr0 sites.lab.bridges"},
		"VLAN":      {"{sites: {lab: {bridges: {vmbr0: [31]}}}}", "{}", "spec.network.vlan=30 sites.lab.bridges.vmbr0"},
		"Datastore": {"{sites: {lab: {datastores: [ceph]}}}", "{}", "spec.proxmox.storage=local-zfs sites.lab.datastores"},
		"PCI":       {"{sites: {lab: {pci: []}}}", "{firmware: {type: UEFI, machine: q35}, devices: {pci: [{mapping: gpu}]}}", "spec.devices.pci[0].mapping=gpu sites.lab.pci"},
		"Pool":      {"{sites: {lab: {pool: team-b}}}", "{}", "spec.proxmox.pool= sites.lab.pool"},
		"Address":   {"{sites: {lab: {addresses: 10.7.0.60-10.7.0.79}}}", "{network: {ip: 10.7.0.12}}", "spec.network.ip=10.7.0.12 sites.lab.addresses"},
		"PoolRange": {"{sites: {lab: {addresses: 10.7.0.60-10.7.0.79}}}", "{network: {pool: true}}", "spec.network.pool=10.7.0.101 sites.lab.addresses"},
		"Class":     {"{classes: []}", "{}", "spec.class=small classes"},
		"Limits":    {"{limits: {cores: 1}}", "{}", "spec.size.cores=2 limits.cores"},
		"Image":     {"{images: []}", "{}", "spec.image=debian-13 images"},
		"USB":       {"{sites: {lab: {usb: []}}}", "{devices: {usb: [{mapping: stick}]}}", "spec.devices.usb[0].mapping=stick sites.lab.usb"},
		"IPv6":      {"{sites: {lab: {addresses: 10.7.0.100-10.7.0.119}}}", `{network: {ip: 10.7.0.101, ipv6: {ip: "fd00::60", cidr: 64}}}`, "spec.network.ipv6.ip= sites.lab.addresses"},
		"Second":    {"{sites: {lab: {bridges: {vmbr0: []}}}}", `{nics: [{bridge: vmbr1, dhcp: true}]}`, "spec.nics[0].bridge=vmbr1 sites.lab.bridges"},
		"DataDisk":  {"{sites: {lab: {datastores: [local-zfs]}}}", `{disks: [{name: a, size: 8Gi, storage: ceph}]}`, "spec.disks[0].storage=ceph sites.lab.datastores"},
		"Memory":    {"{limits: {memory: 2Gi}}", "{}", "spec.size.memory=4096Mi limits.memory"},
		"Disk":      {"{limits: {disk: 20Gi}}", "{}", "spec.size.disk=30Gi limits.disk"},
		"Firewall":  {"{firewall: Required}", "{network: {dhcp: true, firewall: true}}", "spec.firewall= firewall"},
		"Deletion":  {"{deletion: Required}", "{deletionPolicy: Orphan}", "spec.deletionPolicy=Orphan deletion"},
		"Pin":       {"{}", "{proxmox: {node: n1}}", "spec.proxmox.node=n1 allow"},
		"MAC":       {"{}", `{network: {dhcp: true, mac: "BC:24:11:00:00:53"}}`, "spec.network.mac=BC:24:11:00:00:53 allow"},
		"Startup":   {"{}", "{startup: {order: 1}}", "spec.startup=order allow"},
		"Template":  {"{}", `{image: "9000"}`, "spec.image=9000 allow"},
		"Snippets":  {"{}", `{bootstrap: {snippets: {vendorData: "local:snippets/x.yaml"}}}`, "spec.bootstrap.snippets.vendorData=local:snippets/x.yaml allow"},
		"Adopt":     {"{}", "{adopt: {vmId: 4200}}", "spec.adopt=4200 allow"},
		"HA":        {"{}", "{ha: {enabled: true}}", "spec.ha=enabled allow"},
		"NoHA":      {"{}", "{ha: {enabled: false}}", ""},
		"Avoid":     {"{}", "{proxmox: {avoid: [n2]}}", "spec.proxmox.avoid=n2 allow"},
		"Joined":    {"{clusters: {home: [agent]}}", "{network: {ip: 10.7.0.210}}", "spec.network.ip=10.7.0.210 clusters"},
		"Quota":     {"{quota: {machines: 0}}", "{}", ""}, // The report has it beside what is used: see [TestOf].
		"DNS":       {"{dns: []}", "{network: {dhcp: true, dnsRecord: a.lab.arpa}}", "spec.network.dnsRecord=a.lab.arpa dns"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			has := composed(t, "proxmoxbpg.m.crossplane.io", "team-b", "a", "n1", "4200")
			world.Merge(has.Object, world.FromYAML(t, `{metadata: {annotations: {homelab.io/pool-address: 10.7.0.101/24}}, spec: {forProvider: {
				initialization: [{datastoreId: local-zfs, ipConfig: [{ipv4: [{address: 10.7.0.101/24, gateway: 10.7.0.1}]}]}], networkDevice: [{bridge: vmbr0, vlanId: 30}]}}}`))

			outsideOf(t, tc.rule, "Machine team-b/a", tc.want, claimed(t, "Machine", "team-b", "a", tc.spec), has)
		})
	}
}

// TestRulesForContainersThatComeLater is the same of a container whose node, VMID, address and datastore the function chose.
func TestRulesForContainersThatComeLater(t *testing.T) {
	cases := map[string]struct{ rule, spec, want string }{
		"Node":       {"{sites: {lab: {nodes: [n2]}}}", "{}", "status.node=n1 sites.lab.nodes"},
		"VMID":       {"{sites: {lab: {vmIds: {from: 4300, to: 4399}}}}", "{}", "status.vmId=4200 sites.lab.vmIds"},
		"Bridge":     {"{sites: {lab: {bridges: {vmbr1: []}}}}", "{}", "spec.network.bridge=vmbr0 sites.lab.bridges"},
		"VLAN":       {"{sites: {lab: {bridges: {vmbr0: [31]}}}}", "{}", "spec.network.vlan=30 sites.lab.bridges.vmbr0"},
		"Datastore":  {"{sites: {lab: {datastores: [ceph]}}}", "{}", "spec.proxmox.storage=local-zfs sites.lab.datastores"},
		"PoolRange":  {"{sites: {lab: {addresses: 10.7.0.60-10.7.0.79}}}", "{network: {pool: true}}", "spec.network.pool=10.7.0.101 sites.lab.addresses"},
		"Class":      {"{classes: []}", "{class: small}", "spec.class=small classes"},
		"Image":      {"{images: []}", "{}", "spec.image=debian-ct images"},
		"Privileged": {"{}", "{unprivileged: false}", "spec.unprivileged=false allow"},
		"PCI":        {"{sites: {lab: {pci: []}}}", "{}", ""}, // A container has no devices.
		"USB":        {"{sites: {lab: {usb: []}}}", "{}", ""},
		"Adopt":      {"{allow: [pin]}", "{adopt: {vmId: 4200}, proxmox: {node: n1}}", "spec.adopt=4200 allow"},
		"MAC":        {"{}", `{network: {dhcp: true, mac: "BC:24:11:00:00:53"}}`, "spec.network.mac=BC:24:11:00:00:53 allow"},
		"Pin":        {"{}", "{proxmox: {node: n1}}", "spec.proxmox.node=n1 allow"},
		"Avoid":      {"{}", "{proxmox: {avoid: [n2]}}", "spec.proxmox.avoid=n2 allow"},
		"Startup":    {"{}", "{startup: {order: 1}}", "spec.startup=order allow"},
		"Template":   {"{}", `{image: "local:vztmpl/debian-12.tar.zst"}`, "spec.image=local:vztmpl/debian-12.tar.zst allow"},
		"Firewall":   {"{firewall: Required}", "{network: {dhcp: true, firewall: true}}", "spec.firewall= firewall"},
		"Deletion":   {"{deletion: Required}", "{deletionPolicy: Orphan}", "spec.deletionPolicy=Orphan deletion"},
		"Swap":       {"{limits: {memory: 4Gi}}", "{size: {swap: 8Gi}}", "spec.size.swap=8192Mi limits.memory"},
		"Limits":     {"{limits: {cores: 1}}", "{}", "spec.size.cores=2 limits.cores"},
		"DataDisk":   {"{sites: {lab: {datastores: [local-zfs]}}}", "{disks: [{path: /srv, size: 8Gi, storage: ceph}]}", "spec.disks[0].storage=ceph sites.lab.datastores"},
		"Joined":     {"{clusters: {}}", "{network: {ip: 10.7.0.210}}", "spec.network.ip=10.7.0.210 clusters"},
		"Quota":      {"{quota: {cores: 1}}", "{}", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := claimed(t, "Container", "team-b", "a", "{image: debian-ct, proxmox: {}}")
			world.Merge(world.Object(c.Object["spec"]), world.FromYAML(t, tc.spec))

			outsideOf(t, tc.rule, "Container team-b/a", tc.want, c, object(t, `{
				apiVersion: virtualenvironmentcontainer.proxmoxbpg.m.crossplane.io/v1alpha1, kind: EnvironmentContainer,
				metadata: {name: a-container, namespace: team-b, labels: {crossplane.io/composite: a, homelab.io/namespace: team-b},
				  annotations: {crossplane.io/composition-resource-name: container, crossplane.io/external-name: "4200"}},
				spec: {providerConfigRef: {name: default, kind: ClusterProviderConfig}, managementPolicies: ["*"], forProvider: {nodeName: n1, vmId: 4200, cpu: [{cores: 2}], memory: [{dedicated: 4096}],
				  disk: [{datastoreId: local-zfs, size: 30}], initialization: [{ipConfig: [{ipv4: [{address: 10.7.0.101/24, gateway: 10.7.0.1}]}]}], networkInterface: [{name: eth0, bridge: vmbr0, vlanId: 30}]}},
				status: {atProvider: {id: "4200", nodeName: n1, vmId: 4200}}}`))
		})
	}
}

// TestRulesForNodesThatComeLater is the same of a K3sNode, of the cluster that it joined.
func TestRulesForNodesThatComeLater(t *testing.T) {
	cases := map[string]struct{ rule, k3s, want string }{
		"Cluster": {"{clusters: {}}", "{role: agent, cluster: home}", "spec.k3s.cluster=home clusters"},
		"Role":    {"{clusters: {home: [agent]}}", "{role: server, cluster: home}", "spec.k3s.role=server clusters.home"},
		"Agent":   {"{clusters: {home: [agent]}}", "{role: agent, cluster: home}", ""},
		"Own":     {"{clusters: {}}", "{role: agent, server: \"https://10.7.0.70:6443\", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			outsideOf(t, tc.rule, "K3sNode team-b/a", tc.want, claimed(t, "K3sNode", "team-b", "a", "{network: {ip: 10.7.0.101}, k3s: "+tc.k3s+"}"),
				composed(t, "proxmoxbpg.m.crossplane.io", "team-b", "a", "n1", "4200"))
		})
	}
}

// outsideOf a rule of the tenant is what there is, and nothing else.
func outsideOf(t *testing.T, rule, whose, want string, objects ...unstructured.Unstructured) {
	t.Helper()

	data := world.FromYAML(t, everything)
	world.Merge(world.Object(world.Object(world.Object(data["tenancy"])["tenants"])["team-b"]), world.FromYAML(t, rule))

	text, err := yaml.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}

	got, err := Of(catalogOf(t, string(text)), objects)
	if err != nil {
		t.Fatal(err)
	}

	if len(got.Unjudged) > 0 {
		t.Error(got.Unjudged)
	}

	var outside []string

	if field, key, is := strings.Cut(want, " "); is {
		outside = []string{whose + " " + field + " data.tenancy.tenants.team-b." + key}
	}

	if diff := cmp.Diff(outside, short(got.Tenants[0].Outside)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
