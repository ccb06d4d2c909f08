package behaviour

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestBootstrapIsFrozen holds what a living VM was made with against edits of its claim.
func TestBootstrapIsFrozen(t *testing.T) {
	cases := map[string]struct {
		reason string
		edit   func(m *machine)
		want   string // Reason of BootstrapCurrent.
	}{
		"UserData": {
			reason: "New user-data would be a new file, and the VM cannot take another one.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}
			},
			want: "BootstrapChanged",
		},
		"Key": {
			reason: "Keys are in the user-data.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"sshAuthorizedKeys": []any{"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam other@home"}}
			},
			want: "BootstrapChanged",
		},
		"K3sVersion": {
			reason: "K3s is set up once.",
			edit:   func(m *machine) { world.Object(m.Spec()["k3s"])["version"] = "v1.34.1+k3s1" },
			want:   "K3sVersionChanged",
		},
		"TokenRotated": {
			reason: "A node that has joined needs no token.",
			edit:   func(m *machine) { m.rotated("data", "token", rotatedToken) },
			want:   "TokenChanged",
		},
		"TokenKeyRenamed": {
			reason: "The VM has its token; without its key nobody knows whether it is still the same.",
			edit:   func(m *machine) { m.rotated("data", "Token", rotatedToken) },
			want:   "TokenSecretMissing",
		},
		"K3sSettings": {
			reason: "Settings of K3s are set up once.",
			edit:   func(m *machine) { world.Object(m.Spec()["k3s"])["labels"] = map[string]any{"a": "b"} },
			want:   "BootstrapChanged",
		},
		"CatalogueKey": {
			reason: "A change of the catalogue reaches new machines only.",
			edit: func(m *machine) {
				m.Catalogue = world.Object(world.Copy(m.Catalogue))
				world.Object(world.Object(m.Catalogue["data"])["defaults"])["adminUser"] = "root2"
			},
			want: "BootstrapChanged",
		},
		"TokenSecretGone": {
			reason: "The VM has its token; without the Secret nobody knows whether it is still the same.",
			edit:   func(m *machine) { m.Secrets = nil },
			want:   "TokenSecretMissing",
		},
		"Size": {
			reason: "The size is no bootstrap data.",
			edit:   func(m *machine) { m.Spec()["size"] = map[string]any{"disk": "60Gi"} },
			want:   "Current",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/server-2")
			before := m.Settle()

			tc.edit(m)

			after := m.Call()
			if msg := world.Fatal(after); msg != "" {
				t.Fatalf("fatal result: %s", msg)
			}

			if diff := cmp.Diff(world.Names(before), world.Names(after)); diff != "" {
				t.Errorf("%s\ncomposed resources: -before, +after:\n%s", tc.reason, diff)
			}

			for name, r := range before.GetDesired().GetResources() {
				if name == "vm" {
					continue
				}

				if diff := cmp.Diff(r.GetResource(), after.GetDesired().GetResources()[name].GetResource(), protocmp.Transform()); diff != "" {
					t.Errorf("%s\n%s changes: -before, +after:\n%s", tc.reason, name, diff)
				}
			}

			init := func(rsp *fnv1.RunFunctionResponse) map[string]any {
				return world.Object(world.Object(world.Object(world.Desired(rsp, "vm")["spec"])["forProvider"])["initialization"].([]any)[0])
			}
			for _, id := range []string{"userDataFileId", "metaDataFileId"} {
				if diff := cmp.Diff(init(before)[id], init(after)[id]); diff != "" {
					t.Errorf("%s\n%s changes: -before, +after:\n%s", tc.reason, id, diff)
				}
			}

			if got := world.Reason(after, "BootstrapCurrent"); got != tc.want {
				t.Errorf("%s\nBootstrapCurrent: want reason %s, got %s", tc.reason, tc.want, got)
			}
		})
	}
}

// rotatedToken is another token of the cluster, as a Secret has it.
var rotatedToken = base64.StdEncoding.EncodeToString([]byte("K10" + strings.Repeat("ab", 32) + "::server:0123c0ffeec0ffee"))

// rotated gives the Secret of the K3s token one other key and value.
func (m *machine) rotated(part, key, value string) {
	for i, s := range m.Secrets {
		s = world.Object(world.Copy(s))
		delete(s, "stringData")
		s[part] = map[string]any{key: value}
		m.Secrets[i] = s
	}
}

// TestWrongKeyOfTheTokensSecret: the message names the key that is missing, and those that there are, and no value.
func TestWrongKeyOfTheTokensSecret(t *testing.T) {
	for name, made := range map[string]bool{"New": false, "Living": true} {
		t.Run(name, func(t *testing.T) {
			m := example(t, "k3s-cluster/server-2")
			if made {
				m.Rest()
			}

			m.rotated("data", "Token", rotatedToken)

			rsp := m.Turn()
			says := world.Message(rsp, "BootstrapCurrent")

			if !made {
				says += world.Message(rsp, "MachineReady")
				m.says(rsp, map[string]string{"MachineReady": "WaitingForToken"})
			}

			m.says(rsp, map[string]string{"BootstrapCurrent": "TokenSecretMissing"})

			for _, part := range []string{"has no key `token`", "Its keys are `Token`", "spec.k3s.token.secretRef.key"} {
				if !strings.Contains(says, part) {
					t.Errorf("%q is missing: %s", part, says)
				}
			}

			if strings.Contains(says, "c0ffee") || strings.Contains(says, rotatedToken) {
				t.Error("the message shows the token")
			}
		})
	}
}

// TestFaultsLeaveEverythingAlone: bad input of any source is one fatal result that names the field.
func TestFaultsLeaveEverythingAlone(t *testing.T) {
	cases := map[string]struct {
		reason  string
		edit    func(m *machine)
		want    []string
		newOnly bool // An existing VM keeps what the catalogue lacks: TestCatalogueLost.
	}{
		"Claim": {
			reason: "A wrong claim.",
			edit:   func(m *machine) { m.Spec()["class"] = "smal" },
			want:   []string{"spec.class", "smal", "small"},
		},
		"SeveralAtOnce": {
			reason: "All faults come at once, whoever finds them.",
			edit: func(m *machine) {
				m.Spec()["clas"] = "x"
				world.Object(m.Spec()["proxmox"])["vlan"] = "abc"
				world.Object(m.Spec()["network"])["ip"] = "192.168.4.999"
			},
			want: []string{"spec.clas", "spec.proxmox.vlan", "spec.network.ip"},
		},
		"NameThatTerraformRefuses": {
			reason: "The provider would print its SSH key into a condition.",
			edit:   func(m *machine) { world.Object(m.Composite["metadata"])["name"] = "1web-x7f2k" },
			want:   []string{"metadata.name"},
		},
		"CatalogueGone": {
			reason: "Without its catalogue nobody knows the claim's class.", newOnly: true,
			edit: func(m *machine) { m.Catalogue = nil },
			want: []string{"spec.class", "server"},
		},
		"CatalogueBroken": {
			reason: "A typing error in the catalogue is named by its place there.", newOnly: true,
			edit: func(m *machine) {
				m.Catalogue = world.FromYAML(t, "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {classes: {server: {corez: 2}}}")
			},
			want: []string{"EnvironmentConfig machine-catalog", "data.classes.server.corez"},
		},
		"InputBroken": {
			reason: "No API server ever checks the Input.",
			edit:   func(m *machine) { m.Input["providerAPI"] = "newest" },
			want:   []string{"Input", "providerAPI", "newest"},
		},
		"InputUnknownField": {
			reason: "A typing error in the Input is no default.",
			edit:   func(m *machine) { m.Input["catalogue"] = map[string]any{} },
			want:   []string{"Input", "catalogue"},
		},
		"UserData": {
			reason: "The claim's own cloud-config cannot rename the node.",
			edit: func(m *machine) {
				m.Spec()["bootstrap"] = map[string]any{"userData": "#cloud-config\nhostname: other\n"}
			},
			want: []string{"spec.bootstrap.userData", "hostname"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			for _, settled := range []bool{false, !tc.newOnly} {
				m := example(t, "k3s-cluster/server-2")
				if settled {
					m.Settle()
				}

				tc.edit(m)

				rsp := m.Call()

				msg := world.Fatal(rsp)
				if msg == "" {
					t.Fatalf("%s\nno fatal result", tc.reason)
				}

				for _, part := range tc.want {
					if !strings.Contains(msg, part) {
						t.Errorf("%s\nthe message does not say %q: %s", tc.reason, part, msg)
					}
				}

				if n := len(rsp.GetDesired().GetResources()); n > 0 {
					t.Errorf("%s\na fatal result beside %d desired resources", tc.reason, n)
				}

				if c := rsp.GetConditions(); len(c) != 1 || c[0].GetType() != "SpecValid" || c[0].GetStatus() != fnv1.Status_STATUS_CONDITION_FALSE {
					t.Errorf("%s\nconditions: %v", tc.reason, c)
				}
			}
		})
	}
}
