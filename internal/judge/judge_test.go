package judge

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
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
		want   []string // Fields.
	}{
		"Right":      {reason: "A right claim is taken.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: 4}}"},
		"Schema":     {reason: "A number is no text.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: abc}}", want: []string{"spec.proxmox.vlan"}},
		"Range":      {reason: "A VLAN tag has its limits.", kind: "Machine", spec: "{proxmox: {node: pve, vlan: 5000}}", want: []string{"spec.proxmox.vlan"}},
		"CEL":        {reason: "Rules run, too.", kind: "Machine", spec: "{proxmox: {node: pve}, network: {ip: 192.168.4.53, dhcp: true}}", want: []string{"spec.network"}},
		"Unknown":    {reason: "An unknown field is a fault, as with strict validation.", kind: "Machine", spec: "{proxmox: {node: pve}, klass: small}", want: []string{"spec.klass"}},
		"OtherKind":  {reason: "Each kind has its own schema.", kind: "K3sNode", spec: "{proxmox: {node: pve}, k3s: {role: master}}", want: []string{"spec.k3s.role"}},
		"NobodyElse": {reason: "Other kinds are other people's.", kind: "Deployment", spec: "{x: 1}"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := map[string]any{}
			if err := yaml.Unmarshal([]byte("apiVersion: homelab.io/v1alpha1\nkind: "+tc.kind+"\nmetadata: {name: a, namespace: b}\nspec: "+tc.spec), &object); err != nil {
				t.Fatal(err)
			}

			got := j.Refuse(object)
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
