package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// maxMessage is the length of a fault for people. No mistake, however large, comes back larger.
const maxMessage = 700

// A fault that must come back: the field that it names and a piece of its message.
type fault struct {
	field   string
	message string
}

// A wrong claim.
type wrong struct {
	reason string
	claim  string
	want   []fault // All of them, in the order of the fields' names.
	xrd    bool    // Whether the XRDs refuse it, too.
}

// aMachine is a Machine's claim with a spec in YAML.
func aMachine(spec string) string {
	return document(claim.KindMachine, "{name: m, namespace: default}", spec)
}

// aNode is a K3sNode's claim with a spec in YAML.
func aNode(spec string) string {
	return document(claim.KindK3sNode, "{name: node, namespace: default}", spec)
}

func document(kind, metadata, spec string) string {
	return fmt.Sprintf("apiVersion: homelab.io/v1alpha1\nkind: %s\nmetadata: %s\nspec: %s\n", kind, metadata, spec)
}

// one fault.
func one(field, message string) []fault { return []fault{{field, message}} }

// TestWrongClaims has the function refuse every wrong claim for what is wrong with it and nothing else, and the XRDs
// refuse those that a schema can.
func TestWrongClaims(t *testing.T) {
	all, c := loadJudges(t), world(t)

	cases := map[string]wrong{}
	for _, table := range []map[string]wrong{wrongTypes(), wrongFigures(), wrongDisks(), wrongSecrets(), wrongStores(), wrongCombinations(), unknownNames(), hostile(), wrongK3s(), wrongClusters(), wrongImages(), wrongNetworks(), wrongFirewalls(), wrongContainers(), wrongLifecycles(), wrongAdoptions()} {
		for name, w := range table {
			if _, double := cases[name]; double {
				t.Fatalf("two cases are called %s", name)
			}

			cases[name] = w
		}
	}

	if len(cases) < 80 {
		t.Errorf("there are only %d wrong claims", len(cases))
	}

	for name, w := range cases {
		t.Run(name, func(t *testing.T) {
			object := parse(t, w.claim)

			for generation, composite := range composites(object) {
				m, errs := function(composite, c)
				if m != nil {
					t.Errorf("%s\nfunction, composite %s: a machine came back", w.reason, generation)
				}

				got := make([]fault, 0, len(errs))
				for _, err := range errs {
					if len(err.Error()) > maxMessage {
						t.Errorf("%s\nfunction, composite %s: a message of %d bytes", w.reason, generation, len(err.Error()))
					}

					if twice := fake.SaidTwice(err.Error()); twice != "" {
						t.Errorf("%s\nfunction, composite %s: says %q twice: %v", w.reason, generation, twice, err)
					}

					got = append(got, fault{err.Field, err.Error()})
				}

				slices.SortStableFunc(got, func(a, b fault) int { return strings.Compare(a.field, b.field) })

				// A message need only hold the piece that is expected.
				if diff := cmp.Diff(w.want, got, cmp.AllowUnexported(fault{}), cmp.Comparer(func(a, b fault) bool {
					return a.field == b.field && (strings.Contains(a.message, b.message) || strings.Contains(b.message, a.message))
				})); diff != "" {
					t.Errorf("%s\nfunction, composite %s: -want, +got:\n%s", w.reason, generation, diff)
				}

				for _, j := range all[fmt.Sprint(object["kind"])] {
					refused := j.refuse(object)
					if w.xrd != (len(refused) > 0) {
						t.Errorf("%s\n%s: want refused=%v, got %v", w.reason, j.name, w.xrd, refused.ToAggregate())
					}

					for _, missing := range agree(refused, errs) {
						t.Errorf("%s\n%s says: %s\nfunction, composite %s, does not", w.reason, j.name, missing, generation)
					}
				}
			}
		})
	}
}

func wrongTypes() map[string]wrong {
	return map[string]wrong{
		"TextForNumber": {
			reason: "A VLAN tag is a number.", claim: aMachine(`{proxmox: {node: pve, vlan: abc}}`), xrd: true,
			want: one("spec.proxmox.vlan", `"abc": must be a whole number`),
		},
		"QuotedNumber": {
			reason: "A number in quotes is text.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: "2"}}`), xrd: true,
			want: one("spec.size.cores", `"2": must be a whole number, without quotes`),
		},
		"Fraction": {
			reason: "There are no half cores.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: 1.5}}`), xrd: true,
			want: one("spec.size.cores", "1.5: must be a whole number"),
		},
		"NumberForText": {
			reason: "A host name of digits needs quotes in YAML.", claim: aMachine(`{proxmox: {node: pve}, hostname: 123}`), xrd: true,
			want: one("spec.hostname", "123: must be text: put it in quotes"),
		},
		"TextForTruth": {
			reason: "yes in quotes is text.", claim: aMachine(`{proxmox: {node: pve}, onBoot: "yes"}`), xrd: true,
			want: one("spec.onBoot", `"yes": must be true or false`),
		},
		"TextForList": {
			reason: "One tag is a list of one.", claim: aMachine(`{proxmox: {node: pve}, tags: core}`), xrd: true,
			want: one("spec.tags", "must be a list"),
		},
		"TextForObject": {
			reason: "A node is named in proxmox.node.", claim: aMachine(`{proxmox: pve}`), xrd: true,
			want: []fault{{"spec.proxmox", "must be an object"}},
		},
		"ListForObject": {
			reason: "There is one first interface.", claim: aMachine(`{proxmox: {node: pve}, network: [{dhcp: true}]}`), xrd: true,
			want: one("spec.network", "must be an object"),
		},
		"ObjectForList": {
			reason: "Disks are a list.", claim: aMachine(`{proxmox: {node: pve}, disks: {data: 500Gi}}`), xrd: true,
			want: one("spec.disks", "must be a list"),
		},
		"NullInList": {
			reason: "A list's item cannot be left out.", claim: aMachine(`{proxmox: {node: pve}, tags: [core, null]}`), xrd: true,
			want: one("spec.tags[1]", "must be text"),
		},
		"NoSpecObject": {
			reason: "The spec itself may be of a wrong type.", claim: aMachine(`[]`), xrd: true,
			want: []fault{{"spec", "must be an object"}},
		},
		"UnknownField": {
			reason: "A typing error is no field, and the likeliest field is named first.", claim: aMachine(`{proxmox: {node: pve, vmid: 153}}`), xrd: true,
			want: one("spec.proxmox.vmid", "unknown field; did you mean spec.proxmox.vmId?"),
		},
		"UnknownTopField": {
			reason: "A field of another tool is no field.", claim: aMachine(`{proxmox: {node: pve}, memory: 4Gi}`), xrd: true,
			want: one("spec.memory", "unknown field"),
		},
		"UnknownFieldInList": {
			reason: "Items of lists are strict, too.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data, size: 5Gi, nvme: true}]}`), xrd: true,
			want: one("spec.disks[0].nvme", "unknown field"),
		},
		"OtherKindsField": {
			reason: "A Machine has no k3s.", claim: aMachine(`{proxmox: {node: pve}, k3s: {role: server}}`), xrd: true,
			want: one("spec.k3s", "unknown field"),
		},
		"ManyAtOnce": {
			reason: "All faults come back at once.", xrd: true,
			claim: aMachine(`{klass: small, hostname: A, proxmox: {node: pve, vlan: abc, vmId: 5}, size: {memory: 64Mi}, image: nowhere}`),
			want: []fault{
				{"spec.hostname", "VM name contains invalid characters"},
				{"spec.image", "there is no image of that name"},
				{"spec.klass", "unknown field; did you mean spec.class?"},
				{"spec.proxmox.vlan", "must be a whole number"},
				{"spec.proxmox.vmId", "must be a whole number from 100 to 999999999"},
				{"spec.size.memory", "memory 64Mi is below minimum of 128 MB"},
			},
		},
	}
}
