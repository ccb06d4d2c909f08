package lifecycle

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestEditIsJudgedFirst: while an edit waits for approval, the other decisions get the machine as the VM has it, and the situation that was judged stays.
func TestEditIsJudgedFirst(t *testing.T) {
	type want struct {
		Consent  Consent
		Stands   bool
		Decision Decision
		Reboot   string // What the other decisions get of the claim's spec.lifecycle.reboot.
	}

	cases := map[string]struct {
		reason  string
		ask     v1alpha1.Lifecycle
		trigger string
		trial   trial
		want    want
	}{
		"NobodyAsks": {reason: "The claim asks for no approval.", ask: v1alpha1.Lifecycle{Reboot: "a"}, want: want{Reboot: "a"}},
		"NoRisk":     {reason: "Nothing is to be done.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk}, want: want{Consent: ConsentNotNeeded}},
		"Waits": {
			reason: "Nobody has approved the restart.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Reboot: "a"},
			want: want{Consent: ConsentAwaited, Stands: true},
		},
		"ReplacementWaits": {
			reason: "Nor the replacement.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Replace: "r"}, trigger: "r",
			want: want{Consent: ConsentAwaited, Stands: true, Decision: RefuseForApproval()},
		},
		"Candidate": {
			reason: "Nothing depends on a new VM.", ask: v1alpha1.Lifecycle{Approval: v1alpha1.ApprovalOnRisk, Reboot: "a"}, trigger: "r", trial: trialUnderWay,
			want: want{Consent: ConsentNotNeeded, Reboot: "a"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{NICs: []machine.NIC{{}}, Power: v1alpha1.PowerRunning, Lifecycle: tc.ask}
			s := &Situation{Request: Request{Machine: m, Roles: Roles{Active: FirstVM, Trigger: tc.trigger}}, State: StateLiving, vm: settledVM(), trial: tc.trial}

			if tc.trial == trialUnderWay {
				s.Roles.Candidate = "vm-0123456789"
			}

			e := judge(s, Description{Parameters: change.AsMade(s.vm)})
			got := want{Consent: e.approval.Consent, Stands: e.stands, Decision: e.decision, Reboot: e.machine.Lifecycle.Reboot}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\njudge(): -want, +got:\n%s", tc.reason, diff)
			}

			if s.Machine != m || s.Decision.Permission != "" || m.Lifecycle != tc.ask {
				t.Errorf("%s\nthe situation was changed: %+v", tc.reason, s.Machine.Lifecycle)
			}
		})
	}
}

// TestEditKeepsAnInterfaceWithItsAddress: bridge and VLAN of an interface go nowhere without its address.
func TestEditKeepsAnInterfaceWithItsAddress(t *testing.T) {
	fixed := machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24}
	other := machine.Addressing{Method: machine.MethodStatic, Address: "10.30.0.5", Prefix: 24}
	refuses := func(a, what machine.Addressing) machine.Addressing { a.Refused = &what; return a }
	moves := change.Change{Field: "spec.proxmox.vlan", Wanted: "30"}

	moved, refused := moves, moves
	moved.Effect, refused.Effect = change.InPlace, change.Refused

	for name, tc := range map[string]struct {
		reason        string
		nic           machine.NIC
		changes, held []change.Change
	}{
		"Free":      {reason: "A person may have given the bridge another network.", nic: machine.NIC{IPv4: fixed}, changes: []change.Change{moved}},
		"IPv4":      {reason: "K3s knows the node by the address that stays.", nic: machine.NIC{IPv4: refuses(fixed, other)}, held: []change.Change{refused}},
		"DHCP":      {reason: "Another network leases another address.", nic: machine.NIC{IPv4: refuses(machine.Addressing{Method: machine.MethodDHCP}, other)}, held: []change.Change{refused}},
		"IPv6":      {reason: "Also by that of the other family.", nic: machine.NIC{IPv4: fixed, IPv6: refuses(fixed, other)}, held: []change.Change{refused}},
		"FirstIPv6": {reason: "A family that the node does not have binds it nowhere.", nic: machine.NIC{IPv4: fixed, IPv6: refuses(machine.Addressing{}, other)}, changes: []change.Change{moved}},
	} {
		t.Run(name, func(t *testing.T) {
			m := &machine.Machine{NICs: []machine.NIC{tc.nic}, Power: v1alpha1.PowerRunning}
			s := &Situation{Request: Request{Machine: m, Roles: Roles{Active: FirstVM}}, State: StateLiving, vm: settledVM()}
			s.vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0"}}

			wanted := change.AsMade(s.vm)
			wanted.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", VLANID: new(int64(30))}}

			got := judge(s, Description{Parameters: wanted}).guarded
			if diff := cmp.Diff(tc.changes, got.Changes); diff != "" {
				t.Errorf("%s\njudge() changes: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.held, got.Held); diff != "" {
				t.Errorf("%s\njudge() held: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestEditStaysWithItsProxmox: a VM keeps the provider's configuration that it was made with: with another one, its managed resource would stand for another VM.
func TestEditStaysWithItsProxmox(t *testing.T) {
	home, lab := proxmox.ProviderConfigRef{Kind: "ProviderConfig", Name: "home"}, proxmox.ProviderConfigRef{Kind: "ProviderConfig", Name: "lab"}

	for name, tc := range map[string]struct {
		reason string
		wanted proxmox.ProviderConfigRef
		want   []change.Change
	}{
		"Same":  {reason: "It is the one that it has.", wanted: home},
		"Other": {reason: "It is another Proxmox.", wanted: lab, want: []change.Change{change.Connection("", "home", "lab")}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &Situation{Request: Request{Machine: &machine.Machine{NICs: []machine.NIC{{}}}, Roles: Roles{Active: FirstVM}}, State: StateLiving, vm: settledVM()}
			s.vm.Spec.ProviderConfigRef = home

			got := judge(s, Description{Parameters: change.AsMade(s.vm), ProviderConfigRef: tc.wanted}).held
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\njudge(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestAddressLater: what a node of K3s keeps of its address is named by what differs.
func TestAddressLater(t *testing.T) {
	fixed := machine.Addressing{Method: machine.MethodStatic, Address: "192.168.4.60", Prefix: 24, Gateway: "192.168.4.1"}
	refuses := func(change func(*machine.Addressing)) machine.Addressing {
		a, r := fixed, fixed
		change(&r)
		a.Refused = &r
		return a
	}

	for name, tc := range map[string]struct {
		reason string
		nics   []machine.NIC
		want   []change.Change
	}{
		"Nothing": {reason: "The claim has what the VM has.", nics: []machine.NIC{{IPv4: fixed}}},
		"Address": {
			reason: "Another address.", nics: []machine.NIC{{IPv4: refuses(func(a *machine.Addressing) { a.Address = "192.168.4.61" })}},
			want: []change.Change{{Field: "spec.network.ip", Has: "192.168.4.60/24", Wanted: "192.168.4.61/24", Effect: change.Refused}},
		},
		"Gateway": {
			reason: "The address is the same one, and the site has no gateway for it any more.", nics: []machine.NIC{{IPv4: refuses(func(a *machine.Addressing) { a.Gateway = "" })}},
			want: []change.Change{{Field: "spec.network.gateway", Has: "192.168.4.1", Effect: change.Refused}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, AddressLater(&machine.Machine{NICs: tc.nics})); diff != "" {
				t.Errorf("%s\nAddressLater(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
