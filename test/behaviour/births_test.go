package behaviour

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// Two claims that are committed together, each the wish of its tenant, who may do everything that there is a word for.
const (
	birthsOfTwo = `{default: Deny, tenants: {a: {namespaces: [team-a], allow: [mac, pin, templates]}, b: {namespaces: [team-b], allow: [mac, pin, templates]}}}`
	birthsOfOne = `{default: Deny, tenants: {ours: {namespaces: ["team-*"], quota: {machines: 1}, allow: [mac, pin, templates]}}}`
)

// birthOrders are how the calls for two claims can come.
func birthOrders() map[string]func(all []*machine) {
	return map[string]func(all []*machine){
		"InTurns": func(all []*machine) {
			for _, m := range all {
				m.try()
			}
		},
		"Backwards": func(all []*machine) {
			for _, m := range slices.Backward(all) {
				m.try()
			}
		},
		"AtOnce": func(all []*machine) { inOneMoment(all, 1) },
		"AtOnceBackwards": func(all []*machine) {
			var apply []func()

			for _, m := range all {
				rsp := m.Call()
				apply = append(apply, func() { m.applyUnlessFatal(rsp) })
			}

			for i, f := range slices.Backward(apply) {
				f()
				all[i].Provide()
			}
		},
	}
}

// bornTogether are claims of two kinds in the namespaces team-a and team-b, with what they share.
func bornTogether(t *testing.T, in world.Installation, kinds [2]string, tenancy, shared string) []*machine {
	t.Helper()

	first := exampleIn(t, "nixos/dns01", in)
	first.Cluster().Machines = nil

	catalogue := world.Object(world.Copy(first.Catalogue))
	world.Object(catalogue["data"])["tenancy"] = world.FromYAML(t, tenancy)
	world.Object(world.Object(catalogue["data"])["images"])["golden"] = world.FromYAML(t, "{template: 9000, templateDisk: scsi0}")

	var all []*machine

	for i, kind := range kinds {
		image, id := "debian-12", ""
		if kind == "Container" {
			image, id = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", fmt.Sprintf(", vmId: %d", 170+i)
		}

		spec := world.FromYAML(t, fmt.Sprintf(`{class: small, image: %q, deletionPolicy: Delete, deletionProtection: false,
			network: {ip: 192.168.4.7%d, cidr: 24, gateway: 192.168.4.1}, proxmox: {node: pve%s}}`, image, i, id))
		world.Merge(spec, world.FromYAML(t, shared))

		claim := world.NewClaim(kind, "team-"+string(rune('a'+i)), fmt.Sprintf("m%d", i), spec)
		all = append(all, &machine{Machine: first.Cluster().AddOn(first.Proxmox, world.NewMachine(claim, in)), t: t})
		all[i].Catalogue = catalogue
	}

	return all
}

// TestTwoBirths: of two claims that ask for the same in one moment, one gets it, in whichever order the calls come, and nothing is made for the other one. Its
// author reads why, and no name of another tenant's. Once the first one is gone the other one has it.
func TestTwoBirths(t *testing.T) {
	t.Parallel()

	const (
		address = "is that of another claim of this Proxmox, which is not of tenant"
		number  = "VMID 160 belongs to another claim of this Proxmox, in another namespace"
		record  = "is the name of another claim, which is not of tenant"
	)

	cases := map[string]struct {
		reason, tenancy, shared, says string
		kinds                         string // Those that it is played with, as one letter each; empty for all.
	}{
		"Address":         {"An IPv4 address.", birthsOfTwo, "{network: {ip: 192.168.4.60}}", address, ""},
		"IPv6":            {"An IPv6 address.", birthsOfTwo, `{network: {ipv6: {ip: "fd00::60", cidr: 64}}}`, address, ""},
		"MAC":             {"A MAC address.", birthsOfTwo, `{network: {mac: "BC:24:11:00:00:53"}}`, address, ""},
		"DNSRecord":       {"A name for external-dns. Containers have none.", birthsOfTwo, "{network: {dnsRecord: files.home.arpa}}", record, "MM"},
		"DNSWildcard":     {"One for all names below.", birthsOfTwo, `{network: {dnsRecord: "*.apps.home.arpa"}}`, record, "MM"},
		"VMID":            {"A VMID.", birthsOfTwo, "{proxmox: {vmId: 160}}", number, ""},
		"Quota":           {"What is left of a quota.", birthsOfOne, "{}", "tenant ours has no room for this", ""},
		"AddressOfClones": {"A clone waits for nothing.", birthsOfTwo, `{image: "9000", network: {ip: 192.168.4.60}}`, address, "MM"},
		"QuotaOfClones":   {"A clone waits for nothing.", birthsOfOne, `{image: "9000"}`, "tenant ours has no room for this", "MM"},
	}

	for name, tc := range cases {
		for _, kinds := range [][2]string{{"Machine", "Machine"}, {"Machine", "Container"}, {"Container", "Machine"}, {"Container", "Container"}} {
			for _, in := range world.Installations {
				letters := kinds[0][:1] + kinds[1][:1]
				if in.Name == "legacy" && (letters != "MM" || tc.says == record) || tc.kinds != "" && tc.kinds != letters {
					continue // The legacy installation's provider is too old for containers, and its Crossplane for DNS records.
				}

				for order, turn := range birthOrders() {
					t.Run(strings.Join([]string{name, letters, in.Name, order}, "/"), func(t *testing.T) {
						t.Parallel()

						all := bornTogether(t, in, kinds, tc.tenancy, tc.shared)
						for range 12 {
							turn(all)
						}

						winner, loser := all[0], all[1]
						if strings.HasSuffix(order, "Backwards") {
							winner, loser = loser, winner
						}

						winner.says(winner.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})

						if text := told(loser.Call()); !strings.Contains(text, tc.says) || strings.Contains(text, "/"+claimName(winner)) {
							t.Errorf("%s\nThe other one reads: %s", tc.reason, text)
						}

						if made := bornOf(all); made != 1 {
							t.Errorf("%s\n%d were made: %v", tc.reason, made, winner.Proxmox.Done)
						}

						winner.Leave()

						for range 12 {
							loser.try()
						}

						loser.says(loser.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
					})
				}
			}
		}
	}
}

// TestRefusedHoldsNoVMID: a claim that is refused for what its tenant, or another one, has already lets go of the VMID that it names, so that no tenant takes
// more numbers than its machines need by writing claims. It has the VMID again as soon as there is room.
func TestRefusedHoldsNoVMID(t *testing.T) {
	t.Parallel()

	cases := map[string]struct{ reason, tenancy, shared, refused string }{
		"Quota":   {"Another one has what was left of the quota.", birthsOfOne, "{}", "ConfigurationError"},
		"Address": {"Another tenant has the address.", birthsOfTwo, "{network: {ip: 192.168.4.60}}", "ValidationFailed"},
	}

	for name, tc := range cases {
		for _, kinds := range [][2]string{{"Machine", "Machine"}, {"Container", "Machine"}, {"Container", "Container"}} {
			for order, turn := range birthOrders() {
				t.Run(strings.Join([]string{name, kinds[0], kinds[1], order}, "/"), func(t *testing.T) {
					t.Parallel()

					all := bornTogether(t, world.Installations[len(world.Installations)-1], kinds, tc.tenancy, tc.shared)
					for i, m := range all {
						world.Merge(m.Spec(), map[string]any{"proxmox": map[string]any{"vmId": int64(170 + i)}})
					}

					for range 12 {
						turn(all)
					}

					winner, loser := all[0], all[1]
					if strings.HasSuffix(order, "Backwards") {
						winner, loser = loser, winner
					}

					if held := numbered(loser); len(held) > 0 {
						t.Errorf("%s The refused one holds its VMID with %v", tc.reason, held)
					}

					winner.says(winner.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
					loser.says(loser.Call(), map[string]string{"SpecValid": tc.refused})

					winner.Leave()

					for range 12 {
						loser.try()
					}

					loser.says(loser.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})

					if held := numbered(loser); len(held) == 0 {
						t.Errorf("%s Nothing has the VMID of the one that runs", tc.reason)
					}
				})
			}
		}
	}
}

// numbered are the managed resources of a claim that other claims see to have a VMID.
func numbered(m *machine) (out []string) {
	for name, o := range m.Observed {
		if world.Object(world.Object(o["metadata"])["labels"])["homelab.io/vm-id"] != nil {
			out = append(out, name)
		}
	}

	return out
}

// bornOf claims are how many VMs and containers were made.
func bornOf(all []*machine) (out int) {
	for _, done := range all[0].Proxmox.Done {
		if strings.HasPrefix(done, "make ") {
			out++
		}
	}

	return out
}

// TestBirthsOnOneNode: of two claims of tenants that pin machines to a node which has room for one of them, one gets it, in whichever order the calls come, and
// the other one waits. Without tenants both are made.
func TestBirthsOnOneNode(t *testing.T) {
	t.Parallel()

	const says = "pve has 2 GiB left of 6 GiB, and the machine needs 4 GiB of memory"

	for _, in := range world.Installations {
		for order, turn := range birthOrders() {
			t.Run(in.Name+order, func(t *testing.T) {
				t.Parallel()

				all := bornTogether(t, in, [2]string{"Machine", "Machine"}, birthsOfTwo, "{size: {cores: 2, memory: 4Gi}}")
				for _, m := range all {
					m.SetSite("home", "nodes", map[string]any{"pve": map[string]any{"memory": "8Gi", "bridges": []any{"vmbr0"}}})
				}

				for range 12 {
					turn(all)
				}

				winner, loser := all[0], all[1]
				if strings.HasSuffix(order, "Backwards") {
					winner, loser = loser, winner
				}

				winner.says(winner.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
				loser.says(loser.Call(), map[string]string{"SpecValid": "InsufficientCapacity"})

				if text := told(loser.Call()); !strings.Contains(text, says) || strings.Contains(text, claimName(winner)) {
					t.Errorf("the other one reads: %s", text)
				}

				loser.withTenancy(nil)

				for range 12 {
					loser.try()
				}

				loser.says(loser.Call(), map[string]string{"MachineReady": "Running"})
			})
		}
	}
}
