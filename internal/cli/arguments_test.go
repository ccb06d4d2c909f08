package cli

import (
	"strings"
	"testing"
)

// TestFurtherFiles: the shell puts the names of many files in place of *.yaml, and -f takes the first one.
func TestFurtherFiles(t *testing.T) {
	cases := map[string]struct {
		reason string
		args   []string
		want   string
	}{
		"Further": {"Who wrote -f hears how to name more.", []string{"lint", "-f", "a.yaml", "b.yaml"}, `unexpected argument "b.yaml" of lint: write -f in front of each file, or name their folder, such as -f .`},
		"Catalogue": {
			"It has a flag of its own.",
			[]string{"privileges", "site/catalogue.yaml"},
			`unexpected argument "site/catalogue.yaml" of privileges: a catalogue is named with --catalogue, and claims with -f: privileges --catalogue site/catalogue.yaml`,
		},
		"LintsIt": {"lint judges catalogues, too.", []string{"lint", "catalogue.yaml"}, `unexpected argument "catalogue.yaml" of lint: name files and folders with -f, such as lint -f catalogue.yaml`},
		"Out": {
			"Terraform keeps a plan in a file.",
			[]string{"plan", "-out=p.bin", "-f", "."},
			`unknown flag -out: nothing is kept for later, and Flux or kubectl apply what Git has; -o says in which form the answer is, and > FILE keeps it`,
		},
		"Config": {"What adopt reads is no claim.", []string{"adopt", "-f", "guests.json"}, "unknown flag -f: did you mean --config?"},
		"Alone":  {"Who did not hears of it.", []string{"lint", "b.yaml"}, `unexpected argument "b.yaml" of lint: name files and folders with -f, such as lint -f b.yaml`},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			if code, _, said := runAt(t, "", tc.args...); code != ExitUsage || !strings.HasSuffix(said, tc.want+"\n") {
				t.Errorf("%s: want %q, got %d: %s", tc.reason, tc.want, code, said)
			}
		})
	}
}

// TestPlanOfNothing: where nothing is observed, every machine is new.
func TestPlanOfNothing(t *testing.T) {
	lintFiles(t, map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": rightClaim})

	code, out, said := runAt(t, "", "plan", "-f", "dns01.yaml", "--observed", "none")
	if code != 0 || !strings.Contains(out, "Machine infra/dns01: new") || !strings.HasSuffix(out, "Plan: 1 new.\n") {
		t.Errorf("want a new machine, got %d:\n%s%s", code, out, said)
	}
}
