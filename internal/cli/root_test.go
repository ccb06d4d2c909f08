package cli

import (
	"runtime"
	"strings"
	"testing"
)

// TestRoot: what a person meets who does not know the commands yet.
func TestRoot(t *testing.T) {
	cases := map[string]struct {
		reason   string
		args     []string
		code     ExitCode
		out, err string
	}{
		"Nothing":     {"without a command there is the help", nil, ExitOK, "  render      Show what claims make\n", ""},
		"Help":        {"the usage has the words that a person types", []string{"render", "--help"}, ExitOK, "  kubectl machine render -f FILE|FOLDER|- [flags]\n", ""},
		"Unknown":     {"a command that there is none of is a fault of the command line", []string{"rendr"}, ExitUsage, "", `unknown command "rendr": did you mean render?`},
		"Completion":  {"shells complete", []string{"completion", "fish"}, ExitOK, "complete", ""},
		"Version":     {"a checkout is no release, and the platform tells which archive it would be", []string{"version"}, ExitOK, "kubectl-machine unreleased " + runtime.GOOS + "/" + runtime.GOARCH + "\n", ""},
		"VersionOf":   {"version reads nothing", []string{"version", "x"}, ExitUsage, "", `unexpected argument "x"`},
		"VersionFlag": {"as other programs have it", []string{"--version"}, ExitOK, "kubectl-machine unreleased " + runtime.GOOS + "/" + runtime.GOARCH + "\n", ""},
		"Flavor":      {"English has two spellings", []string{"render", "--flavor", "namespaced"}, ExitUsage, "", "unknown flag --flavor: did you mean --flavour?"},
		"Filename":    {"kubectl's own word", []string{"lint", "--filename=a.yaml"}, ExitUsage, "", "unknown flag --filename: did you mean --file?"},
		"FlagTypo":    {"a typing error", []string{"why", "dns01", "--namspace", "a"}, ExitUsage, "", "unknown flag --namspace: did you mean --namespace?"},
		"NoSuchFlag":  {"nothing is near", []string{"plan", "--zzz"}, ExitUsage, "", "unknown flag --zzz: `kubectl machine plan --help` lists the flags"},
		"JSON":        {"what other command lines have as a flag", []string{"get", "--json"}, ExitUsage, "", "unknown flag --json: did you mean -o json?"},
		"NoJSON":      {"a command that prints no JSON", []string{"init", "--json"}, ExitUsage, "", "unknown flag --json: `kubectl machine init --help` lists the flags"},
		"EmptyOutput": {"a variable that is not set", []string{"get", "-o", ""}, ExitUsage, "", "--output is empty"},
		"Output":      {"a value that is nearly one", []string{"render", "-f", "a.yaml", "-o", "yml"}, ExitUsage, "", "picture; did you mean yaml?"},
		"Colour":      {"a word that is none", []string{"lint", "-f", "a.yaml", "--color", "sometimes"}, ExitUsage, "", "must be auto, always or never"},
		"ExitCodes":   {"the help says how it ends", []string{"lint", "--help"}, ExitOK, "Exit codes:\n  0  all is well\n", ""},
		"ExitOfWhy":   {"also what only one command has", []string{"why", "--help"}, ExitOK, "  3  the machine waits for something\n", ""},
		"Effects":     {"the help of plan has all effects", []string{"plan", "--help"}, ExitOK, "wait, create, change, reboot, new-vm, refused, replace, destroy", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := call(t, "", tc.args...)
			if got.code != tc.code || !strings.Contains(got.stdout, tc.out) || !strings.Contains(got.stderr, tc.err) || tc.err == "" && got.stderr != "" {
				t.Errorf("%s: want exit code %d, %q and %q, got %+v", tc.reason, tc.code, tc.out, tc.err, got)
			}
		})
	}
}
