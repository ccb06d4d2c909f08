package properties

import (
	"maps"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"sigs.k8s.io/yaml"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/input/v1beta1"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// richCatalogue has something of everything. All nodes of its sites have the same, so that any claim fits any of them.
const richCatalogue = `
apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults:
    site: home
    class: small
    adminUser: ops
    sshAuthorizedKeys: ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam ops@home"]
  classes:
    quorum: {cores: 1, memory: 4Gi, disk: 50Gi, cpuType: host}
    gpu: {cores: 8, memory: 32Gi, disk: 200Gi, cpuType: x86-64-v3}
  images:
    kept: {url: "https://example.org/images/kept.img", fileName: kept.qcow2, keepFileName: true, os: ubuntu}
    debian: {volume: "local:import/debian-13.qcow2", os: debian, guestAgent: true, disk: 10Gi}
    raw: {volume: "local:iso/debian.img", os: debian}
    uefi: {url: "https://example.org/images/uefi.qcow2", os: linux, firmware: {type: uefi, machine: q35}}
    haos: {volume: "local:import/haos.qcow2", os: linux, cloudInit: false, guestAgent: true, disk: 32Gi, firmware: {type: uefi}}
    installer: {volume: "local:iso/installer.iso"}
    template: {template: 9001, templateNode: pve1, os: debian, disk: 10Gi}
    template-virtio: {template: 9002, templateNode: pve2, os: ubuntu, templateDisk: virtio0, guestAgent: true}
    template-uefi: {template: 9005, os: debian, firmware: {type: uefi, machine: q35}}
    by-number: {template: 9003, os: debian}
    by-text: {template: 9004, os: ubuntu}
    nixos: {template: 9000, templateNode: pve1, os: nixos, templateDisk: virtio0, convergeUnit: true, disk: 20Gi}
    nixos-volume: {volume: "local:import/nixos.qcow2", os: nixos}
    nixos-agent: {volume: "local:import/nixos-agent.qcow2", os: nixos, guestAgent: true, convergeUnit: true}
  sites:
    home:
      providerConfig: home
      nodes: &nodes
        pve1: &node
          bridges: [vmbr0, vmbr1]
          datastores: {disks: local-zfs, images: local, snippets: local}
          storages: {local: [import, iso, snippets], local-lvm: [images], local-zfs: [images], tank: [images]}
          pci: [gpu0, gpu1]
          usb: [coral, zigbee]
        pve2: *node
        pve3: *node
      network: {bridge: vmbr0, gateway: 192.168.4.1, dns: [192.168.4.1], cidr: 24, domain: home.arpa, pool: 192.168.4.60-192.168.4.69}
      sharedDatastores: &shared [local, local-zfs, tank]
      vmIds: {from: 4000, to: 4009}
      firewall: &firewall {groups: [web]}
    lab:
      nodes: *nodes
      firewall: *firewall
      network: {cidr: 24, pool: [192.168.5.60-192.168.5.69]}
      sharedDatastores: *shared
    claimed:
      nodes: *nodes
      firewall: *firewall
      network: {gateway: 192.168.6.1, pool: {kind: InClusterIPPool, name: lab}}
      sharedDatastores: *shared
  clusters:
    home:
      server: https://k3s.home.arpa:6443
      version: v1.33.6+k3s1
      disable: [servicelb]
      token: {secretRef: {name: k3s-join-token}, allowPlaintext: true}
      config: {secrets-encryption: true, etcd-snapshot-retention: 20}
    filed: {server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}
`

// laterCatalogue is what somebody made of it: all that a machine takes from a catalogue is another one.
const laterCatalogue = `
data:
  defaults: {adminUser: root2, sshAuthorizedKeys: [], firewall: {preset: ssh, allow: [{port: 443}]}}
  classes: {quorum: {cores: 2, memory: 2Gi, disk: 40Gi}, small: {cores: 3, memory: 3Gi, disk: 41Gi}}
  images:
    kept: {url: "https://example.org/images/kept-2.img", fileName: kept-2.qcow2}
    debian: {volume: "local:import/debian-14.qcow2", guestAgent: false}
    template: {template: 9011, templateNode: pve2}
    nixos: {template: 9010, convergeUnit: false}
    uefi: {firmware: {type: bios}}
  sites:
    home:
      providerConfig: home-2
      nodes: {pve1: {datastores: {disks: tank}}, pve2: {datastores: {disks: tank}}, pve3: {datastores: {disks: tank}}}
      network: {bridge: vmbr1, gateway: 192.168.4.2, dns: [], domain: other.arpa, pool: [192.168.4.80-192.168.4.81, 192.168.4.90]}
      vmIds: {from: 5000, to: 5009}
    lab: {providerConfig: lab-2, network: {bridge: vmbr1, dns: [192.168.4.1]}}
    claimed: {network: {gateway: 192.168.6.2, cidr: 24, pool: 192.168.6.80-192.168.6.89}}
  clusters: {home: {version: v1.34.1+k3s1}}
`

// joinSecrets are those that K3s nodes name.
var joinSecrets = []map[string]any{{
	"apiVersion": "v1", "kind": "Secret",
	"metadata":   map[string]any{"name": "k3s-join-token", "namespace": "infra"},
	"stringData": map[string]any{"token": "K101c6ebd2b4f64c7c3a9de2bdb9a66a1d6c1f0d7a3e7a9b8c5d4e3f2a1b0c9d8e7::server:example-only-not-a-token"},
}}

// A pair is an edit of a claim: a first and a second spec of one machine, and what surrounds them.
type pair struct {
	installation   world.Installation
	kind           string
	first, second  map[string]any
	catalogueMoves bool              // Whether the second sees another catalogue, too.
	apiMoves       bool              // Whether the second sees another generation of the API of the provider.
	taken          []int             // Numbers of VMs in Proxmox that nobody in this cluster made.
	claimed        []int             // Numbers of other machines' VMs.
	adopts         bool              // Whether the machine begins as one of those that are taken.
	takes          int               // When somebody takes the machine's number while its VM is created; see taker. 0: nobody does.
	handmade       bool              // Whether these are unlike any that the function would make.
	silent         bool              // Whether the guest agents of these do not answer.
	away           bool              // Whether these are on a Proxmox node that does not answer.
	requested      bool              // Whether the other machines have only asked for their numbers.
	left           bool              // Whether a managed resource of the machine's VM was left behind by a composite before.
	fails          bool              // Whether the VM cannot be created at first.
	servers        []serverCondition // Of the other servers of the machine's K3s cluster.
	node           nodeCondition     // Of the machine's Kubernetes Node.
	weather        int               // How many times its Proxmox node dies or returns; see weather.
	entry          bool              // Whether the VM is in HA before its claim says so.
}

// pair of machines of a shape. The second spec is the first with some fields of another one, or another one altogether.
func (d draw) pair(s shape) pair {
	p := pair{installation: pick(d, world.Installations...), kind: s.kind, first: d.spec(s), catalogueMoves: d.chance(15), apiMoves: d.chance(10)}
	d.neighbourhood(&p)

	switch {
	case d.chance(20):
		d.boot(&s)
		p.second = d.spec(s)
	case d.chance(60):
		p.second = d.mixed(p.first, d.spec(s))
	default:
		p.second = d.spec(s)
	}

	if p.adopts {
		p.first, p.second = withoutNumber(p.first), withoutNumber(p.second)
	}

	// These are drawn last, so that they change no pair that has none of them.
	p.silent, p.fails = d.chance(30), d.chance(10)
	d.replacement(&p, s)

	if d.chance(25) {
		p.takes = 1 + d.IntN(lastMoment)
	}

	p.away, p.requested, p.left = d.chance(20), d.chance(30), d.chance(4) && !p.adopts

	p.second = sameMember(p.first, p.second)
	p.node = drawNode(p)

	return p
}

// sameMember is a later spec of a K3s node that is what the first one made of its VM: of the same cluster, with the same vote. Any other edit is refused, which
// TestNoEditHidesAServer has.
func sameMember(first, later map[string]any) map[string]any {
	was, is := world.Object(first["k3s"]), world.Object(later["k3s"])
	if was == nil || is == nil {
		return later
	}

	for _, field := range []string{"cluster", "clusterName", "role"} {
		later = with(later, []string{"k3s", field}, was[field])
	}

	// What an entry of the catalogue said has to be said by the claim.
	for _, field := range []string{"server", "version", "token", "init"} {
		if is[field] == nil && was["cluster"] == nil {
			later = with(later, []string{"k3s", field}, was[field])
		}
	}

	for _, key := range []string{"disable-etcd", "datastore-cafile", "datastore-certfile", "datastore-keyfile"} {
		if before, now := world.Object(was["config"])[key], world.Object(is["config"])[key]; before != now {
			later = with(later, []string{"k3s", "config", key}, before)
		}
	}

	return later
}

// mixed is a spec with a few of another one's fields.
func (d draw) mixed(spec, other map[string]any) map[string]any {
	out := maps.Clone(spec)

	for _, field := range world.UnionKeys(spec, other) {
		if !d.chance(25) {
			continue
		}

		delete(out, field)

		if v, ok := other[field]; ok {
			out[field] = v
		}
	}

	return out
}

// catalogues of before and after somebody changed them.
var catalogues = func() map[bool]map[string]any {
	read := func(text string) map[string]any {
		var out any
		if err := yaml.Unmarshal([]byte(text), &out); err != nil {
			panic(err)
		}

		// What shared a YAML anchor becomes several things, so that one can be changed alone.
		return world.Object(world.Copy(out))
	}

	later := read(richCatalogue)
	world.Merge(later, read(laterCatalogue))

	return map[bool]map[string]any{false: read(richCatalogue), true: later}
}()

// claim with a spec.
func (p pair) claim(spec map[string]any) map[string]any {
	return map[string]any{
		"apiVersion": "homelab.io/v1alpha1", "kind": p.kind,
		"metadata": map[string]any{"name": "m1", "namespace": "infra", "labels": map[string]any{"tenant-id": "Acme"}},
		"spec":     world.Object(world.Copy(spec)),
	}
}

// machine of the first spec, whose calls f answers.
func (p pair) machine(t testing.TB, f world.Function) *world.Machine {
	t.Helper()

	m := fake.NewCluster(t, f).Add(world.NewMachine(p.claim(p.first), p.installation))
	m.Cluster().Memory = messages
	m.Catalogue, m.Secrets, m.Constant = p.catalogue(false), joinSecrets, true
	m.Cluster().IPAM.Pools = map[string]*world.IPPool{
		"InClusterIPPool lab": {Addresses: []string{"192.168.6.60", "192.168.6.61"}, Prefix: 24, Gateway: "192.168.6.254"},
	}
	// Two calls less an answer.
	m.StepRequires = []string{world.CatalogueRequirement, world.TokenRequirement}
	p.populate(t, m)
	p.node.appear(m)

	if p.adopts {
		m.Spec()["adopt"] = map[string]any{"vmId": float64(adoptedID)}
	}

	return m
}

// write a spec into the composite, as an API server and Crossplane do: theirs stays, and so does an adoption.
func (p pair) write(m *world.Machine, spec map[string]any) {
	old, next := m.Spec(), world.Object(world.Copy(spec))
	for _, f := range []string{"claimRef", "adopt"} {
		if v, ok := old[f]; ok {
			next[f] = v
		}
	}

	m.Composite["spec"] = next
}

// edit the claim.
func (p pair) edit(m *world.Machine) {
	p.write(m, p.second)
	m.Catalogue = p.catalogue(p.catalogueMoves)

	if p.apiMoves && !p.installation.Namespaced {
		m.Input["providerAPI"] = map[v1beta1.ProviderAPI]any{v1beta1.ProviderAPICluster: "legacy", v1beta1.ProviderAPILegacy: "cluster"}[p.installation.API]
	}
}

// revert the edit.
func (p pair) revert(m *world.Machine) {
	p.write(m, p.first)
	m.Catalogue = p.catalogue(false)

	if !p.installation.Namespaced {
		m.Input["providerAPI"] = string(p.installation.API)
	}
}

func (p pair) String() string {
	y, err := yaml.Marshal(map[string]any{
		"installation": p.installation.Name, "kind": p.kind, "first": p.first, "second": p.second, "catalogueMoves": p.catalogueMoves, "apiMoves": p.apiMoves,
		"taken": p.taken, "claimed": p.claimed, "takes": p.takes, "adopts": p.adopts, "handmade": p.handmade,
		"silent": p.silent, "away": p.away, "requested": p.requested, "left": p.left, "fails": p.fails, "servers": p.servers, "node": p.node,
		"weather": p.weather, "entry": p.entry,
	})
	if err != nil {
		return err.Error()
	}

	return string(y)
}

// rest lets function, Crossplane and provider take turns until nothing changes, and checks every answer.
func rest(t testing.TB, m *world.Machine, check func(rsp *fnv1.RunFunctionResponse)) *fnv1.RunFunctionResponse {
	t.Helper()

	var last *fnv1.RunFunctionResponse

	for range 20 {
		rsp := m.Call()
		check(rsp)

		if proto.Equal(rsp, last) {
			break
		}

		m.Apply(rsp)

		// Crossplane calls again before the provider has seen what it is to create.
		if slices.ContainsFunc(vmsOf(m), func(name string) bool { return creating(m.Observed[name]) }) {
			check(m.Call())
		}

		m.Provide()

		last = rsp
	}

	return last
}

// vmsOf what is observed, by composed resource name.
func vmsOf(m *world.Machine) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m.Observed)), func(n string) bool { return m.Observed[n]["kind"] != "EnvironmentVM" })
}
