package envfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMarshal(t *testing.T) {
	type want struct {
		text string
		err  error
	}

	cases := map[string]struct {
		reason string
		vars   []Variable
		want   want
	}{
		"PlainWordsStayPlain": {
			reason: "People read these files, so what needs no quotes has none.",
			vars:   []Variable{{"RELEASE", "v1.33.6+k3s1"}, {"URL", "https://10.0.0.1:6443"}},
			want:   want{text: "RELEASE=v1.33.6+k3s1\nURL=https://10.0.0.1:6443\n"},
		},
		"EmptyIsLeftOut": {
			reason: "A variable without a value says nothing.",
			vars:   []Variable{{"A", ""}, {"B", "b"}},
			want:   want{text: "B=b\n"},
		},
		"Quoted": {
			reason: "Blanks and the characters that mean something to a shell are quoted.",
			vars:   []Variable{{"CHECK", `test "$(id -u)" = 0 && echo \ok` + "`x`"}},
			want:   want{text: `CHECK="test \"\$(id -u)\" = 0 && echo \\ok` + "\\`x\\`\"\n"},
		},
		"NoText": {
			reason: "What is no UTF-8 would come out as something else.",
			vars:   []Variable{{"A", "a\xff"}},
			want:   want{err: cmpopts.AnyError},
		},
		"LineEnd": {
			reason: "A line end would begin another variable.",
			vars:   []Variable{{"A", "a\nB=b"}},
			want:   want{err: cmpopts.AnyError},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			text, err := Marshal(tc.vars...)

			if diff := cmp.Diff(tc.want.err, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s\nMarshal(): -want err, +got err:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.text, text); diff != "" {
				t.Errorf("%s\nMarshal(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestShellReadsItBack sources the file, since scripts are tested and run by hand that way.
func TestShellReadsItBack(t *testing.T) {
	values := []string{"https://a:6443/x%2By?", "#a", "$(x)`y`", "plain", "two words", `"quoted"`, `a\b`, "$HOME", "`id`", "$(id)", "it's", "100%", "#no comment", "ä€", "~", "a;b|c&d", "*", "!x"}

	for _, v := range values {
		text, err := Marshal(Variable{"X", v})
		if err != nil {
			t.Fatal(err)
		}

		file := filepath.Join(t.TempDir(), "env")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		out, err := exec.Command("sh", "-c", `. "$1"; printf %s "$X"`, "sh", file).CombinedOutput()
		if err != nil {
			t.Fatalf("sh: %v: %s", err, out)
		}

		if diff := cmp.Diff(v, string(out)); diff != "" {
			t.Errorf("sh reads %q differently: -want, +got:\n%s", text, diff)
		}
	}
}
