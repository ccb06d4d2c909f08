package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/lint"
)

const (
	lintedCatalogue = `apiVersion: apiextensions.crossplane.io/v1beta1
kind: EnvironmentConfig
metadata: {name: machine-catalog}
data:
  defaults: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ5cZ3m1H0f1l0a3mQ0k6r3Vn1bq8o4J9yM2s7u1xKzP]}
  classes:
    tiny: {cores: 1, memory: 1Gi, disk: 10Gi}
`
	rightClaim = `apiVersion: homelab.io/v1alpha1
kind: Machine
metadata: {name: dns01, namespace: infra}
spec:
  class: tiny
  proxmox: {node: pve}
`
)

// lintFiles writes files into a folder of the test, and makes it the working folder.
func lintFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("PATH", "") // Nobody's kubectl-machine-lint.

	// The search for a catalogue ends here, whatever lies beside the folder.
	if err := os.Mkdir(".git", 0o750); err != nil {
		t.Fatal(err)
	}

	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLint(t *testing.T) {
	wrong := strings.Replace(rightClaim, "tiny", "tny", 1)
	redundant := strings.Replace(rightClaim, "class: tiny", "class: tiny\n  size: {cores: 1}", 1)

	site := "apiVersion: homelab.io/v1alpha1\nkind: ProxmoxSite\nmetadata: {name: home, namespace: infra}\nspec: {}\n"

	cases := map[string]struct {
		reason string
		files  map[string]string
		stdin  string
		args   []string
		want   ExitCode
		out    string // All of it.
		err    string // A part of it.
	}{
		"Right": {
			reason: "the catalogue beside a claim is the claim's",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": rightClaim},
			args:   []string{"-f", "dns01.yaml"}, err: "no fault in 1 claim, with the catalogue in catalogue.yaml",
		},
		"Wrong": {
			reason: "a fault has its place, and ends the process with a code of its own",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": wrong},
			args:   []string{"-f", "."}, want: ExitFound,
			out: `dns01.yaml:5:10: spec.class: "tny": there is no class of that name; did you mean tiny? There are: tiny, large, micro, small, medium` + "\n",
			err: "1 fault in 1 claim and 1 catalogue",
		},
		"Stdin": {
			reason: "a claim may come from another program, and its catalogue from anywhere",
			files:  map[string]string{"other/cat.yaml": lintedCatalogue}, stdin: wrong,
			args: []string{"-f", "-", "--catalogue", "other/cat.yaml"}, want: ExitFound,
			out: `-:5:10: spec.class: "tny": there is no class of that name; did you mean tiny? There are: tiny, large, micro, small, medium` + "\n",
		},
		"NoCatalogue": {
			reason: "who forgot the catalogue reads so",
			files:  map[string]string{"dns01.yaml": rightClaim},
			args:   []string{"-f", "dns01.yaml"}, want: ExitFound,
			out: `dns01.yaml:5:10: spec.class: "tiny": there is no class of that name; there are: micro, large, medium, small; no catalogue was read: name its file ` +
				"with --catalogue, or lint it together with the claims\n",
		},
		"Useless": {
			reason: "what is accepted and useless is no fault",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": redundant},
			args:   []string{"-f", "dns01.yaml"},
			out:    "dns01.yaml:6:10: warning: spec.size.cores: has no effect: class tiny says the same\n", err: "no fault and 1 warning",
		},
		"Strict": {
			reason: "unless the caller is strict",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": redundant},
			args:   []string{"-f", "dns01.yaml", "--strict"}, want: ExitFound,
			out: "dns01.yaml:6:10: spec.size.cores: has no effect: class tiny says the same\n", err: "1 fault in",
		},
		"Patch": {
			reason: "a patch is a part of a claim, of which nobody can tell what is missing",
			files: map[string]string{
				"catalogue.yaml": lintedCatalogue, "dns01.yaml": rightClaim, "patch.yaml": strings.Replace(rightClaim, "class: tiny", "klass: x", 1),
				"kustomization.yaml": "resources: [dns01.yaml]\npatches:\n  - path: patch.yaml\n",
			},
			args: []string{"-f", "."}, err: "no fault in 1 claim",
		},
		"NoYAML": {
			reason: "a file that is no YAML keeps nobody from reading of the others",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "a.yaml": "apiVersion: homelab.io/v1alpha1\nspec:\n\tx: 1\n", "dns01.yaml": wrong},
			args:   []string{"-f", "."}, want: ExitFound,
			out: "a.yaml:3:1: is indented with a tab: YAML takes blanks only, two a level\n" +
				`dns01.yaml:5:10: spec.class: "tny": there is no class of that name; did you mean tiny? There are: tiny, large, micro, small, medium` + "\n",
		},
		"Above": {
			reason: "a claim of a repository finds the catalogue of the repository",
			files:  map[string]string{"repo/catalogue/machine-catalog.yaml": lintedCatalogue, "repo/machines/agents/dns01.yaml": rightClaim, "repo/.git/config": ""},
			args:   []string{"-f", "repo/machines"}, err: "no fault in 1 claim, with the catalogue in repo/catalogue/machine-catalog.yaml",
		},
		"OtherRepository": {
			reason: "the search ends where the repository does",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "repo/dns01.yaml": strings.Replace(rightClaim, "tiny", "small", 1) + "  hostname: A\n", "repo/.git/config": ""},
			args:   []string{"-f", "repo"}, want: ExitFound,
			out: `repo/dns01.yaml:7:13: spec.hostname: "A": VM name contains invalid characters: write a, since a DNS name has lower case letters, digits and hyphens` + "\n",
		},
		"Foreign": {
			reason: "templates of a chart are other people's",
			files:  map[string]string{"catalogue.yaml": lintedCatalogue, "dns01.yaml": rightClaim, "chart/templates/x.yaml": "{{- if .x }}\nkind: Service\n{{ end }}\n", "list.yaml": "- a\n", "values.yaml": "a: 1\na: 2\n"},
			args:   []string{"-f", "."}, err: "no fault in 1 claim and 1 catalogue",
		},
		"Nothing": {
			reason: "a folder without a claim is probably another one",
			files:  map[string]string{"service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n"},
			args:   []string{"-f", "."}, want: ExitFailed, err: "no claim and no catalogue in .: found Service; a claim is a document of kind Machine",
		},
		"Flavour": {
			reason: "what the provider of an installation cannot do is a fault where the project is installed so",
			files:  map[string]string{"site.yaml": site}, args: []string{"-f", "site.yaml", "--flavour", "legacy"}, want: ExitFound,
			out: "site.yaml:2:1: kind: a ProxmoxSite needs provider-proxmox-bpg v1.18.0 or later (docs/compatibility.md). Upgrade the provider\n",
		},
		"RememberedFlavour": {
			reason: "the catalogue remembers it, as for render and plan",
			files:  map[string]string{"site.yaml": site, "catalogue.yaml": strings.Replace(lintedCatalogue, "machine-catalog", "machine-catalog, annotations: {homelab.io/flavour: legacy}", 1)},
			args:   []string{"-f", "site.yaml"}, want: ExitFound,
			out: "site.yaml:2:1: kind: a ProxmoxSite needs provider-proxmox-bpg v1.18.0 or later (docs/compatibility.md). Upgrade the provider\n",
		},
		"UnknownFlavour": {
			reason: "a flavour that there is none of is refused in the words of render", args: []string{"-f", ".", "--flavour", "claim"},
			want: ExitUsage, err: `unknown flavour "claim": want one of namespaced, claims, legacy`,
		},
		"Flavor":    {reason: "English has two spellings", args: []string{"-f", ".", "--flavor", "claims"}, want: ExitUsage, err: "unknown flag --flavor: did you mean --flavour?"},
		"NoFile":    {reason: "the path is wrong", args: []string{"-f", "none.yaml"}, want: ExitFailed, err: "cannot find the manifest"},
		"NoFlag":    {reason: "nothing to read", want: ExitUsage, err: "name files or folders with -f"},
		"Format":    {reason: "a format that does not exist", args: []string{"-f", ".", "-o", "xml"}, want: ExitUsage, err: `unknown output "xml": want one of text, json`},
		"APIServer": {reason: "outside of a checkout nobody can build the program", args: []string{"-f", ".", "--api-server"}, want: ExitFailed, err: "cannot find kubectl-machine-lint"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			lintFiles(t, tc.files)

			var stdout, stderr strings.Builder

			got := Run(t.Context(), append([]string{"lint"}, tc.args...), Streams{In: strings.NewReader(tc.stdin), Out: &stdout, Err: &stderr})
			if got != tc.want {
				t.Errorf("%s: want exit code %d, got %d: %s", tc.reason, tc.want, got, stderr.String())
			}

			if diff := cmp.Diff(tc.out, stdout.String()); diff != "" {
				t.Errorf("%s: -want, +got:\n%s", tc.reason, diff)
			}

			if !strings.Contains(stderr.String(), tc.err) {
				t.Errorf("%s: want %q in:\n%s", tc.reason, tc.err, stderr.String())
			}
		})
	}
}

func TestLintJSON(t *testing.T) {
	lintFiles(t, map[string]string{"dns01.yaml": strings.Replace(rightClaim, "class: tiny", "klass: tiny", 1), "right.yaml": strings.Replace(rightClaim, "class: tiny", "power: Running", 1)})

	var stdout, stderr strings.Builder
	if code := Run(t.Context(), []string{"lint", "-f", "dns01.yaml", "-o", "json"}, Streams{Out: &stdout, Err: &stderr}); code != ExitFound {
		t.Errorf("want exit code %d, got %d: %s", ExitFound, code, stderr.String())
	}

	var got []lint.Fault
	if err := json.Unmarshal([]byte(stdout.String()), &got); err != nil {
		t.Fatalf("%v:\n%s", err, stdout.String())
	}

	want := []lint.Fault{{
		File: "dns01.yaml", Line: 5, Column: 3, Path: "spec.klass", Message: "unknown field; did you mean spec.class?", Severity: lint.Error, Kind: "Machine", Name: "dns01",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// TestLintProgram has lint call the program beside it in PATH, with the same flags and the same end.
func TestLintProgram(t *testing.T) {
	lintFiles(t, map[string]string{"bin/kubectl-machine-lint": "#!/bin/sh\necho \"$@\"\nexit 3\n"})

	if err := os.Chmod("bin/kubectl-machine-lint", 0o700); err != nil { //nolint:gosec // A program.
		t.Fatal(err)
	}

	bin, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}

	t.Setenv("PATH", bin)

	var stdout, stderr strings.Builder
	if code := Run(t.Context(), []string{"lint", "-f", "a.yaml", "-f", "b", "--strict", "--flavour", "claims"}, Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr}); code != ExitFound {
		t.Errorf("want exit code %d, got %d: %s", ExitFound, code, stderr.String())
	}

	want := "--file=a.yaml --file=b --flavour=claims --strict=true\n"
	if diff := cmp.Diff(want, stdout.String()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
