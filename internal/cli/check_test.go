package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

func TestCheck(t *testing.T) {
	broken, healthy := filepath.Join("testdata", "check.yaml"), filepath.Join("..", "installation", "testdata", "healthy.yaml")

	cases := map[string]struct {
		reason string
		args   []string
		want   ExitCode
		out    string
		err    string
	}{
		"Broken":    {reason: "a fault has a code of its own", args: []string{"--observed", broken}, want: ExitFound, out: "✗ credentials: ClusterProviderConfig default: key credentials of Secret"},
		"JSON":      {reason: "for programs", args: []string{"--observed", broken, "-o", "json"}, want: ExitFound, out: "\"check\": \"crossplane\",\n    \"state\": \"ok\","},
		"NoSecret":  {reason: "an empty value is no credential", args: []string{"--observed", healthy}, want: ExitFound, out: "is not one JSON object"},
		"Output":    {reason: "an output that there is not", args: []string{"-o", "yaml"}, want: ExitUsage, err: `unknown output "yaml": want one of text, json`},
		"NoFile":    {reason: "a file that is not there", args: []string{"--observed", "none.yaml"}, want: ExitFailed, err: "none.yaml"},
		"OfClaims":  {reason: "claims are no installation", args: []string{"--observed", filepath.Join("testdata", "get.yaml")}, want: ExitFailed, err: "get.yaml has nothing of an installation"},
		"Nothing":   {reason: "nothing is no file", args: []string{"--observed", "none"}, want: ExitFailed, err: "none has nothing of an installation"},
		"Arguments": {reason: "it checks everything", args: []string{"dns01"}, want: ExitUsage, err: "unexpected argument"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			code, out, err := runAt(t, "", append([]string{"check"}, tc.args...)...)
			if code != tc.want || !strings.Contains(err, tc.err) || !strings.Contains(out, tc.out) {
				t.Errorf("%s: want exit code %d, %q and %q, got %d, %q and\n%s", tc.reason, tc.want, tc.err, tc.out, code, err, out)
			}
		})
	}
}

// TestCheckOfTheCluster: what a person may not list is unknown, kinds that the cluster does not have are none, and any other failure ends the check.
func TestCheckOfTheCluster(t *testing.T) {
	fakeKubectl(t)

	stub := filepath.Join(strings.Split(os.Getenv("PATH"), ":")[0], "kubectl")
	answers := func(rest string) {
		script := "#!/bin/sh\ncase \"$*\" in\n\"get --raw /version\") echo '{\"gitVersion\": \"v1.35.3\"}';;\n" +
			"*deployments.apps*) echo 'Error from server (Forbidden): deployments.apps is forbidden' >&2; exit 1;;\n" + rest + "esac\n"
		if err := program.Write(stub, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}

	answers("*) echo \"error: the server doesn't have a resource type\" >&2; exit 1;;\n")

	code, out, said := runAt(t, "", "check")
	if code != ExitFound {
		t.Errorf("exit code %d: %s", code, said)
	}

	for _, want := range []string{
		"✔ kubernetes: v1.35.3\n", "? crossplane: you may not list deployments.apps\n", "✗ provider: no Provider provider-proxmox-bpg\n", "✗ kinds: no XRD of homelab.io",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("want %q in\n%s", want, out)
		}
	}

	unknown := "*) echo \"error: the server doesn't have a resource type\" >&2; exit 1;;\n"
	named := "*environmentconfigs*machine-catalog*) ;;\n"

	for name, tc := range map[string]struct{ reason, list, want string }{
		"Other": {
			"A catalogue of another name is named.",
			`echo '{"kind":"List","items":[{"apiVersion":"apiextensions.crossplane.io/v1beta1","kind":"EnvironmentConfig","metadata":{"name":"homelab"}}]}'`,
			"! catalogue: no EnvironmentConfig machine-catalog, which claims read: there is homelab\n",
		},
		"Forbidden": {
			"Who may read the right one only knows that it is not there.", "echo 'Error from server (Forbidden): environmentconfigs is forbidden' >&2; exit 1",
			"! catalogue: no EnvironmentConfig machine-catalog: claims have the built-in classes and images, and no site\n",
		},
	} {
		answers(named + "*environmentconfigs*) " + tc.list + ";;\n" + unknown)

		if _, out, said := runAt(t, "", "check"); !strings.Contains(out, tc.want) {
			t.Errorf("%s: %s want %q in\n%s%s", name, tc.reason, tc.want, out, said)
		}
	}

	answers("*) echo 'error: connection refused' >&2; exit 1;;\n")

	if code, _, said := runAt(t, "", "check"); code != ExitFailed || !strings.Contains(said, "cannot read from the cluster: connection refused") {
		t.Errorf("a cluster that does not answer: exit code %d, %s", code, said)
	}
}
