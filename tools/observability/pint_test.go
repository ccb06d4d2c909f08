package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPint has pint see, with the rules that we gave it, what each alert must have for those who get it.
func TestPint(t *testing.T) {
	pint, err := filepath.Abs("../../.tools/bin/pint")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(pint); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("pint is not there: make tool-pint")
		}

		t.Skip("pint is not there: make tool-pint")
	}

	cases := map[string]struct {
		reason        string
		before, after string
		want          string
	}{
		"Good":       {reason: "There is nothing to say."},
		"Severity":   {reason: "Receivers route by three words.", before: "{severity: critical}", after: "{severity: page}", want: "rule/label"},
		"AtOnce":     {reason: "A scrape that fails once is nobody's business.", before: "for: 45m", after: "for: 0s", want: "rule/for"},
		"NoSummary":  {reason: "A name is not enough.", before: "has not been ready for 45 minutes.", after: "has not been ready", want: "`summary` annotation"},
		"NoRemedy":   {reason: "Who is woken wants to know what to do.", before: "Synced and Ready.", after: "Synced and Ready", want: "`description` annotation"},
		"NoPage":     {reason: "There is more to read.", before: "runbook_url", after: "runbook", want: "`runbook_url` annotation"},
		"Label":      {reason: "A label that is not there is an empty word.", before: "$labels.reason", after: "$labels.pod", want: "non-existent label"},
		"Expression": {reason: "It has to be PromQL.", before: `{state="Blocked"}`, after: `{state="Blocked"`, want: "promql/syntax"},
		"Pattern":    {reason: "A pattern that is a word is slower, and says that there are others.", before: `state="Blocked"`, after: `state=~"Blocked"`, want: "promql/regexp"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			out, err := exec.CommandContext(t.Context(), pint, "--no-color", "--offline", "--config", "../pint/pint.hcl", "lint", "--fail-on", "warning",
				filepath.Join(edited(t, alertsFile, tc.before, tc.after), alertsFile)).CombinedOutput()

			if refused := err != nil; refused != (tc.want != "") || !strings.Contains(string(out), tc.want) {
				t.Errorf("%s\nwant %q, got: %v\n%s", tc.reason, tc.want, err, out)
			}
		})
	}
}
