package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
)

// TestBroken: who reads manifests to render them has the sentence of who lints them, with the same place.
func TestBroken(t *testing.T) {
	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\n"

	cases := map[string]struct {
		reason string
		text   string
		want   string // The sentence, with its place in the file.
	}{
		"Tab": {
			reason: "YAML takes blanks.", text: claim + "spec:\n\tclass: small\n",
			want: ":5:1: is indented with a tab: YAML takes blanks only, two a level",
		},
		"KeyTwice": {
			reason: "Kubernetes keeps one of two.", text: claim + "spec:\n  class: small\n  class: medium\n",
			want: ":6:3: spec.class: is there twice: line 5 has it, too",
		},
		"Anchor": {
			reason: "A star begins an alias.", text: claim + "spec:\n  class: *small\n",
			want: ":5:10: is no YAML: unknown anchor 'small' referenced: text that begins with * needs quotes; and an anchor counts only in its own document, between two lines of ---",
		},
		"AnchorInList": {
			reason: "The alias in a comment is none.", text: claim + "# See *small.\nspec: {a: 2 * smaller, class: [*smaller,*small]}\n",
			want: ":5:32: is no YAML: unknown anchor 'smaller' referenced: text that begins with * needs quotes; and an anchor counts only in its own document, between two lines of ---",
		},
		"SecondDocument": {
			reason: "The line is that of the file.", text: claim + "---\n" + claim + "kind: K3sNode\n",
			want: ":8:1: kind: is there twice: line 6 has it, too",
		},
		"List": {
			reason: "A manifest is an object.", text: "# A comment.\n- apiVersion: homelab.io/v1alpha1\n",
			want: ":2:1: is a list, and a manifest is an object: remove the hyphen, or the brackets, around each, and separate several by a line with ---",
		},
		"Text": {
			reason: "Another tool's file has no objects.", text: "resource \"proxmox_virtual_environment_vm\" \"a\" {}\n",
			want: ":1:1: " + manifest.NoManifest,
		},
		"Slashes": {
			reason: "Comments of other languages.", text: claim + "spec:\n  // The smallest one.\n  class: small\n",
			want: ":5:1: is no comment: in YAML a comment begins with #, and JSON has none",
		},
		"NoBlankAtTheEnd": {
			reason: "The line is the last one.", text: claim + "spec:\n  class: small\n  image:debian-13\n",
			want: ":6:3: is no YAML: a blank is missing behind the colon of image",
		},
		"Latin1": {
			reason: "An editor of Windows saved it.", text: claim + "spec:\n  class: small # gr\xfc\xdfe\n",
			want: ":5:20: is not UTF-8: save the file in that encoding",
		},
		"Control": {
			reason: "Nobody sees the letter.", text: claim + "spec:\n  class: sm\x08all\n",
			want: ":5:12: has a control character (U+0008): remove it",
		},
		"Markdown": {
			reason: "The fence was copied, too.", text: "```yaml\n" + claim + "spec: {class: small}\n",
			want: ":1:1: is a line of Markdown around the manifest: remove it",
		},
		"MarkdownBelow": {
			reason: "So was the one at the end.", text: claim + "spec: {class: small}\n```\n",
			want: ":5:1: is a line of Markdown around the manifest: remove it",
		},
		"Command": {
			reason: "The command above the output was copied.", text: "$ cat claim.yaml\n" + claim + "spec: {class: small}\n",
			want: ":1:1: is a command, as a page shows it above its output: remove the line",
		},
		"Diff": {
			reason: "A line of a pull request begins with its mark.", text: claim + "spec:\n+  class: small\n  image: debian-13\n",
			want: ":5:1: begins with the + of a diff: remove the first letter of its lines",
		},
		"Brace": {
			reason: "The brace is never closed.", text: claim + "spec: {class: small\n",
			want: ":4:1: is no YAML: did not find expected ',' or '}': a brace { is not closed, or a comma is missing",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "claim.yaml")
			if err := os.WriteFile(file, []byte(tc.text), 0o600); err != nil {
				t.Fatal(err)
			}

			raw, err := manifest.ReadRaw([]string{file}, nil)
			if err != nil {
				t.Fatal(err)
			}

			var linted []string
			for _, f := range parse(raw[0], true).faults {
				linted = append(linted, strings.TrimPrefix(f.String(), file))
			}

			if diff := cmp.Diff([]string{tc.want}, linted); diff != "" {
				t.Errorf("%s\nlint: -want, +got:\n%s", tc.reason, diff)
			}

			_, err = manifest.Read([]string{file}, nil)
			if err == nil {
				t.Fatalf("%s: read without an error", tc.reason)
			}

			if diff := cmp.Diff("cannot parse manifests: "+file+tc.want, err.Error()); diff != "" {
				t.Errorf("%s\nread: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
