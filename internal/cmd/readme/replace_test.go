package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReplace(t *testing.T) {
	type want struct {
		readme string
		err    error
	}

	cases := map[string]struct {
		reason string
		readme string
		err    error
		want   want
	}{
		"Renewed": {
			reason: "The block below a command is what the command prints.",
			readme: "# A\n\n```shell\nmake -s preview CLAIM=x\n```\n\nshows\n\n```yaml\nold: 1\nold: 2\n```\n\nend\n",
			want:   want{readme: "# A\n\n```shell\nmake -s preview CLAIM=x\n```\n\nshows\n\n```yaml\nnew: make -s preview CLAIM=x\n```\n\nend\n"},
		},
		"CommandLine": {
			reason: "So is that below a call of the command line with an example, whatever form it has.",
			readme: "```shell\nkubectl machine plan -f example/x\n```\n```text\nold\n```\n```shell\ngo run ./cmd/kubectl-machine render -f x\n```\n```json\n{}\n```\n",
			want: want{readme: "```shell\nkubectl machine plan -f example/x\n```\n```text\nnew: kubectl machine plan -f example/x\n```\n" +
				"```shell\ngo run ./cmd/kubectl-machine render -f x\n```\n```json\nnew: go run ./cmd/kubectl-machine render -f x\n```\n"},
		},
		"Piped": {
			reason: "So is that of an example that sed edits, and of nothing else that sed edits.",
			readme: "```shell\nsed s/a/b/ example/x | kubectl machine plan -f -\n```\n```text\nold\n```\n```shell\nsed s/a/b/ x.yaml | kubectl apply -f -\n```\n```text\nx\n```\n",
			want: want{readme: "```shell\nsed s/a/b/ example/x | kubectl machine plan -f -\n```\n```text\nnew: sed s/a/b/ example/x | kubectl machine plan -f -\n```\n" +
				"```shell\nsed s/a/b/ x.yaml | kubectl apply -f -\n```\n```text\nx\n```\n"},
		},
		"OthersLeftAlone": {
			reason: "Blocks that are no output of ours stay.",
			readme: "```yaml\nclaim: 1\n```\n```shell\nkubectl get x\nkubectl machine plan -f x.yaml\n```\n```yaml\nx: 1\n```\n",
			want:   want{readme: "```yaml\nclaim: 1\n```\n```shell\nkubectl get x\nkubectl machine plan -f x.yaml\n```\n```yaml\nx: 1\n```\n"},
		},
		"NoOutput": {
			reason: "A command without its output proves nothing.",
			readme: "```shell\nmake -s preview CLAIM=x\n```\n",
			want:   want{err: cmpopts.AnyError},
		},
		"CommandFails": {
			reason: "A command that does not work is a fault of the README.",
			readme: "```shell\nmake -s preview CLAIM=x\n```\n```yaml\n```\n",
			err:    errors.New("boom"),
			want:   want{err: cmpopts.AnyError},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := replace([]byte(tc.readme), func(c string) ([]byte, error) { return []byte("new: " + c + "\n"), tc.err })

			if diff := cmp.Diff(tc.want.err, err, cmpopts.EquateErrors()); diff != "" {
				t.Errorf("%s\nreplace(): -want err, +got err:\n%s", tc.reason, diff)
			}

			if diff := cmp.Diff(tc.want.readme, string(got)); diff != "" {
				t.Errorf("%s\nreplace(): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestOutput: a command has to end with the exit code that the README says.
func TestOutput(t *testing.T) {
	for name, tc := range map[string]struct {
		reason, command, want string
		fails                 bool
	}{
		"Works":    {"No exit code is said, and it is 0.", "echo a", "a\n", false},
		"Fails":    {"No exit code is said, and it is another one.", "echo a; exit 4", "", true},
		"Said":     {"It is what the README says.", "sh -c 'echo a; exit 4' # exit code 4", "a\n", false},
		"Another":  {"It is another one.", "sh -c 'echo a; exit 3' # exit code 4", "", true},
		"None":     {"The command works, although the README says that it does not.", "echo a # exit code 4", "", true},
		"NoNumber": {"Another comment says nothing.", "echo a # exit code", "a\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := output(tc.command)
			if string(got) != tc.want || (err != nil) != tc.fails {
				t.Errorf("%s Want %q and a fault: %t; got %q, %v", tc.reason, tc.want, tc.fails, got, err)
			}
		})
	}
}

// TestRenewChecks: with -check nothing is written, and a README that is not true fails.
func TestRenewChecks(t *testing.T) {
	const text = "```shell\nmake -s preview CLAIM=x\n```\n```yaml\nold\n```\n"

	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}

	answer := func(string) ([]byte, error) { return []byte("new\n"), nil }

	if err := renew(file, true, answer); err == nil {
		t.Error("a README that is not true passes")
	}

	if got, _ := os.ReadFile(file); string(got) != text {
		t.Error("-check writes")
	}

	if err := renew(file, false, answer); err != nil {
		t.Fatal(err)
	}

	if err := renew(file, true, answer); err != nil {
		t.Errorf("a README that was renewed fails: %v", err)
	}
}
