package behaviour

import (
	"fmt"
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// kindPairs are two claims of which at least one is a Container.
func kindPairs() [][2]string {
	return [][2]string{{"Machine", "Container"}, {"Container", "Machine"}, {"Container", "Container"}}
}

// sharingClaim is a claim of a kind, with its own VMID.
func sharingClaim(t *testing.T, in world.Installation, kind, name string, vmID int, edit string) *world.Machine {
	t.Helper()

	image := "debian-12"
	if kind == "Container" {
		image = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"
	}

	claim := world.NewClaim(kind, "infra-machines", name, world.FromYAML(t, fmt.Sprintf(`{image: %q, size: {cores: 1, memory: 2Gi, disk: 8Gi}, deletionProtection: false,
		deletionPolicy: Delete, network: {ip: 192.168.4.9%d/24}, proxmox: {node: pve, vmId: %d}}`, image, vmID%10, vmID)))
	world.Merge(world.Object(claim["spec"]), world.FromYAML(t, edit))

	return world.NewMachine(claim, in)
}

// sharesAddress says whether an answer and the plan warn of a shared address.
func sharesAddress(m *machine, rsp *fnv1.RunFunctionResponse, want string) (out []string) {
	for where, text := range map[string]string{"the condition": world.Message(rsp, "SpecValid"), "the plan": strings.Join(m.explained(), "\n")} {
		if !strings.Contains(text, want) {
			out = append(out, where+" does not say it: "+text)
		}
	}

	return out
}

// TestContainersShareAddresses: a container is not made while a machine or a container that runs has an address of it in the same network, and a VM neither
// beside a container; each says so in the same words. Beside one that is off, it is made with a warning. So it is when an edit brings the address in.
func TestContainersShareAddresses(t *testing.T) {
	t.Parallel()

	const has = `{network: {ip: 192.168.4.60/24, mac: "BC:24:11:00:00:01", ipv6: {ip: "fd00::60/64"}}, nics: [{bridge: vmbr1, ip: 10.0.0.60/24, mac: "BC:24:11:00:00:02"}]}`

	cases := map[string]struct {
		reason string
		edit   string
		field  string // Empty where nothing is shared.
		value  string
	}{
		"IPv4":           {"The same address.", `{network: {ip: 192.168.4.60/24}}`, "spec.network.ip", "192.168.4.60"},
		"IPv6":           {"Another spelling of the same address.", `{network: {ipv6: {ip: "fd00:0::60/64"}}}`, "spec.network.ipv6.ip", "fd00:0::60"},
		"MAC":            {"A MAC address.", `{network: {mac: "BC:24:11:00:00:01"}}`, "spec.network.mac", "BC:24:11:00:00:01"},
		"Further":        {"An address of a further interface.", `{nics: [{bridge: vmbr1, ip: 10.0.0.60/24}]}`, "spec.nics[0].ip", "10.0.0.60"},
		"FurtherMAC":     {"The MAC address of a further interface.", `{nics: [{bridge: vmbr1, mac: "BC:24:11:00:00:02"}]}`, "spec.nics[0].mac", "BC:24:11:00:00:02"},
		"AnotherNetwork": {"Another VLAN is another network.", `{proxmox: {vlan: 7}, network: {ip: 192.168.4.60/24}}`, "", ""},
		"AnotherAddress": {"Nobody has it.", `{network: {ip: 192.168.4.61/24, mac: "BC:24:11:00:00:03"}}`, "", ""},
	}

	for name, tc := range cases {
		for _, kinds := range kindPairs() {
			for _, in := range withContainers() {
				t.Run(strings.Join([]string{name, kinds[0], kinds[1], in.Name}, "/"), func(t *testing.T) {
					t.Parallel()

					edit := tc.edit
					if kinds[1] == "Container" {
						edit = strings.Replace(edit, "{proxmox: {vlan: 7}, network: {", "{network: {vlan: 7, ", 1)
					}

					first := alone(t, sharingClaim(t, in, kinds[0], "first", 171, has))
					first.says(first.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})

					second := first.beside(sharingClaim(t, in, kinds[1], "second", 172, edit))
					second.staysUnmade(tc.reason, kinds[1], tc.field, tc.value)

					first.Spec()["power"] = "Stopped"
					for range 6 {
						first.Turn()
					}

					second.says(second.Rest(), map[string]string{"MachineReady": "Running"})
					second.asksNothing(t)

					// The same by an edit of one that lives.
					third := first.beside(sharingClaim(t, in, kinds[1], "third", 173, `{nics: [{bridge: vmbr1, ip: 10.0.0.90/24}]}`))
					first.Rest()
					second.Leave()
					third.Rest()
					third.Proxmox.Done = nil
					world.Merge(third.Spec(), world.FromYAML(t, edit))

					for i := range 4 {
						rsp := third.Turn()
						if want := tc.field + ": " + tc.value + " is the address of infra-machines/first, too"; tc.field != "" {
							for _, e := range sharesAddress(third, rsp, want) {
								t.Errorf("%s In call %d %s", tc.reason, i, e)
							}
						}
					}

					noOutage(t, tc.reason, third.Proxmox)
				})
			}
		}
	}
}

// staysUnmade says whether a new VM or container is not made, because infra-machines/first has its address; and is made where there is none, or with a value
// of lifecycle.force.
func (m *machine) staysUnmade(reason, kind, field, value string) {
	m.t.Helper()

	last := m.Rest()
	if field == "" {
		m.says(last, map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		return
	}

	m.says(last, map[string]string{"MachineReady": "AddressInUse"})

	what := map[string]string{"Machine": "The VM", "Container": "The container"}[kind]
	want := what + " is not created, because " + value + " of " + field + " is the address of infra-machines/first, which runs in the same network"

	if msg := world.Message(last, "MachineReady"); !strings.HasPrefix(msg, want) {
		m.t.Errorf("%s\nwant %q in: %s", reason, want, msg)
	}

	if text := strings.Join(m.explained(), "\n"); !strings.Contains(text, "waits: "+value+" is the address of infra-machines/first") {
		m.t.Errorf("%s\nThe plan does not say what it waits for: %s", reason, text)
	}

	if made := len(m.Proxmox.VMs) + len(m.Proxmox.Containers); made != 1 {
		m.t.Errorf("%s\nit is made: %v", reason, m.Proxmox.Done)
	}
}

// TestContainersForced: lifecycle.force is a person's word that two networks have one name.
func TestContainersForced(t *testing.T) {
	t.Parallel()

	for _, kinds := range kindPairs() {
		for _, in := range withContainers() {
			t.Run(strings.Join([]string{kinds[0], kinds[1], in.Name}, "/"), func(t *testing.T) {
				t.Parallel()

				const shared = `{network: {ip: 192.168.4.60/24}}`

				first := alone(t, sharingClaim(t, in, kinds[0], "first", 171, shared))
				first.Rest()

				second := first.beside(sharingClaim(t, in, kinds[1], "second", 172, shared))
				second.says(second.Rest(), map[string]string{"MachineReady": "AddressInUse"})

				second.edit(`{lifecycle: {force: "2026-11-20"}}`)
				second.says(second.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
				second.asksNothing(t)
			})
		}
	}
}

// TestContainersBornTogether: of two claims of nobody's tenant that ask for one address in one moment, one is made, in whichever order the calls come, and the
// other one waits for it and says so. Once the first one is gone the other one has it.
func TestContainersBornTogether(t *testing.T) {
	t.Parallel()

	cases := map[string]string{
		"IPv4": `{network: {ip: 192.168.4.60/24}}`, "IPv6": `{network: {ipv6: {ip: "fd00::60/64"}}}`, "MAC": `{network: {mac: "BC:24:11:00:00:53"}}`,
		"Further": `{nics: [{bridge: vmbr1, ip: 10.0.0.60/24}]}`,
	}

	for name, shared := range cases {
		for _, kinds := range kindPairs() {
			for _, in := range withContainers() {
				for order, turn := range birthOrders() {
					t.Run(strings.Join([]string{name, kinds[0], kinds[1], in.Name, order}, "/"), func(t *testing.T) {
						t.Parallel()

						winner := alone(t, sharingClaim(t, in, kinds[0], "first", 171, shared))
						loser := winner.beside(sharingClaim(t, in, kinds[1], "second", 172, shared))
						all := []*machine{winner, loser}

						for range 12 {
							turn(all)
						}

						if strings.HasSuffix(order, "Backwards") {
							winner, loser = loser, winner
						}

						winner.says(winner.Call(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
						loser.says(loser.Call(), map[string]string{"MachineReady": "AddressInUse"})

						if made := bornOf(all); made != 1 {
							t.Errorf("%d were made: %v", made, winner.Proxmox.Done)
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

// TestContainersEditedTogether: of two that run and are given one address in one moment, both by an edit, the younger one says so as long as it is so, also
// while the address waits for a restart of a container. Nothing stops, and once one of them has another address, neither asks for the other one any more.
func TestContainersEditedTogether(t *testing.T) {
	t.Parallel()

	const warning = "spec.network.ip: 192.168.4.60 is the address of "

	for _, kinds := range kindPairs() {
		for _, in := range withContainers() {
			for order, turn := range birthOrders() {
				t.Run(strings.Join([]string{kinds[0], kinds[1], in.Name, order}, "/"), func(t *testing.T) {
					t.Parallel()

					first := alone(t, sharingClaim(t, in, kinds[0], "first", 171, "{}"))
					first.Rest()

					second := first.beside(sharingClaim(t, in, kinds[1], "second", 172, "{}"))
					second.Rest()

					all := []*machine{first, second}
					first.Proxmox.Done = nil

					everywhere(all, func(m *machine) { m.edit("{network: {ip: 192.168.4.60/24}}") })

					for range 6 {
						turn(all)
					}

					var told []*machine

					for _, m := range all {
						if strings.Contains(world.Message(m.Call(), "SpecValid"), warning) {
							told = append(told, m)
						}
					}

					if len(told) == 0 || strings.HasPrefix(order, "AtOnce") && (len(told) != 1 || told[0] != second) {
						t.Errorf("%d of them say that they share an address", len(told))
					}

					noOutage(t, "", first.Proxmox)

					first.edit("{network: {ip: 192.168.4.91/24}}")

					everywhere(all, func(m *machine) { m.edit(`{lifecycle: {reboot: "2026-11-20"}}`) })

					for range 12 {
						turn(all)
					}

					for _, m := range all {
						m.says(m.Call(), map[string]string{"SpecValid": "Valid"})
						m.asksNothing(t)
					}
				})
			}
		}
	}
}

// TestAdoptedContainersBringNoAddress: an adopted container refuses another address. So nobody has it, and a machine that asks for it is made.
func TestAdoptedContainersBringNoAddress(t *testing.T) {
	t.Parallel()

	for _, in := range withContainers() {
		t.Run(in.Name, func(t *testing.T) {
			t.Parallel()

			ct := alone(t, sharingClaim(t, in, "Container", "first", 171, "{}"))
			ct.Rest()
			world.Object(world.Object(ct.Observed["container"]["metadata"])["annotations"])["homelab.io/adopted"] = "true"
			ct.edit(`{network: {ip: 192.168.4.60/24}}`)
			ct.says(ct.Rest(), map[string]string{"ReplacementRequired": "ImmutableFieldChanged", "SpecValid": "Valid"})
			ct.asksNothing(t)

			if brings := world.Annotation(ct.Observed["container"], "homelab.io/brings"); brings != "" {
				t.Errorf("It announces %s", brings)
			}

			vm := ct.beside(sharingClaim(t, in, "Machine", "second", 172, `{network: {ip: 192.168.4.60/24}}`))
			vm.says(vm.Rest(), map[string]string{"MachineReady": "Running", "SpecValid": "Valid"})
		})
	}
}
