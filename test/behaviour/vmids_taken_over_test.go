package behaviour

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// anotherUUID is that of a VM which Proxmox made for somebody.
const anotherUUID = `smbios: [{uuid: "11111111-2222-3333-4444-555555555555"}]`

// TestAnotherVMTakesThePlaceOfALivingOne: somebody deletes the machine's VM in Proxmox and makes another one, for which Proxmox proposes the VMID that
// became free. From the first call that sees it the provider only observes, and the end of the claim leaves the VM alone.
func TestAnotherVMTakesThePlaceOfALivingOne(t *testing.T) {
	cases := map[string]struct {
		reason string
		edits  []string
		want   map[string]string
		loses  bool     // Whether the catalogue goes at the same time.
		made   []string // In Proxmox, from then on.
	}{
		"Fixed": {
			reason: "A VMID that a person chose is not given up.", edits: []string{"proxmox: {vmId: 100}"},
			want: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberTaken"},
		},
		"OfProxmox": {
			reason: "As after every deletion by hand, the VM is made again; with another VMID.",
			want:   map[string]string{"MachineReady": "Running", "VMIDInUse": "NumberFree"}, made: []string{"make 101"},
		},
		"InHA": {
			reason: "The HA manager starts no stranger's VM.", edits: []string{"proxmox: {vmId: 100}", "ha: {enabled: true}"},
			want: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberTaken"},
		},
		"Filtered": {
			reason: "Its firewall is its own.", edits: []string{"proxmox: {vmId: 100}", "firewall: {enabled: true, allow: [{port: 22}]}"},
			want: map[string]string{"MachineReady": "VMIDInUse", "VMIDInUse": "NumberTaken"},
		},
		"CatalogueLostItsEntry": {
			reason: "Whatever is missing meanwhile: the provider loses its rights first.", edits: []string{"proxmox: {vmId: 100}"}, loses: true,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m, _ := living(t, "nixos/dns01")
			shared(m.Machine)

			for _, e := range tc.edits {
				world.Merge(m.Spec(), world.FromYAML(t, e))
			}

			m.says(m.Rest(), map[string]string{"MachineReady": "Running"})

			if tc.loses {
				m.Catalogue = nil
			}

			m.Proxmox.Done = nil
			delete(m.Proxmox.VMs, 100)
			delete(m.Proxmox.HA, 100)
			delete(m.Proxmox.Firewalls, 100)

			taken := m.Proxmox.ByHand(100, fake.HandMade(t, anotherUUID))
			before := world.Copy([]any{taken.Config, taken.Running})

			// The provider reads the VM first.
			m.Provider.Stuck = []string{"firewall-", "ha-"}
			m.Provide()
			m.Provider.Stuck = nil

			first := m.Turn()
			for name, r := range first.GetDesired().GetResources() {
				o := r.GetResource().AsMap()
				if kind := o["kind"]; (kind == world.VMKind || kind == world.HAResourceKind || kind == world.FirewallOptionsKind || kind == world.FirewallRulesKind) &&
					world.Policies(o) != "Observe" {
					t.Errorf("%s has policies %s", name, world.Policies(o))
				}
			}

			if tc.loses {
				m.Leave()
				m.did()

				return
			}

			last := m.Rest()
			m.says(last, tc.want)

			if got := world.Status(first)["vmId"]; got != nil {
				t.Errorf("status.vmId: %v", got)
			}

			m.did(tc.made...)
			m.Leave()

			left := m.Proxmox.VMs[100]
			if left == nil || left.Owner != "" || !reflect.DeepEqual(before, world.Copy([]any{left.Config, left.Running})) {
				t.Errorf("the VM is not what it was: %v", left)
			}

			if slices.ContainsFunc(m.Proxmox.Done, func(d string) bool { return strings.HasSuffix(d, strconv.Itoa(100)) }) {
				t.Errorf("done in Proxmox: %v", m.Proxmox.Done)
			}

			if m.Proxmox.HA[100] != "" || m.Proxmox.Firewalls[100] != nil {
				t.Errorf("in HA: %q, firewall: %v", m.Proxmox.HA[100], m.Proxmox.Firewalls[100])
			}
		})
	}
}

// TestAnAdoptedVMIsTakenOver: no VM of ours may take the place of one that was adopted, nor is the stranger's adopted without a person's word.
func TestAnAdoptedVMIsTakenOver(t *testing.T) {
	for _, claims := range []bool{true, false} {
		t.Run(strconv.FormatBool(claims), func(t *testing.T) {
			m := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}}", fake.HandMade(t, `smbios: [{uuid: "99999999-2222-3333-4444-555555555555"}]`))
			m.approved()

			if !claims {
				delete(m.Spec(), "adopt")
			}

			m.Rest()

			m.Proxmox.Done = nil
			delete(m.Proxmox.VMs, 108)

			taken := m.Proxmox.ByHand(108, fake.HandMade(t, anotherUUID, "name: another"))
			before := world.Copy([]any{taken.Config, taken.Running})

			m.Provide()
			last := m.Rest()
			m.says(last, map[string]string{"VMIDInUse": map[bool]string{true: "NumberAdopted", false: "NumberTaken"}[claims]})
			m.Leave()
			m.did()

			if left := m.Proxmox.VMs[108]; left == nil || !reflect.DeepEqual(before, world.Copy([]any{left.Config, left.Running})) {
				t.Errorf("the VM is not what it was: %v", left)
			}
		})
	}
}
