package cli

import (
	"strings"
	"testing"
)

// TestHelp: every command's help has examples and exit codes, and no word of a flag's text in place of its value.
func TestHelp(t *testing.T) {
	for _, cmd := range newRoot(Streams{}).Commands() {
		got := call(t, "", cmd.Name(), "--help")

		for _, want := range []string{"Examples:\n  ", "Exit codes:\n  0  ", "--color when"} {
			if !strings.Contains(got.stdout, want) {
				t.Errorf("%s --help lacks %q:\n%s", cmd.Name(), want, got.stdout)
			}
		}

		if strings.Contains(got.stdout, "--observed kubectl") {
			t.Errorf("%s --help takes a command for the value of a flag:\n%s", cmd.Name(), got.stdout)
		}
	}
}

func TestColour(t *testing.T) {
	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: a}\nspec: {clas: small}\n"

	for when, want := range map[string]bool{"always": true, "never": false, "auto": false} {
		got := call(t, claim, "lint", "-f", "-", "--color", when)
		if strings.Contains(got.stdout, "\x1b[31m") != want {
			t.Errorf("--color %s: want colours %t:\n%q", when, want, got.stdout)
		}
	}

	t.Setenv("NO_COLOR", "1")

	if got := call(t, claim, "lint", "-f", "-", "--color", "always"); !strings.Contains(got.stdout, "\x1b[31m") {
		t.Errorf("a person who asks for colours gets them: %q", got.stdout)
	}
}
