package claim

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

func composite(t testing.TB, document string) map[string]any {
	t.Helper()

	out := map[string]any{}
	if err := json.Unmarshal([]byte(document), &out); err != nil {
		t.Fatal(err)
	}

	return out
}

func TestDecode(t *testing.T) {
	type want struct {
		claim  Claim
		faults []string
	}

	cases := map[string]struct {
		reason   string
		document string
		want     want
	}{
		"OfAClaim": {
			reason: "The composite of a claim has a generated name, and Crossplane's machinery in its spec. Whose it is, the claim says.",
			document: `{"kind": "XMachine", "metadata": {"name": "dns01-x7k2p", "uid": "u-1", "labels": {"tenant-id": "Acme"}},
				"spec": {"class": "small", "claimRef": {"name": "dns01", "namespace": "infra"}, "compositionRef": {"name": "c"},
				"compositionSelector": {}, "compositionRevisionRef": {}, "compositionRevisionSelector": {}, "compositionUpdatePolicy": "Automatic",
				"compositeDeletePolicy": "Background", "environmentConfigRefs": [], "resourceRef": {}, "resourceRefs": [],
				"publishConnectionDetailsTo": {}, "writeConnectionSecretToRef": {}}}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "Machine", Name: "dns01", Namespace: "infra", Composite: "dns01-x7k2p", UID: "u-1", Tenant: "Acme"},
				Machine:  &v1alpha1.MachineSpec{MachineFields: v1alpha1.MachineFields{Class: "small"}},
			}},
		},
		"Namespaced": {
			reason: "A composite in the person's namespace is his own, and Crossplane's machinery is in one field.",
			document: `{"kind": "K3sNode", "metadata": {"name": "agent-1", "namespace": "infra", "uid": "u-2", "labels": {"tenant.sankofa.nexus/id": "b"}},
				"spec": {"crossplane": {"compositionRef": {"name": "c"}}, "k3s": {"role": "agent"}}}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "K3sNode", Name: "agent-1", Namespace: "infra", Composite: "agent-1", UID: "u-2", Tenant: "b"},
				K3sNode:  &v1alpha1.K3sNodeSpec{K3s: v1alpha1.K3s{Role: "agent"}},
			}},
		},
		"NamespacedClaimRef": {
			reason: "A claimRef that a person wrote into a namespaced composite leads nowhere.",
			document: `{"kind": "Machine", "metadata": {"name": "m", "namespace": "mine"},
				"spec": {"claimRef": {"name": "m", "namespace": "yours"}}}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "Machine", Name: "m", Namespace: "mine", Composite: "m"},
				Machine:  &v1alpha1.MachineSpec{},
			}},
		},
		"ClusterScopedWithoutAClaim": {
			reason:   "A composite that somebody made without a claim has no namespace.",
			document: `{"kind": "XMachine", "metadata": {"name": "m"}, "spec": null}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "Machine", Name: "m", Composite: "m"},
				Machine:  &v1alpha1.MachineSpec{},
			}},
		},
		"TenantTwice": {
			reason:   "Two labels that agree are one tenant.",
			document: `{"kind": "XMachine", "metadata": {"name": "m", "labels": {"tenant-id": "a", "tenant.sankofa.nexus/id": "a"}}}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "Machine", Name: "m", Composite: "m", Tenant: "a"},
				Machine:  &v1alpha1.MachineSpec{},
			}},
		},
		"Config": {
			reason:   "Free-form settings keep their types, and whole numbers are whole.",
			document: `{"kind": "K3sNode", "metadata": {"name": "n"}, "spec": {"k3s": {"role": "agent", "config": {"a": 20, "b": [true, "x"]}}}}`,
			want: want{claim: Claim{
				Identity: machine.Identity{Kind: "K3sNode", Name: "n", Composite: "n"},
				K3sNode:  &v1alpha1.K3sNodeSpec{K3s: v1alpha1.K3s{Role: v1alpha1.K3sAgent, Config: v1alpha1.K3sConfig{"a": int64(20), "b": []any{true, "x"}}}},
			}},
		},
		"UnknownKind": {
			reason:   "Only two kinds are ours.",
			document: `{"kind": "XBucket", "metadata": {"name": "m"}}`,
			want: want{
				claim:  Claim{Identity: machine.Identity{Kind: "Bucket"}},
				faults: []string{`kind: Unsupported value: "XBucket": supported values: "Machine", "K3sNode", "K3sCluster", "Container", "ProxmoxSite", "XMachine", "XK3sNode", "XK3sCluster", "XContainer", "XProxmoxSite"`},
			},
		},
		"NoName": {
			reason:   "What has no name cannot be rendered.",
			document: `{"kind": "XMachine"}`,
			want: want{
				claim:  Claim{Identity: machine.Identity{Kind: "Machine"}, Machine: &v1alpha1.MachineSpec{}},
				faults: []string{"metadata.name: Required value: write a name there, such as dns01"},
			},
		},
		"NameOfAnotherType": {
			reason:   "YAML takes the name n for false.",
			document: `{"kind": "XMachine", "metadata": {"name": false}}`,
			want: want{
				claim:  Claim{Identity: machine.Identity{Kind: "Machine"}, Machine: &v1alpha1.MachineSpec{}},
				faults: []string{"metadata.name: Invalid value: must be text: put it in quotes"},
			},
		},
		"BadTenant": {
			reason:   "A tenant becomes a tag, and a preview has labels that no API server has seen.",
			document: `{"kind": "XMachine", "metadata": {"name": "m", "labels": {"tenant.sankofa.nexus/id": "a;b"}}}`,
			want: want{
				claim: Claim{Identity: machine.Identity{Kind: "Machine", Name: "m", Composite: "m"}, Machine: &v1alpha1.MachineSpec{}},
				faults: []string{`metadata.labels[tenant.sankofa.nexus/id]: Invalid value: "a;b": must fit into the tag tenant_<id>: ` +
					`at most 56 letters, digits, _, -, + and dots`},
			},
		},
		"BadClaimName": {
			reason:   "A claim with a bad name is reported by the name that the person knows.",
			document: `{"kind": "XMachine", "metadata": {"name": "1web-x7k2p"}, "spec": {"claimRef": {"name": "1web", "namespace": "a"}}}`,
			want: want{
				claim: Claim{
					Identity: machine.Identity{Kind: "Machine", Name: "1web", Namespace: "a", Composite: "1web-x7k2p"},
					Machine:  &v1alpha1.MachineSpec{},
				},
				faults: []string{`metadata.name: Invalid value: "1web": must start with a letter and hold only lower case letters, digits and hyphens: ` +
					"the Proxmox provider makes Terraform identifiers of it"},
			},
		},
		"Empty": {
			reason:   "Empty text is refused where it means nothing, and taken where it means none.",
			document: `{"kind": "XMachine", "metadata": {"name": "m"}, "spec": {"class": "", "role": "", "nix": {"flakeRef": "github:a/b", "schedule": ""}}}`,
			want: want{
				claim: Claim{
					Identity: machine.Identity{Kind: "Machine", Name: "m", Composite: "m"},
					Machine:  &v1alpha1.MachineSpec{Nix: &v1alpha1.Nix{FlakeRef: "github:a/b"}},
				},
				faults: []string{`spec.role: Invalid value: "": must not be empty: leave it out, or say what it is`},
			},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c := Decode(composite(t, tc.document))

			got := want{claim: c}
			got.claim.Faults = nil

			for _, err := range c.Faults {
				got.faults = append(got.faults, err.Error())
			}

			if diff := cmp.Diff(tc.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("%s\nDecode(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestDecodeLeavesTheCompositeAlone as others read it, too.
func TestDecodeLeavesTheCompositeAlone(t *testing.T) {
	const document = `{"kind": "XK3sNode", "metadata": {"name": "m"}, "spec": {"claimRef": {"name": "m"}, "k3s": {"config": {"a": 1, "b": {"c": [2]}}}}}`

	object := composite(t, document)
	c := Decode(object)

	if c.K3sNode == nil {
		t.Fatal("nothing was decoded")
	}

	c.K3sNode.K3s.Config["a"] = "changed"

	if diff := cmp.Diff(composite(t, document), object); diff != "" {
		t.Errorf("Decoding, and changing what was decoded, changed the composite: -want, +got:\n%s", diff)
	}
}

const fullDocument = `{"apiVersion": "homelab.io/v1alpha1", "kind": "XMachine", "metadata": {"name": "dns01-x7k2p", "uid": "u", "labels": {"tenant-id": "a"}}, "spec": {
	"claimRef": {"name": "dns01", "namespace": "infra"}, "resourceRefs": [], "compositionRef": {"name": "c"},
	"class": "small", "size": {"cores": 2, "memory": "4Gi", "disk": 30}, "hostname": "dns01", "image": "debian-12", "role": "dns", "tags": ["core", "tier1"],
	"power": "Running", "onBoot": true, "startup": {"order": 1}, "deletionPolicy": "Delete",
	"network": {"ip": "192.168.4.53", "cidr": 24, "gateway": "192.168.4.1", "dns": ["192.168.4.1"], "domain": "home.arpa", "mac": "BC:24:11:00:00:53"},
	"proxmox": {"site": "home", "node": "pve", "storage": "local-zfs", "bridge": "vmbr0", "vlan": 20, "vmId": 153, "pool": "infra", "migrate": true},
	"lifecycle": {"replace": "2026-11-20", "reboot": "1", "rebootPolicy": "WhenNeeded", "retry": "2"}, "adopt": {"vmId": 153, "approve": "3f9a0c71d2"}, "protection": true,
	"disks": [{"name": "data", "size": "500Gi", "storage": "tank", "backup": false}], "nics": [{"bridge": "vmbr1", "vlan": 30, "dhcp": true}],
	"devices": {"pci": [{"mapping": "gpu0"}], "usb": [{"mapping": "coral"}]}, "firmware": {"type": "uefi", "tpm": true},
	"bootstrap": {"adminUser": "ops", "sshAuthorizedKeys": ["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI ops@home"], "userData": "#cloud-config\n"}}}`

func BenchmarkDecode(b *testing.B) {
	object := composite(b, fullDocument)

	b.ReportAllocs()

	for b.Loop() {
		if c := Decode(object); len(c.Faults) > 0 {
			b.Fatal(c.Faults.ToAggregate())
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(fullDocument))
	f.Add([]byte(`{"kind": "K3sNode", "metadata": {"name": "n", "labels": {"tenant-id": 1}}, "spec": {"k3s": {"role": "agent", "config": {"a": [null]}}}}`))
	f.Add([]byte(`{"kind": "Machine", "metadata": [], "spec": {"claimRef": [], "image": 1e3, "size": {"memory": -1.5}}}`))

	f.Fuzz(func(t *testing.T, document []byte) {
		object := map[string]any{}
		if json.Unmarshal(document, &object) != nil {
			return
		}

		c := Decode(object)
		if len(c.Faults) == 0 && (c.Machine == nil) == (c.K3sNode == nil) {
			t.Errorf("Decode(%s): want a machine or a node, or a fault", document)
		}

		for _, err := range c.Faults {
			if err.Type == "InternalError" || len(err.Error()) > 1000 {
				t.Errorf("Decode(%s): %.1000s", document, err)
			}
		}
	})
}
