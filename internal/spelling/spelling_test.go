package spelling

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func object(t *testing.T, document string) map[string]any {
	t.Helper()

	out := map[string]any{}
	if err := json.Unmarshal([]byte(document), &out); err != nil {
		t.Fatal(err)
	}

	return out
}

// text is a document in JSON, with its keys sorted.
func text(t *testing.T, v any) string {
	t.Helper()

	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

func TestClaim(t *testing.T) {
	cases := map[string]struct {
		reason string
		spec   string
		want   string
		says   []string
	}{
		"Today": {
			reason: "What is spelled as today stays.",
			spec:   `{"deletionProtection":true,"firmware":{"type":"UEFI"},"network":{"bridge":"vmbr1","cidr":24,"ip":"10.0.0.5"},"nix":{"reboot":"Always"}}`,
			want:   `{"deletionProtection":true,"firmware":{"type":"UEFI"},"network":{"bridge":"vmbr1","cidr":24,"ip":"10.0.0.5"},"nix":{"reboot":"Always"}}`,
		},
		"Formerly": {
			reason: "Former spellings are translated, and named with what to write.",
			spec:   `{"protection":false,"firmware":{"type":"uefi","tpm":true},"nix":{"reboot":"kernel"}}`,
			want:   `{"deletionProtection":false,"firmware":{"tpm":true,"type":"UEFI"},"nix":{"reboot":"Kernel"}}`,
			says: []string{
				"spec.protection: protection is a former spelling, which the next release refuses: write deletionProtection: false.",
				"spec.firmware.type: uefi is a former spelling, which the next release refuses: write type: UEFI.",
				"spec.nix.reboot: kernel is a former spelling, which the next release refuses: write reboot: Kernel.",
			},
		},
		"WrittenByTheAPIServer": {
			reason: "The former default is in stored claims whose author never typed it.",
			spec:   `{"nix":{"reboot":"never"}}`,
			want:   `{"nix":{"reboot":"Never"}}`,
		},
		"SaidTwice": {
			reason: "Who writes both, and means the same, is told to remove one.",
			spec:   `{"protection":true,"deletionProtection":true}`,
			want:   `{"deletionProtection":true}`,
			says:   []string{"spec.protection: protection is a former spelling, which the next release refuses: write deletionProtection: true."},
		},
		"Contradiction": {
			reason: "What contradicts itself stays for validation, as it was typed.",
			spec:   `{"protection":true,"deletionProtection":false,"network":{"cidr":16,"ip":"10.0.0.5/24"}}`,
			want:   `{"deletionProtection":false,"network":{"cidr":16,"ip":"10.0.0.5/24"},"protection":true}`,
		},
		"Wrong": {
			reason: "So does what is wrong.",
			spec:   `{"protection":"on","firmware":"uefi","nix":{"reboot":true},"network":{"ip":"10.0.0.5/0"},"nics":"none"}`,
			want:   `{"firmware":"uefi","network":{"ip":"10.0.0.5/0"},"nics":"none","nix":{"reboot":true},"protection":"on"}`,
		},
		"Addresses": {
			reason: "A prefix length goes into its field, for every interface and family; the address stays as it was typed.",
			spec:   `{"network":{"ip":"10.0.0.5/24","ipv6":{"ip":"2001:DB8::5/64"}},"nics":[{"ip":"10.1.0.5/16","cidr":16},{"dhcp":true},null]}`,
			want:   `{"network":{"cidr":24,"ip":"10.0.0.5","ipv6":{"cidr":64,"ip":"2001:DB8::5"}},"nics":[{"cidr":16,"ip":"10.1.0.5"},{"dhcp":true},null]}`,
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			spec := object(t, tc.spec)
			got, formers := Claim(spec)

			if diff := cmp.Diff(tc.want, text(t, got)); diff != "" {
				t.Errorf("%s\nClaim(...): -want, +got:\n%s", tc.reason, diff)
			}

			var says []string
			for _, f := range formers {
				says = append(says, f.String())
			}

			if diff := cmp.Diff(tc.says, says); diff != "" {
				t.Errorf("%s\nformer spellings: -want, +got:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(object(t, tc.spec), spec); diff != "" {
				t.Errorf("The spec itself changed: -want, +got:\n%s", diff)
			}
		})
	}
}

// TestIdentity: what is written differently and means the same has one identity, which is the first release's spelling.
func TestIdentity(t *testing.T) {
	const first = `{"firmware":{"type":"bios"},"network":{"cidr":24,"dhcp":false,"ip":"10.0.0.5"},"nix":{"reboot":"never"},"protection":true,"proxmox":{"bridge":"vmbr1","vlan":20}}`

	for name, spec := range map[string]string{
		"First": first,
		"Today": `{"firmware":{"type":"BIOS"},"network":{"bridge":"vmbr1","dhcp":false,"ip":"10.0.0.5/24","vlan":20},"nix":{"reboot":"Never"},"deletionProtection":true}`,
		"Both":  `{"firmware":{"type":"BIOS"},"network":{"bridge":"vmbr1","dhcp":false,"ip":"10.0.0.5/24","cidr":24},"nix":{"reboot":"never"},"deletionProtection":true,"proxmox":{"bridge":"vmbr1","vlan":20}}`,
	} {
		before := object(t, spec)

		if diff := cmp.Diff(first, text(t, Identity(before))); diff != "" {
			t.Errorf("%s: Identity(...): -want, +got:\n%s", name, diff)
		}

		if diff := cmp.Diff(object(t, spec), before); diff != "" {
			t.Errorf("%s: the spec itself changed: -want, +got:\n%s", name, diff)
		}
	}

	if text(t, Identity(object(t, first))) == text(t, Identity(object(t, `{"proxmox":{"bridge":"vmbr2"}}`))) {
		t.Error("Two specs that say something else have one identity")
	}
}

func TestCatalogue(t *testing.T) {
	const document = `{"defaults":{"protection":true},"images":{"b":{"firmware":{"type":"uefi"}},"a":{"firmware":{"type":"bios"}},"c":{"volume":"x"},"d":1},"nix":{"reboot":"kernel"}}`

	data := object(t, document)
	got, formers := Catalogue(data, "data")

	const want = `{"defaults":{"deletionProtection":true},"images":{"a":{"firmware":{"type":"BIOS"}},"b":{"firmware":{"type":"UEFI"}},"c":{"volume":"x"},"d":1},"nix":{"reboot":"kernel"}}`
	if diff := cmp.Diff(want, text(t, got)); diff != "" {
		t.Errorf("Catalogue(...): -want, +got:\n%s", diff)
	}

	says := []Former{
		{Path: "data.defaults.protection", Has: "protection", Write: "deletionProtection: true"},
		{Path: "data.images.a.firmware.type", Has: "bios", Write: "type: BIOS"},
		{Path: "data.images.b.firmware.type", Has: "uefi", Write: "type: UEFI"},
	}
	if diff := cmp.Diff(says, formers); diff != "" {
		t.Errorf("Former spellings, in the order of their paths: -want, +got:\n%s", diff)
	}

	if diff := cmp.Diff(object(t, document), data); diff != "" {
		t.Errorf("The catalogue itself changed: -want, +got:\n%s", diff)
	}

	if got, formers := Catalogue("text", "data"); got != "text" || formers != nil {
		t.Errorf("What is no catalogue comes back as it is: got %v, %v", got, formers)
	}
}
