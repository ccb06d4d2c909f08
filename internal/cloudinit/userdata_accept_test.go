package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseUserDataTooLong(t *testing.T) {
	text := Header + "\n" + strings.Repeat("#", MaxExtraBytes-len(Header)-1)

	if _, faults := ParseUserData(text, userData); len(faults) > 0 {
		t.Errorf("a text of %d bytes is refused: %v", len(text), faults)
	}

	_, faults := ParseUserData(text+"#", userData)
	if diff := cmp.Diff([]string{"Too long: may not be more than 262144 bytes"}, messages(faults)); diff != "" {
		t.Error(diff)
	}
}

func TestParseUserDataAccepts(t *testing.T) {
	cases := map[string]struct {
		reason string
		text   string
		want   []string
	}{
		"HeaderOnly":  {"There may be nothing yet.", "#cloud-config", nil},
		"Comments":    {"Comments are nothing.", "#cloud-config\n# nothing\n", nil},
		"Null":        {"So is null.", "#cloud-config\nnull\n", nil},
		"Keys":        {"Order is kept.", "#cloud-config\nb: 1\na: 2\n", []string{"b", "a"}},
		"HeaderBlank": {"Blanks and CR after the header do not matter.", "#cloud-config \r\na: 1\r\n", []string{"a"}},
		"StartMark":   {"One document may have its start marked.", "#cloud-config\n---\na: 1\n", []string{"a"}},
		"Anchors":     {"Anchors are common in hand-written YAML.", "#cloud-config\na: &a [1]\nb: *a\nc: {x: *a, y: *a}\n", []string{"a", "b", "c"}},
		"Hashes": {
			"A hash is what goes instead of a password; an account may be locked.",
			"#cloud-config\nusers:\n- {name: a, passwd: $6$rounds=4096$salt$hash}\n- {name: b, hashed_passwd: '$y$j9T$salt$hash'}\n- {name: c, passwd: '!'}\n- {name: d, passwd: '*'}\n" +
				"chpasswd:\n  expire: false\n  users: [{name: a, password: '$6$salt$hash', type: hash}, {name: b, type: RANDOM}]\n  list: ['a:R', 'b:$6$salt$hash']\n",
			[]string{"users", "chpasswd"},
		},
		"References": {
			"To speak of a token is not to show one.",
			"#cloud-config\nruncmd:\n- K3S_TOKEN=$(cat /etc/rancher/k3s/token) x\n- K3S_TOKEN=\"$TOKEN\" x\n- echo 'K10<hash>::server:<password>'\n- x --token-file=/etc/rancher/k3s/token\n",
			[]string{"runcmd"},
		},
		"Dates": {
			"A date that is one, or that is in quotes, can be read.", "#cloud-config\na: 2025-08-05\nb: '2025-13-01'\nc: 2025-08-05T12:30:00Z\nd: 12:30\n",
			[]string{"a", "b", "c", "d"},
		},
		"PublicKey": {
			"Certificates and public keys are public.",
			"#cloud-config\nca_certs:\n  trusted:\n  - |\n    -----BEGIN CERTIFICATE-----\n    MIIB\n    -----END CERTIFICATE-----\n",
			[]string{"ca_certs"},
		},
		"PasswordElsewhere": {"Only at the top level it is cloud-init's password.", "#cloud-config\nx: {password: y}\n", []string{"x"}},
		"Encodings": {
			"Content that cannot be decoded is cloud-init's business.",
			"#cloud-config\nwrite_files:\n- {path: /a, encoding: b64, content: '%%%'}\n- {path: /b, encoding: gzip, content: nothing}\n- {path: /c, encoding: b64, content: " + base64Of("x") + "}\n- {path: /d, encoding: [b64], content: [x]}\n",
			[]string{"write_files"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			extra, faults := ParseUserData(tc.text, userData)
			if len(faults) > 0 {
				t.Fatalf("%s\n%v", tc.reason, faults.ToAggregate())
			}

			var got []string
			for _, e := range extra.entries {
				got = append(got, e.key)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n%s", tc.reason, diff)
			}
		})
	}
}
