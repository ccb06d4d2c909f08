package behaviour

import (
	stdcmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// pairRules are those of two tenants, of whom the hostile one may do everything that there is a word for.
const pairRules = `
default: Deny
tenants:
  platform: {namespaces: [vault-*], clusters: {home: [server, agent]}, allow: [adopt, ha, mac, pin, privileged, snippets, startup, templates]}
  team-b: {namespaces: [team-b], clusters: {home: [agent]}, quota: {machines: 2}, allow: [adopt, ha, mac, pin, privileged, snippets, startup, templates]}
`

// A pair is a machine of the platform that runs, and a machine of another tenant that is after it.
type pair struct{ victim, hostile *machine }

// playedPair of an example and of the claim of another namespace.
func playedPair(t *testing.T, in world.Installation, kind, edit string) pair {
	t.Helper()

	e := fake.ExampleNamed(t, "nixos/dns01")
	e.Claim = world.Object(world.Copy(e.Claim))
	metadata := world.Object(e.Claim["metadata"])
	metadata["name"], metadata["namespace"] = "keystone", "vault-prod"

	victim := alone(t, e.Machine(in))
	world.Merge(victim.Spec(), world.FromYAML(t, `{hostname: vaultdns, proxmox: {vmId: 153}, network: {mac: "BC:24:11:00:00:53", ipv6: {ip: "fd00::53", cidr: 64}}, lifecycle: {approval: OnRisk}}`))

	victim.Catalogue = world.Object(world.Copy(victim.Catalogue))
	world.Object(victim.Catalogue["data"])["clusters"] = world.FromYAML(t, `{home: {server: "https://192.168.4.200:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}}`)
	victim.withTenancy(world.FromYAML(t, pairRules))
	victim.says(victim.Settle(), map[string]string{"MachineReady": "Running"})

	victim.Proxmox.Done = nil

	return pair{victim, victim.hostile(in, kind, "mallory", edit)}
}

// hostileSpecs are those of claims of which nothing is the platform's, by their kinds.
var hostileSpecs = map[string]string{
	"Machine": `{class: small, image: debian-12, deletionProtection: false, deletionPolicy: Delete, network: {ip: 192.168.4.77, cidr: 24, gateway: 192.168.4.1}, proxmox: {node: pve}}`,
	"K3sCluster": `{version: v1.33.6+k3s1, endpoint: "https://192.168.4.78:6443", token: {secretRef: {name: k3s-token, key: token}, allowPlaintext: true, trustOnFirstUse: true},
		deletionProtection: false, deletionPolicy: Delete, servers: {count: 1, class: small, image: debian-12}, nodes: [{name: server-0, ip: 192.168.4.77, proxmoxNode: pve}]}`,
	"ProxmoxSite": `{proxmox: {site: home}, deletionPolicy: Delete}`,
}

// hostile is the claim of team-b beside a machine, with the same catalogue.
func (m *machine) hostile(in world.Installation, kind, name, edit string) *machine {
	m.t.Helper()

	spec := world.FromYAML(m.t, stdcmp.Or(hostileSpecs[kind], hostileSpecs["Machine"]))
	world.Merge(spec, world.FromYAML(m.t, edit))

	other := m.beside(world.NewMachine(world.NewClaim(kind, "team-b", name, spec), in))
	other.Catalogue = m.Catalogue

	if kind == "K3sCluster" {
		other.Secrets = []map[string]any{world.FromYAML(m.t, "{apiVersion: v1, kind: Secret, metadata: {name: k3s-token, namespace: team-b}, stringData: {token: a-token-of-another-cluster}}")}
		other.Joins, other.Capabilities = true, capable
		other.RunNodes()
	}

	if kind == "ProxmoxSite" {
		other.Capabilities = capable
	}

	return other
}

// unharmed holds that the victim's VM is what it was, and that the hostile tenant is told of nothing of it.
func (p pair) unharmed(t *testing.T, when string) {
	t.Helper()

	vm := p.victim.Proxmox.VMs[153]
	if vm == nil || vm.Running == nil || vm.Starts != 1 {
		t.Errorf("%s: the platform's VM is %+v; done: %v", when, vm, p.victim.Proxmox.Done)
	}

	p.untouched(t, when)

	for _, name := range []string{"keystone", "vault-prod", "platform"} {
		if text := p.told(); strings.Contains(strings.ToLower(text), name) {
			t.Errorf("%s: the other tenant reads %q: %s", when, name, text)
		}
	}

	p.victim.says(p.victim.Turn(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
}

// untouched holds that nothing was done to the victim's VM.
func (p pair) untouched(t *testing.T, when string) {
	t.Helper()

	for _, done := range p.victim.Proxmox.Done {
		if strings.HasSuffix(done, " 153") {
			t.Errorf("%s: in Proxmox: %s", when, done)
		}
	}
}

// told is all that the hostile tenant reads: of its claim, and of the nodes of a cluster.
func (p pair) told() string {
	var all []string

	for _, m := range p.victim.Cluster().Machines {
		if m != p.victim.Machine {
			all = append(all, told(m.Call()))
		}
	}

	return strings.Join(all, "\n")
}

// turns of everybody.
func (p pair) turns(n int) {
	for range n {
		for _, m := range p.victim.Cluster().Machines {
			m.Reconcile(m.Call())
			m.Provide()
		}

		p.victim.Cluster().Beat(nil)
	}
}

// TestTwoTenants: whatever a claim of another namespace names that is the platform's, the platform's machine runs on, its claim is valid, and nothing of it is
// told: while the other one is made, edited, replaced and deleted.
func TestTwoTenants(t *testing.T) {
	t.Parallel()

	const (
		claimed = "VMID 153 belongs to another claim of this Proxmox, in another namespace"
		address = "is that of another claim of this Proxmox, which is not of tenant team-b"
		runs    = "VM 100 on node pve runs."
		image   = `image: "local:vztmpl/debian-12.tar.zst"`
	)

	cases := map[string]struct{ kind, spec, says string }{
		"AdoptsByNumber":    {"Machine", "{adopt: {vmId: 153}}", claimed},
		"AdoptsWithAGuess":  {"Machine", `{adopt: {vmId: 153, approve: "0123456789"}}`, claimed},
		"AdoptsByName":      {"Machine", "{adopt: {vmId: 153}, hostname: vaultdns}", claimed},
		"AdoptsAContainer":  {"Container", "{" + image + ", adopt: {vmId: 153}}", claimed},
		"Number":            {"Machine", "{proxmox: {vmId: 153}}", claimed},
		"NumberOfContainer": {"Container", "{" + image + ", proxmox: {vmId: 153}}", claimed},
		"MAC":               {"Machine", `{network: {mac: "BC:24:11:00:00:53"}}`, address},
		"Address":           {"Machine", "{network: {ip: 192.168.4.53}}", address},
		"AddressOfSecond":   {"Machine", "{nics: [{bridge: vmbr0, ip: 192.168.4.53, cidr: 24}]}", address},
		"ContainerAddress":  {"Container", "{" + image + ", network: {ip: 192.168.4.53}, proxmox: {vmId: 154}}", address},
		"ContainerMAC":      {"Container", "{" + image + `, network: {mac: "BC:24:11:00:00:53"}, proxmox: {vmId: 154}}`, address},
		"Name":              {"Machine", "{hostname: vaultdns}", runs},
		"Image":             {"Machine", `{image: "153"}`, "no image of the catalogue is template 153"},
		"Volume":            {"Machine", `{image: "local:import/vm-153-disk-0.raw"}`, runs},
		"Group":             {"Machine", "{rollout: {group: core, wave: 1}, proxmox: {spread: core}}", runs},
		"Agent":             {"K3sNode", `{hostname: vaultdns, k3s: {cluster: home, role: agent}}`, runs},
		"Server":            {"K3sNode", `{hostname: vaultdns, k3s: {cluster: home, role: server}}`, `"server": is no role of tenant team-b`},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			if tc.kind == "Container" && in.Name == "legacy" {
				continue // Its provider is too old for containers.
			}

			t.Run(name+in.Name, func(t *testing.T) {
				t.Parallel()

				p := playedPair(t, in, tc.kind, tc.spec)
				p.turns(6)

				if text := told(p.hostile.Call()); !strings.Contains(text, tc.says) {
					t.Errorf("%q is not in\n%s", tc.says, text)
				}

				p.unharmed(t, "made")

				p.hostile.Approve()
				p.turns(4)
				p.unharmed(t, "approved")

				world.Merge(p.hostile.Spec(), world.FromYAML(t, `{size: {cores: 2}, lifecycle: {replace: a, reboot: a, force: a}, approve: "0123456789"}`))
				p.turns(6)
				p.unharmed(t, "edited")

				p.hostile.Leave()
				p.hostile.Provide()
				p.victim.Settle()

				p.untouched(t, "deleted")
			})
		}
	}
}

// TestTwoTenantsApprove: a word of approval is about one claim, and the same word in another claim, or in the same claim for another edit, is none.
func TestTwoTenantsApprove(t *testing.T) {
	t.Parallel()

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			p := playedPair(t, in, "Machine", "{lifecycle: {approval: OnRisk}}")
			for range 8 {
				p.hostile.try()
			}

			p.victim.Proxmox.Done = nil
			edit := world.FromYAML(t, "{power: Stopped}")
			world.Merge(p.hostile.Spec(), edit)

			word := hash(t, p.hostile.Settle())

			world.Merge(p.victim.Spec(), edit)
			world.Merge(p.victim.Spec(), map[string]any{"lifecycle": map[string]any{"approve": word}})
			p.victim.Settle()

			if diff := cmp.Diff([]string(nil), p.victim.Proxmox.Done); diff != "" {
				t.Errorf("in Proxmox: -want, +got:\n%s", diff)
			}

			if own := hash(t, p.victim.Call()); own == word {
				t.Errorf("both claims have the word %s", word)
			}
		})
	}
}

// TestAnothersAddress: an edit brings in no address of another tenant. Within a tenant it is a warning, and what somebody had before the rules is theirs.
func TestAnothersAddress(t *testing.T) {
	t.Parallel()

	const edit = "{network: {ip: 192.168.4.53}}"

	for _, in := range world.Installations {
		t.Run(in.Name, func(t *testing.T) {
			p := playedPair(t, in, "Machine", "{}")
			p.hostile.Settle()
			world.Merge(p.hostile.Spec(), world.FromYAML(t, edit))
			p.hostile.refused(p.hostile.Call(), "is that of another claim of this Proxmox, which is not of tenant team-b")

			one := world.FromYAML(t, strings.Replace(pairRules, "namespaces: [team-b]", "namespaces: [nobody]", 1))
			world.Object(world.Object(one["tenants"])["platform"])["namespaces"] = []any{"vault-*", "team-b"}
			p.hostile.withTenancy(one)
			p.hostile.Turn() // It announces the address.
			p.hostile.says(p.hostile.Call(), map[string]string{"SpecValid": "Valid"})

			p.hostile.withTenancy(nil)
			p.hostile.Settle()
			p.hostile.withTenancy(world.FromYAML(t, pairRules))
			p.hostile.says(p.hostile.Settle(), map[string]string{"SpecValid": "Valid"})
			world.Merge(p.hostile.Spec(), world.FromYAML(t, "{lifecycle: {replace: a}}"))
			p.hostile.says(p.hostile.Call(), map[string]string{"SpecValid": "Valid"})
		})
	}
}
