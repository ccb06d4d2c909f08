package cli

import (
	"strings"
	"testing"
)

// TestUnknown: what no command line of ours has is answered with what does the same here, in one line.
func TestUnknown(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Misspelt":   {"A letter is missing.", []string{"rendr"}, `unknown command "rendr": did you mean render?`},
		"Apply":      {"The habit of kubectl.", []string{"apply", "-f", "a.yaml"}, `unknown command "apply": ` + byKubectl},
		"List":       {"Another word is nearer by its letters.", []string{"list"}, `unknown command "list": did you mean get?`},
		"Case":       {"Nobody minds capitals.", []string{"Diff"}, `unknown command "Diff": did you mean plan?`},
		"Reboot":     {"A claim has it.", []string{"reboot", "dns01"}, `unknown command "reboot": ` + byClaim},
		"Nothing":    {"Nothing is near.", []string{"frobnicate"}, "unknown command \"frobnicate\": `kubectl machine --help` lists the commands"},
		"File":       {"The command was forgotten.", []string{"hello.yaml"}, `unknown command "hello.yaml": name the command first, and files with -f, such as lint -f hello.yaml`},
		"Flag":       {"It was forgotten before a flag, too.", []string{"-f", "hello.yaml"}, "unknown flag -f: name the command first, such as lint -f FILE"},
		"Capital":    {"A letter in another case.", []string{"render", "-F", "a.yaml"}, "unknown flag -F: did you mean -f?"},
		"Recursive":  {"kubectl reads the files of a folder alone.", []string{"lint", "-R", "-f", "."}, "unknown flag -R: a folder of -f is read with everything below it"},
		"Letter":     {"No flag has it.", []string{"lint", "-x"}, "unknown flag -x: `kubectl machine lint --help` lists the flags"},
		"NoValue":    {"The file was forgotten.", []string{"lint", "-f"}, "-f needs a value behind it: file, folder or https:// URL with claims and catalogues, or - for standard input"},
		"NoValueOf":  {"So was that of a long flag.", []string{"lint", "--flavour"}, "--flavour needs a value behind it: "},
		"Argument":   {"get lists all.", []string{"get", "pods"}, "unexpected argument \"pods\" of get: it takes flags only, which `kubectl machine get --help` lists; `kubectl machine why NAME` is about one machine"},
		"NoArgument": {"A file has a flag.", []string{"lint", "a.yaml"}, `unexpected argument "a.yaml" of lint: name files and folders with -f`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, _, said := runAt(t, "", tc.args...)
			if code != ExitUsage || !strings.HasPrefix(said, "kubectl machine: "+tc.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("%s: want %d and %q in one line, got %d and %q", tc.reason, ExitUsage, tc.want, code, said)
			}
		})
	}
}

// TestOtherCommands: each word of another command line leads to a command that there is, or to a sentence, and none is ours.
func TestOtherCommands(t *testing.T) {
	ours := map[string]bool{}
	for _, cmd := range Commands().Commands() {
		ours[cmd.Name()] = true
	}

	for word, here := range otherCommands {
		if ours[word] || !ours[here] && !strings.Contains(here, " ") {
			t.Errorf("%s: leads to %q", word, here)
		}
	}
}
