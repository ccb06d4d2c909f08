package judge

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func TestRefuse(t *testing.T) {
	j, err := New()
	if err != nil {
		t.Fatal(err)
	}

	cases := map[string]struct {
		reason string
		spec   string
		kind   string
		where  proxmox.Flavour // Namespaced if empty.
		want   []string        // Fields.
	}{
		"Right":     {reason: "A right claim is taken.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: 4}}"},
		"Schema":    {reason: "A number is no text.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: abc}}", want: []string{"spec.proxmox.vlan"}},
		"Range":     {reason: "A VLAN tag has its limits.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: 5000}}", want: []string{"spec.proxmox.vlan"}},
		"CEL":       {reason: "Rules run, too.", kind: "Machine", spec: "{proxmox: {node: pve}, network: {ip: 192.168.4.53, dhcp: true}}", want: []string{"spec.network"}},
		"Unknown":   {reason: "An unknown field is a fault, as with strict validation.", kind: "Machine", spec: "{proxmox: {node: pve}, klass: small}", want: []string{"spec.klass"}},
		"OtherKind": {reason: "Each kind has its own schema.", kind: "K3sNode", spec: "{proxmox: {node: pve}, k3s: {role: master}}", want: []string{"spec.k3s.role"}},
		"OwnOfClaim": {
			reason: "Only a claim has Crossplane's own fields in its spec.", kind: "Machine", spec: "{proxmox: {node: pve}, compositionRef: {name: mine}}", want: []string{"spec.compositionRef"},
		},
		"OwnOfClaimRight": {
			reason: "A claim has them.", kind: "Machine", where: proxmox.Cluster, spec: "{proxmox: {node: pve}, compositionRef: {name: mine}}",
		},
		"OwnOfLegacyRight": {
			reason: "With the former provider, too.", kind: "Machine", where: proxmox.Legacy, spec: "{proxmox: {node: pve}, compositionRef: {name: mine}}",
		},
		"OwnOfComposite": {
			reason: "A claim has no field for those of a composite.", kind: "Machine", where: proxmox.Cluster, spec: "{proxmox: {node: pve}, crossplane: {compositionRef: {name: mine}}}", want: []string{"spec.crossplane"},
		},
		"OwnOfCompositeRight": {
			reason: "A composite in a namespace has it.", kind: "Machine", spec: "{proxmox: {node: pve}, crossplane: {compositionRef: {name: mine}}}",
		},
		"NobodyElse": {reason: "Other kinds are other people's.", kind: "Deployment", spec: "{x: 1}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte("apiVersion: homelab.io/v1alpha1\nkind: "+tc.kind+"\nmetadata: {name: a, namespace: b}\nspec: "+tc.spec), &object); err != nil {
				t.Fatal(err)
			}

			got := j.Refuse(object, cmp.Or(tc.where, proxmox.Namespaced))
			for _, want := range tc.want {
				if !slices.ContainsFunc(got, func(f *field.Error) bool {
					return strings.HasPrefix(f.Field, want) || strings.HasPrefix(want, f.Field+".")
				}) {
					t.Errorf("%s\nno fault at %s: %v", tc.reason, want, got)
				}
			}

			if len(tc.want) == 0 && len(got) > 0 {
				t.Errorf("%s\n%v", tc.reason, got)
			}
		})
	}
}
