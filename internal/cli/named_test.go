package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestNamedFiles: a file that a person names has what it is named for, and one answer of two is nobody's guess. Otherwise the answer were one without it.
func TestNamedFiles(t *testing.T) {
	const (
		claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: dns01, namespace: infra-machines}\nspec:\n  class: small\n  image: debian-13\n" +
			"  proxmox: {node: pve}\n  network: {dhcp: true}\n" +
			"  bootstrap: {sshAuthorizedKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam]}\n"
		catalogue = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: machine-catalog}\ndata: {sites: {home: {}}}\n"
		another   = "apiVersion: apiextensions.crossplane.io/v1beta1\nkind: EnvironmentConfig\nmetadata: {name: lab}\ndata: {sites: {lab: {}}}\n"
	)

	files := writeTree(t, map[string]string{
		".git/HEAD": "", "dns01.yaml": claim, "catalogue/right.yaml": catalogue, "with/catalogue.yaml": catalogue, "with/dns01.yaml": claim, "with/observed.yaml": catalogue,
		"two/dns01.yaml": claim, "two/a.yaml": catalogue, "two/b.yaml": catalogue, "one/dns01.yaml": claim, "one/catalogue.yaml": catalogue + "---\n" + catalogue,
		"others/a.yaml": catalogue, "others/b.yaml": another, "empty/x.yaml": "", "alone/catalogue.yaml": catalogue, "none.yaml": "kind: ConfigMap\n",
	})
	in := func(name string) string { return filepath.Join(files, name) }
	twice := `: metadata.name: "machine-catalog": the EnvironmentConfig in ` + files

	cases := map[string]struct {
		reason string
		args   []string
		code   ExitCode
		err    string // Empty for none.
	}{
		"Render":    {"The claim in place of its catalogue.", []string{"render", "-f", in("dns01.yaml"), "--catalogue", in("dns01.yaml")}, ExitUsage, "dns01.yaml: must have a document of kind EnvironmentConfig, and has Machine\n"},
		"Lint":      {"Lint, too.", []string{"lint", "-f", in("dns01.yaml"), "--catalogue", in("none.yaml")}, ExitUsage, "none.yaml: must have a document of kind EnvironmentConfig, and has ConfigMap\n"},
		"Plan":      {"No cluster is asked before.", []string{"plan", "-f", in("dns01.yaml"), "--catalogue", in("empty")}, ExitUsage, "empty: must have a document of kind EnvironmentConfig, and has nothing with apiVersion and kind\n"},
		"Edit":      {"Without machines, nobody reads it.", []string{"plan", "--observed", "none", "--catalogue", in("nowhere.yaml")}, ExitFailed, "cannot find the manifest "},
		"Rehearse":  {"A rehearsal reads it as late.", []string{"rehearse", "-f", in("dns01.yaml"), "--observed", "none", "--catalogue", in("dns01.yaml")}, ExitUsage, "must have a document of kind EnvironmentConfig"},
		"Secrets":   {"Stand-ins would be in their place.", []string{"render", "-f", in("dns01.yaml"), "--secrets", in("dns01.yaml")}, ExitUsage, "--secrets " + in("dns01.yaml") + ": must have a document of kind Secret, and has Machine\n"},
		"Two":       {"The cluster keeps one of two.", []string{"render", "-f", in("two/dns01.yaml")}, ExitFailed, "two/b.yaml:3:18" + twice},
		"TwoInOne":  {"Also of two in one file.", []string{"plan", "-f", in("one/dns01.yaml"), "--observed", "none"}, ExitFailed, "one/catalogue.yaml:8:18" + twice},
		"TwoNamed":  {"Also where a person names their folder.", []string{"render", "-f", in("dns01.yaml"), "--catalogue", in("two")}, ExitFailed, "two/b.yaml:3:18" + twice},
		"TwoOthers": {"Two names are two catalogues.", []string{"render", "-f", in("dns01.yaml"), "--catalogue", in("others")}, ExitOK, ""},
		"Twice":     {"One file is not two.", []string{"rehearse", "-f", in("with/dns01.yaml"), "--before", in("with"), "--catalogue", in("with/catalogue.yaml")}, ExitOK, ""},
		"TwoRead":   {"Who reads catalogues alone.", []string{"privileges", "--catalogue", in("two")}, ExitFailed, "two has 2 catalogues with the name machine-catalog, of which the cluster keeps one"},
		"OneOfTwo":  {"It has the name that claims ask for.", []string{"privileges", "--catalogue", in("others")}, ExitOK, ""},
		"Observed":  {"What the cluster has is no second catalogue.", []string{"render", "-f", in("with/dns01.yaml")}, ExitOK, ""},
		"Alone":     {"A catalogue makes nothing.", []string{"render", "-f", in("alone")}, ExitFailed, "alone: found EnvironmentConfig, which --catalogue reads; a claim is"},
		"Stdin":     {"Nothing came through the pipe.", []string{"render", "-f", "-"}, ExitFailed, "no claim in standard input: found nothing"},
		"Comma":     {"As kubectl has it.", []string{"render", "-f", in("dns01.yaml") + "," + in("none.yaml")}, ExitFailed, "no claim in " + in("none.yaml")},
		"Scheme":    {"Another program reads buckets.", []string{"render", "-f", "s3://machines/dns01.yaml"}, ExitUsage, "cannot read s3://machines/dns01.yaml: only https:// URLs are read\n"},
		"Meant":     {"One machine of the file is near.", []string{"why", "dns1", "--observed", in("dns01.yaml")}, ExitFailed, `there is no machine "dns1" in ` + in("dns01.yaml") + ": did you mean dns01?\n"},
		"OtherKind": {"It is there, and of another kind.", []string{"why", "lxc/dns01", "--observed", in("dns01.yaml")}, ExitFailed, "dns01.yaml: `kubectl machine get --observed " + in("dns01.yaml") + "` lists all\n"},
		"Capitals":  {"Names have none.", []string{"why", "DNS01", "--observed", in("dns01.yaml")}, ExitFailed, "did you mean dns01?"},
		"Elsewhere": {"The namespace that was searched is told.", []string{"why", "dns01", "-n", "a", "--observed", in("dns01.yaml")}, ExitFailed, `there is no machine "dns01" in namespace a of `},
		"NoObjects": {"Nothing came through the pipe.", []string{"why", "dns01", "--observed", "-"}, ExitFailed, "in standard input: `kubectl machine get --observed FILE` lists all of a file\n"},
		"AFile":     {"A machine has a name.", []string{"why", "dns01.yaml", "--observed", in("none.yaml")}, ExitFailed, "it looks like a file, and the machine in it has a name; "},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, _, said := runAt(t, "", tc.args...)
			if code != tc.code || !strings.Contains(said, tc.err) || tc.err == "" && said != "" || strings.Count(said, tc.err) > 1 && tc.err != "" {
				t.Errorf("%s: want %d and %q, got %d and %q", tc.reason, tc.code, tc.err, code, said)
			}
		})
	}
}
