package claims

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
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
	for _, table := range []map[string]wrong{wrongTypes(), wrongFigures(), wrongCombinations(), unknownNames(), hostile(), wrongK3s(), wrongImages(), wrongNetworks()} {
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
			want: one("spec.proxmox.vmid", "unknown field; there are: vmId"),
		},
		"UnknownTopField": {
			reason: "A field of another tool is no field.", claim: aMachine(`{proxmox: {node: pve}, memory: 4Gi}`), xrd: true,
			want: one("spec.memory", "unknown field"),
		},
		"UnknownFieldInList": {
			reason: "Items of lists are strict, too.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data, size: 5Gi, ssd: true}]}`), xrd: true,
			want: one("spec.disks[0].ssd", "unknown field"),
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
				{"spec.klass", "unknown field; there are: class"},
				{"spec.proxmox.vlan", "must be a whole number"},
				{"spec.proxmox.vmId", "must be a whole number from 100 to 999999999"},
				{"spec.size.memory", "memory 64Mi is below minimum of 128 MB"},
			},
		},
	}
}

func wrongFigures() map[string]wrong {
	return map[string]wrong{
		"MemoryBelowMinimum": {
			reason: "E20 words this.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 64Mi}}`),
			want: one("spec.size.memory", "memory 64Mi is below minimum of 128 MB"),
		},
		"MemoryAboveMaximum": {
			reason: "E10 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 3Ti}}`),
			want: one("spec.size.memory", "memory 3Ti is above maximum of 2 TB"),
		},
		"MemoryUnit": {
			reason: "GB is no unit of Kubernetes or Proxmox.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 4GB}}`), xrd: true,
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"MemoryFraction": {
			reason: "A fraction has to be written in a smaller unit.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: 1.5Gi}}`), xrd: true,
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"MemoryNegative": {
			reason: "There is no negative memory.", claim: aMachine(`{proxmox: {node: pve}, size: {memory: -4096}}`),
			want: one("spec.size.memory", "must be a whole number with a unit"),
		},
		"DiskNotWhole": {
			reason: "Disks are whole GiB.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 1536Mi}}`),
			want: one("spec.size.disk", "write 1Gi or 2Gi"),
		},
		"DiskTooLarge": {
			reason: "E11 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 200Ti}}`),
			want: one("spec.size.disk", "disk 200Ti is above maximum of 100 TB"),
		},
		"DiskBelowImage": {
			reason: "An image does not fit on a smaller disk.", claim: aMachine(`{proxmox: {node: pve}, size: {disk: 2Gi}}`),
			want: one("spec.size.disk", "image ubuntu-24.04 needs a disk of at least 4Gi"),
		},
		"NoCores": {
			reason: "E12 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: 0}}`), xrd: true,
			want: one("spec.size.cores", "0: must be a whole number from 1 to 1024"),
		},
		"ManyCores": {
			reason: "E12 has the range.", claim: aMachine(`{proxmox: {node: pve}, size: {cores: 1025}}`), xrd: true,
			want: one("spec.size.cores", "1025: must be a whole number from 1 to 1024"),
		},
		"HostnameUpperCase": {
			reason: "DNS names are in lower case here.", claim: aMachine(`{proxmox: {node: pve}, hostname: DNS01}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameUnderscore": {
			reason: "The provider takes DNS names only.", claim: aMachine(`{proxmox: {node: pve}, hostname: web_01}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameSpace": {
			reason: "The provider takes DNS names only.", claim: aMachine(`{proxmox: {node: pve}, hostname: my vm}`), xrd: true,
			want: one("spec.hostname", "VM name contains invalid characters"),
		},
		"HostnameAddress": {
			reason: "An address is no name.", claim: aMachine(`{proxmox: {node: pve}, hostname: 192.168.4.53}`),
			want: one("spec.hostname", "must be a name, not an address"),
		},
		"HostnameTooLong": {
			reason: "200 characters are the limit.", claim: aMachine(`{proxmox: {node: pve}, hostname: "` + strings.Repeat("a.", 120) + `a"}`), xrd: true,
			want: one("spec.hostname", "must be at most 200 characters long"),
		},
		"HostnameEmpty": {
			reason: "A host name that was written is not empty.", claim: aMachine(`{proxmox: {node: pve}, hostname: ""}`), xrd: true,
			want: one("spec.hostname", "must not be empty"),
		},
		"NameWithDigit": {
			reason: "Rule 11: the provider prints its SSH key.", claim: document("Machine", "{name: 1web, namespace: default}", `{proxmox: {node: pve}}`), xrd: true,
			want: one("metadata.name", `"1web": must start with a letter`),
		},
		"NameWithDot": {
			reason: "Rule 11: the provider prints its SSH key.", claim: document("Machine", "{name: web.1, namespace: default}", `{proxmox: {node: pve}}`), xrd: true,
			want: one("metadata.name", `"web.1": must start with a letter`),
		},
		"Role":     {reason: "A role becomes a tag.", claim: aMachine(`{proxmox: {node: pve}, role: "DNS server"}`), xrd: true, want: one("spec.role", "must hold only lower case letters")},
		"Tag":      {reason: "Tags have their own letters.", claim: aMachine(`{proxmox: {node: pve}, tags: [core, "a;b"]}`), xrd: true, want: one("spec.tags[1]", "must hold only letters")},
		"TagTwice": {reason: "A tag is there once.", claim: aMachine(`{proxmox: {node: pve}, tags: [core, core]}`), xrd: true, want: one("spec.tags[1]", "Duplicate")},
		"TagOfTenant": {
			reason: "Nobody tags his machine as another's.", claim: aMachine(`{proxmox: {node: pve}, tags: [tenant_acme]}`),
			want: one("spec.tags[0]", "comes from the label tenant-id alone"),
		},
		"TenantsDiffer": {
			reason: "Two labels for one thing must agree.",
			claim:  document("Machine", "{name: m, namespace: default, labels: {tenant-id: a, tenant.sankofa.nexus/id: b}}", `{proxmox: {node: pve}}`),
			want:   one("metadata.labels[tenant-id]", "names another tenant"),
		},
		"Power":           {reason: "Two states.", claim: aMachine(`{proxmox: {node: pve}, power: "on"}`), xrd: true, want: one("spec.power", `supported values: "Running", "Stopped"`)},
		"DeletionPolicy":  {reason: "Two policies.", claim: aMachine(`{proxmox: {node: pve}, deletionPolicy: Retain}`), xrd: true, want: one("spec.deletionPolicy", `supported values: "Delete", "Orphan"`)},
		"StartupOrder":    {reason: "Orders are not negative.", claim: aMachine(`{proxmox: {node: pve}, startup: {order: -1}}`), xrd: true, want: one("spec.startup.order", "must be a whole number from 0")},
		"VMIDTooSmall":    {reason: "Proxmox starts at 100.", claim: aMachine(`{proxmox: {node: pve, vmId: 99}}`), xrd: true, want: one("spec.proxmox.vmId", "99: must be a whole number from 100 to 999999999")},
		"VMIDTooLarge":    {reason: "Proxmox ends at 999999999.", claim: aMachine(`{proxmox: {node: pve, vmId: 1000000000}}`), xrd: true, want: one("spec.proxmox.vmId", "must be a whole number from 100 to 999999999")},
		"VLANTooLarge":    {reason: "VLAN 4095 is reserved.", claim: aMachine(`{proxmox: {node: pve, vlan: 4095}}`), xrd: true, want: one("spec.proxmox.vlan", "must be a whole number from 1 to 4094")},
		"VLANZero":        {reason: "VLAN 0 is no VLAN.", claim: aMachine(`{proxmox: {node: pve, vlan: 0}}`), xrd: true, want: one("spec.proxmox.vlan", "must be a whole number from 1 to 4094")},
		"NodeName":        {reason: "A node's name is a host's.", claim: aMachine(`{proxmox: {node: "pve 1"}}`), xrd: true, want: one("spec.proxmox.node", "must be the name of a Proxmox node")},
		"BridgeName":      {reason: "E13 has the letters.", claim: aMachine(`{proxmox: {node: pve, bridge: "vmbr0; rm"}}`), xrd: true, want: one("spec.proxmox.bridge", "must be the name of a bridge")},
		"StorageName":     {reason: "A datastore's name has no colon.", claim: aMachine(`{proxmox: {node: pve, storage: "local:disk"}}`), xrd: true, want: one("spec.proxmox.storage", "must be the name of a Proxmox datastore")},
		"PoolName":        {reason: "A pool's name has no blank.", claim: aMachine(`{proxmox: {node: pve, pool: "my pool"}}`), xrd: true, want: one("spec.proxmox.pool", "must be the name of a Proxmox resource pool")},
		"DiskWithoutName": {reason: "A disk is known by its name.", claim: aMachine(`{proxmox: {node: pve}, disks: [{size: 5Gi}]}`), xrd: true, want: one("spec.disks[0].name", "Required")},
		"DiskWithoutSize": {reason: "A disk has a size.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data}]}`), xrd: true, want: one("spec.disks[0].size", "Required")},
		"DiskNameTwice": {
			reason: "Two disks have two names.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: data, size: 5Gi}, {name: data, size: 6Gi}]}`), xrd: true,
			want: one("spec.disks[1].name", "Duplicate"),
		},
		"DiskNameTooLong": {
			reason: "The name is the serial number, of 20 characters.", claim: aMachine(`{proxmox: {node: pve}, disks: [{name: aaaaaaaaaaaaaaaaaaaaa, size: 5Gi}]}`), xrd: true,
			want: one("spec.disks[0].name", "must be at most 20 characters long"),
		},
		"DiskCache": {reason: "Cache modes are Proxmox'.", claim: aMachine(`{proxmox: {node: pve}, bootDisk: {cache: fast}}`), xrd: true, want: one("spec.bootDisk.cache", `"writeback"`)},
		"ManyDisks": {
			reason: "There are 30 places for disks, and 16 of them are ours.", xrd: true,
			claim: aMachine(`{proxmox: {node: pve}, disks: [` + manyDisks(17) + `]}`), want: one("spec.disks", "has 17 items and must have at most 16"),
		},
		"MappingName": {reason: "Raw addresses need root.", claim: aMachine(`{proxmox: {node: pve}, devices: {pci: [{mapping: "0000:01:00.0"}]}}`), xrd: true, want: one("spec.devices.pci[0].mapping", "must be the name of a resource mapping")},
		"MappingTwice": {
			reason: "A device is passed once.", claim: aMachine(`{proxmox: {node: pve}, devices: {usb: [{mapping: coral}, {mapping: coral}]}}`), xrd: true,
			want: one("spec.devices.usb[1].mapping", "Duplicate"),
		},
		"Chipset":   {reason: "Chipsets are QEMU's.", claim: aMachine(`{proxmox: {node: pve}, firmware: {machine: i440fx}}`), xrd: true, want: one("spec.firmware.machine", "must be q35, pc")},
		"Firmware":  {reason: "Two kinds.", claim: aMachine(`{proxmox: {node: pve}, firmware: {type: efi}}`), xrd: true, want: one("spec.firmware.type", `"bios", "uefi"`)},
		"AdminUser": {reason: "Linux has rules for accounts.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {adminUser: "Ops Team"}}`), xrd: true, want: one("spec.bootstrap.adminUser", "must be a Linux account")},
		"AdminRoot": {reason: "Root does not log in.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {adminUser: root}}`), want: one("spec.bootstrap.adminUser", "must be another account than root")},
		"SnippetElsewhere": {
			reason: "Snippets are in their own folder.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {vendorData: "/var/lib/vz/snippets/x.yaml"}}}`), xrd: true,
			want: one("spec.bootstrap.snippets.vendorData", "must be a file on the Proxmox node as datastore:snippets/file"),
		},
		"SnippetBelow": {
			reason: "Proxmox knows no folders below snippets.", claim: aMachine(`{proxmox: {node: pve}, bootstrap: {snippets: {metaData: "local:snippets/a/b.yaml"}}}`), xrd: true,
			want: one("spec.bootstrap.snippets.metaData", "must be a file on the Proxmox node"),
		},
	}
}

func manyDisks(n int) string {
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, fmt.Sprintf("{name: d%d, size: 5Gi}", i))
	}

	return strings.Join(out, ", ")
}
