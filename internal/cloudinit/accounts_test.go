package cloudinit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

// TestMergeKeys: cloud-init gives ssh_authorized_keys to the image's default user, which a list of users suppresses: nobody could log in.
func TestMergeKeys(t *testing.T) {
	const own, ann = "ssh-ed25519 AAAA ops@home", "ssh-ed25519 BBBB ann@home"

	type want struct {
		Users []any    `yaml:"users"`
		Keys  []string `yaml:"ssh_authorized_keys"`
	}

	ops := func(keys ...any) map[string]any {
		return map[string]any{"name": "ops", "lock_passwd": true, "ssh_authorized_keys": keys}
	}

	cases := map[string]struct {
		reason string
		users  []User
		extra  string
		want   want
	}{
		"Account": {
			reason: "They are among the account's own keys, each once.",
			users:  []User{{Name: "ops", LockPasswd: new(true), SSHAuthorizedKeys: []string{own}}},
			extra:  "ssh_authorized_keys: [" + ann + ", " + own + "]",
			want:   want{Users: []any{ops(own, ann)}},
		},
		"AccountWithoutKeys": {
			reason: "The account is created for them.",
			extra:  "ssh_authorized_keys: [" + ann + "]",
			want:   want{Users: []any{ops(ann)}},
		},
		"BesideOthers": {
			reason: "Other accounts stay.",
			users:  []User{{Name: "ops", LockPasswd: new(true), SSHAuthorizedKeys: []string{own}}},
			extra:  "users: [bob]\nssh_authorized_keys: [" + ann + "]",
			want:   want{Users: []any{ops(own, ann), "bob"}},
		},
		"UsersOwnAccount": {
			reason: "The user creates the account, and says more of it than we would.",
			extra:  "users: [bob, {name: ops, shell: /bin/zsh, ssh_authorized_keys: [" + own + "]}]\nssh_authorized_keys: [" + ann + "]",
			want:   want{Users: []any{"bob", map[string]any{"name": "ops", "shell": "/bin/zsh", "ssh_authorized_keys": []any{own, ann}}}},
		},
		"UsersOwnAccountByName": {
			reason: "Cloud-init splits names at commas.",
			extra:  "users: ['bob, ops']\nssh_authorized_keys: [" + ann + "]",
			want:   want{Users: []any{"bob", map[string]any{"name": "ops", "ssh_authorized_keys": []any{ann}}}},
		},
		"NoKeys": {
			reason: "Without keys there is no account to create.",
			extra:  "locale: C.UTF-8",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := Document{Users: tc.users}
			r := rules()
			r.Account = &User{Name: "ops", LockPasswd: new(true)}

			if faults := add(t, &d, r, tc.extra); len(faults) > 0 {
				t.Fatalf("%s\n%v", tc.reason, faults)
			}

			// A VM that exists has its keys where they were, and its claim has not changed.
			before := Document{Users: tc.users}
			add(t, &before, rules(), tc.extra)

			if d.Fingerprint() != before.Fingerprint() {
				t.Errorf("%s\nthe fingerprint changed", tc.reason)
			}

			former, err := d.As(ReleaseV010).Marshal()
			if err != nil {
				t.Fatal(err)
			}

			if text, err := before.Marshal(); err != nil || string(text) != string(former) {
				t.Errorf("%s\nas the first release wrote it: %v\n%s\nwant:\n%s", tc.reason, err, former, text)
			}

			text, err := d.Marshal()
			if err != nil {
				t.Fatal(err)
			}

			schematest.New(t).Check(t, name, text)

			var got want
			if err := yaml.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}

			// Marshal must not change the document.
			if again, err := d.Marshal(); err != nil || string(again) != string(text) || strings.Count(string(again), "BBBB") > 1 {
				t.Errorf("%s\nthe second time it is another document: %v\n%s", tc.reason, err, again)
			}
		})
	}
}
