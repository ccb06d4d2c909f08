package cloudinit

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// read decodes user-data the way a test looks at it.
func read(t *testing.T, text []byte) map[string]any {
	t.Helper()

	var document map[string]any
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatalf("cannot read back: %v\n%s", err, text)
	}

	return document
}

// FuzzUserData puts any text through parse, merge and marshal. Whatever it is,
// nothing panics; and if it is taken, the document reads back, ours is as it was,
// and the rest is what the user wrote.
func FuzzUserData(f *testing.F) {
	for _, seed := range []string{
		"", "#cloud-config", "#cloud-config\na: 1\n", "#cloud-config\nusers: [default, {name: ann, passwd: '!'}]\npackages: [a, [b, c], {snap: [d]}]\n",
		"#cloud-config\nwrite_files:\n- path: /x\n  content: !!binary YQ==\n- path: /y\n  content: |2\n     a\n    b\n",
		"#cloud-config\nruncmd:\n- exit\n- [a, \"b'c\"]\n-\nbootcmd: [x]\n", "#cloud-config\na: &a {b: [1, 0o7, 0x1f, 1_0, 12:30, .nan, ~, 2020-01-01, yes, '', \"\\u0085\"]}\nc: *a\n",
		"#cloud-config\na: >\n  folded\n   more\n\n  text\n\nb: |+\n  kept\n\n\nc: |-\n  x\n", "#cloud-config\n%YAML 1.1\n---\na: b # c\n...\n",
		"#cloud-config\na: !!binary 0\nb: !!binary 000 0\n", "#cloud-config\na:\n- 0: x\n  '0': y\n", "#cloud-config\na: <<\nb: =\nc: 0x_\nd: 2025-13-01\n",
		"#cloud-config\n? a\n: b\n? {c: d}\n: e\n<<: {f: g}\n", "#cloud-config\nchpasswd: {list: \"a:b\\nc\", users: [{name: a}]}\npassword: x\nhostname: y\n",
	} {
		f.Add(seed)
	}

	base := node()

	own, err := base.Marshal()
	if err != nil {
		f.Fatal(err)
	}

	f.Fuzz(func(t *testing.T, text string) {
		extra, faults := ParseUserData(text, userData)
		if (extra == nil) != (len(faults) > 0) {
			t.Fatalf("extra is %v with %d faults", extra, len(faults))
		}

		document := base

		faults = append(faults, document.Merge(extra, rules(), userData)...)
		if len(faults) > 0 {
			if document.Fingerprint() != base.Fingerprint() {
				t.Fatal("refused, and changed all the same")
			}

			if len(faults.ToAggregate().Error()) == 0 {
				t.Fatal("a fault without a message")
			}

			return
		}

		got, err := document.Marshal()
		if err != nil {
			// Deep indentation can make a short text long.
			if !strings.Contains(err.Error(), "Proxmox reads at most") {
				t.Fatal(err)
			}

			return
		}

		again, err := document.Marshal()
		if err != nil || !bytes.Equal(got, again) {
			t.Fatal("the second Marshal gave other bytes")
		}

		checkOwn(t, read(t, own), read(t, got))

		// The Go reader takes no blanks in !!binary, as PyYAML does.
		if !strings.Contains(text, tagBinary) {
			checkTheirs(t, read(t, []byte(text)), read(t, got))
		}
	})
}

// checkOwn compares what the document had before.
func checkOwn(t *testing.T, before, after map[string]any) {
	t.Helper()

	for key, want := range before {
		got := after[key]

		switch key {
		case "users", "packages", "write_files":
			got = got.([]any)[:len(want.([]any))]
		case "runcmd":
			got = got.([]any)[len(got.([]any))-len(want.([]any)):]
		case "package_update", "package_upgrade", "final_message":
			continue
		}

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -before, +after:\n%s", key, diff)
		}
	}
}

// checkTheirs compares what the user wrote.
func checkTheirs(t *testing.T, source, after map[string]any) {
	t.Helper()

	for key, want := range source {
		got, ok := after[key]
		if !ok && want != nil && !cmp.Equal(want, []any{}) && key != "runcmd" {
			t.Errorf("%s is lost", key)
		}

		switch key {
		case "users", "write_files":
			theirs, _ := want.([]any)
			if len(theirs) == 0 {
				continue
			}

			want, got = theirs, got.([]any)[1:]
		case "packages", "runcmd", "ssh_authorized_keys":
			// Joined: the tables of TestMerge look at them.
			continue
		}

		if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: -written, +merged:\n%s", key, diff)
		}
	}
}
