package behaviour

import (
	"strings"
	"testing"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestSharedAddress: a VM is not made while another machine that runs has an address of it in the same network, and says so; beside one that is off, it is made
// with a warning, as an event, in the condition and in the plan. So it is when an edit brings the address in.
func TestSharedAddress(t *testing.T) {
	const has = `{network: {ip: 192.168.4.60, cidr: 24, mac: "bc:24:11:00:00:01", ipv6: {ip: "fd00::60", cidr: 64}}, ` +
		`nics: [{bridge: vmbr1, ip: 10.0.0.60, cidr: 24, mac: "bc:24:11:00:00:02"}]}`

	cases := map[string]struct {
		reason string
		edit   string
		want   []string
	}{
		"IPv4": {"The same address.", `{network: {ip: 192.168.4.60, cidr: 24}}`, []string{"spec.network.ip: 192.168.4.60 is the address of infra-machines/first, too"}},
		"IPv6": {
			"Another spelling of the same address.", `{network: {ip: 192.168.4.70, cidr: 24, ipv6: {ip: "fd00:0::60", cidr: 64}}}`,
			[]string{"spec.network.ipv6.ip: fd00:0::60 is the address of infra-machines/first, too"},
		},
		"MAC": {
			"Whatever case it has.", `{network: {ip: 192.168.4.70, cidr: 24, mac: "BC:24:11:00:00:01"}}`,
			[]string{"spec.network.mac: BC:24:11:00:00:01 is the address of infra-machines/first, too"},
		},
		"FurtherInterface": {
			"Further interfaces are compared with each other.", `{nics: [{bridge: vmbr1, ip: 10.0.0.60, cidr: 24, mac: "bc:24:11:00:00:02"}]}`,
			[]string{"spec.nics[0].ip: 10.0.0.60", "spec.nics[0].mac: BC:24:11:00:00:02"},
		},
		"AnotherVLAN":    {"It is another network.", `{proxmox: {vlan: 7}, network: {ip: 192.168.4.60, cidr: 24}}`, nil},
		"AnotherBridge":  {"It is another network.", `{proxmox: {bridge: vmbr7}, network: {ip: 192.168.4.60, cidr: 24}}`, nil},
		"AnotherAddress": {"Nobody has it.", `{network: {ip: 192.168.4.61, cidr: 24, mac: "bc:24:11:00:00:03"}}`, nil},
	}

	for name, tc := range cases {
		for _, in := range world.Installations {
			t.Run(name+"/"+in.Name, func(t *testing.T) {
				claim := func(name, edit string) *world.Machine {
					c := world.NewClaim("Machine", "infra-machines", name, world.FromYAML(t, `{image: debian-12, proxmox: {node: pve}}`))
					world.Merge(world.Object(c["spec"]), world.FromYAML(t, edit))

					return world.NewMachine(c, in)
				}

				first := alone(t, claim("first", has))
				first.Rest()

				second := first.beside(claim("second", tc.edit))
				second.isKept(t, tc.reason, tc.want)

				first.Spec()["power"] = "Stopped"
				for range 6 {
					first.Turn()
				}

				second.warns(t, tc.reason, second.Call(), tc.want)
				second.says(second.Rest(), map[string]string{"MachineReady": "Running"})
				second.asksNothing(t)
				first.asksNothing(t)

				// The same by an edit of a machine that lives.
				third := first.beside(claim("third", `{network: {ip: 192.168.4.90, cidr: 24}, nics: [{bridge: vmbr1, ip: 10.0.0.90, cidr: 24}]}`))
				first.Rest()
				second.Leave()
				world.Merge(third.Spec(), world.FromYAML(t, tc.edit))
				third.warns(t, tc.reason, third.Call(), tc.want)
				first.Rest()

				if len(tc.want) == 0 {
					third.asksNothing(t)
				}

				for _, w := range tc.want {
					if msg := world.Message(third.Call(), "SpecValid"); !strings.Contains(msg, w) {
						t.Errorf("%s\nIt is said once, and not as long as it is so: %s", tc.reason, msg)
					}
				}
			})
		}
	}
}

// isKept says whether a new VM is not made while another machine has one of these addresses; and is made where there is none.
func (m *machine) isKept(t *testing.T, reason string, addresses []string) {
	t.Helper()

	last := m.Rest()

	if len(addresses) == 0 {
		m.says(last, map[string]string{"MachineReady": "Running"})
		return
	}

	m.says(last, map[string]string{"MachineReady": "AddressInUse"})

	field, address, _ := strings.Cut(strings.TrimSuffix(addresses[0], " is the address of infra-machines/first, too"), ": ")
	if msg, want := world.Message(last, "MachineReady"), address+" of "+field+" is the address of infra-machines/first, which runs"; !strings.Contains(msg, want) {
		t.Errorf("%s\nwant %q in: %s", reason, want, msg)
	}

	if len(m.Proxmox.VMs) != 1 {
		t.Errorf("%s\nit is made: %v", reason, m.Proxmox.Done)
	}
}

// warns says whether an answer has these warnings about addresses as events, in the condition and in the plan, and no others.
func (m *machine) warns(t *testing.T, reason string, rsp *fnv1.RunFunctionResponse, want []string) {
	t.Helper()

	plan := m.explained()

	var events []string

	for _, r := range rsp.GetResults() {
		if r.GetReason() == "SpecWarning" && strings.Contains(r.GetMessage(), "is the address of") {
			events = append(events, r.GetMessage())
		}
	}

	if len(events) != len(want) {
		t.Errorf("%s\nevents: want %q, got %q", reason, want, events)
	}

	for _, w := range want {
		for where, text := range map[string]string{
			"the events": strings.Join(events, " "), "the condition": world.Message(rsp, "SpecValid"), "the plan": strings.Join(plan, "\n"),
		} {
			if !strings.Contains(text, w) {
				t.Errorf("%s\n%s do not say %q: %s", reason, where, w, text)
			}
		}
	}
}

// asksNothing says whether a machine at rest asks for no more than its catalogue.
func (m *machine) asksNothing(t *testing.T) {
	t.Helper()

	for name := range m.Call().GetRequirements().GetResources() {
		if strings.HasPrefix(name, "address-") {
			t.Errorf("at rest it asks for %s", name)
		}
	}
}

// TestSharedAddressOfReplacement: the VM that a machine replaces has its addresses, and is nobody else.
func TestSharedAddressOfReplacement(t *testing.T) {
	m := example(t, "plain-debian/files01")
	m.Rest()
	m.replace("today")
	delete(world.Object(m.Spec()["proxmox"]), "vmId")

	for range 12 {
		if msg := world.Message(m.Turn(), "SpecValid"); strings.Contains(msg, "is the address of") {
			t.Fatalf("it warns of itself: %s", msg)
		}
	}
}

// TestSharedHostName: a new machine with the host name of another one says so, where it was given the other one's VM for another reason, here an
// address that the two share; what lives is not asked about.
func TestSharedHostName(t *testing.T) {
	const is = "spec.hostname: dns01 is the host name of infra-machines/first, too"

	cases := map[string]struct {
		reason string
		edit   string
		want   bool
	}{
		"Same":          {"One name, one domain.", `{hostname: dns01, network: {domain: home.arpa}}`, true},
		"AnotherName":   {"Two names.", `{hostname: dns02, network: {domain: home.arpa}}`, false},
		"AnotherDomain": {"Two full names.", `{hostname: dns01, network: {domain: lab.arpa}}`, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			in := world.Installations[0]
			claim := func(name, edit string) *world.Machine {
				c := world.NewClaim("Machine", "infra-machines", name, world.FromYAML(t, `{image: debian-12, proxmox: {node: pve}, network: {ip: 192.168.4.60, cidr: 24}}`))
				world.Merge(world.Object(c["spec"]), world.FromYAML(t, edit))

				return world.NewMachine(c, in)
			}

			first := alone(t, claim("first", `{hostname: dns01, power: Stopped, network: {domain: home.arpa}}`))
			first.Rest()

			second := first.beside(claim("second", tc.edit))
			rsp := second.Call()

			if got := strings.Contains(world.Message(rsp, "SpecValid"), is); got != tc.want {
				t.Errorf("%s\nwarned: %v, want %v: %s", tc.reason, got, tc.want, world.Message(rsp, "SpecValid"))
			}

			first.Rest()

			if msg := world.Message(second.Call(), "SpecValid"); strings.Contains(msg, "is the host name of") {
				t.Errorf("it still warns when it lives: %s", msg)
			}
		})
	}
}

// TestSharedAddressOfEdits: of two machines that run and are given one address in one moment, both by an edit, in whichever order the calls come, the younger
// one says so as long as it is so. Nothing stops, and once one of them has another address, neither asks for the other one any more.
func TestSharedAddressOfEdits(t *testing.T) {
	const warning = "spec.network.ip: 192.168.4.60 is the address of "

	for _, in := range world.Installations {
		for order, turn := range birthOrders() {
			t.Run(in.Name+"/"+order, func(t *testing.T) {
				claim := func(namespace, ip string) *world.Machine {
					return world.NewMachine(world.NewClaim("Machine", namespace, namespace+"-m", world.FromYAML(t, `{image: debian-12, proxmox: {node: pve}, network: {ip: `+ip+`, cidr: 24}}`)), in)
				}

				first := alone(t, claim("team-a", "192.168.4.70"))
				first.Rest()

				second := first.beside(claim("team-b", "192.168.4.71"))
				second.Rest()

				all := []*machine{first, second}
				first.Proxmox.Done = nil

				everywhere(all, func(m *machine) { m.edit("{network: {ip: 192.168.4.60}}") })

				for range 6 {
					turn(all)
				}

				var told []*machine

				for _, m := range all {
					if strings.Contains(world.Message(m.Call(), "SpecValid"), warning) {
						told = append(told, m)
					} else {
						m.asksNothing(t)
					}
				}

				if len(told) == 0 || strings.HasPrefix(order, "AtOnce") && (len(told) != 1 || told[0] != second) {
					t.Errorf("%d machines say that they share an address", len(told))
				}

				noOutage(t, "", first.Proxmox)

				first.edit("{network: {ip: 192.168.4.70}}")

				for range 3 {
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
