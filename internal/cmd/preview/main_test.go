package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// roleVariable makes the test binary play one of the programs that the preview runs.
const roleVariable = "PREVIEW_TEST_ROLE"

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); {
	case role == "":
		os.Exit(m.Run())
	case os.Args[1] == "--insecure":
		playFunction(role, os.Args[3])
	default:
		playCrossplane(os.Args[1:])
	}
}

// playFunction listens on the address until it is killed, or fails as a broken function would.
func playFunction(role, address string) {
	if role == "broken" {
		fmt.Fprintln(os.Stderr, "cannot load certificates")
		os.Exit(3)
	}

	l, err := net.Listen("tcp", address)
	if err != nil {
		panic(err)
	}
	defer l.Close()

	forever := make(chan os.Signal, 1)
	signal.Notify(forever, os.Interrupt)
	<-forever
}

// playCrossplane composes a file and, once that is there, a machine. It prints them as the real one does, and its
// arguments with the contents of the files they name. It fails on a composite of class wrong, as on a fatal result.
func playCrossplane(args []string) {
	call := map[string]any{"kind": "Call"}
	composite, made := "", false

	for i, arg := range args {
		name, file, named := strings.Cut(arg, "=")
		if !named {
			name, file = fmt.Sprintf("argument %d", i), arg
		}

		data, err := os.ReadFile(file)
		if err != nil || name == "--crossplane-binary" {
			data = []byte(arg)
		}

		// A flag may be given more than once.
		call[fmt.Sprintf("%d %s", i, name)] = string(data)

		switch {
		case i == 2:
			composite = string(data)
		case name == "--observed-resources":
			made = strings.Contains(string(data), "crossplane.io/external-name: file") && strings.Contains(string(data), "type: Ready")
		}
	}

	if strings.Contains(composite, "class: wrong") {
		fmt.Fprintln(os.Stderr, `spec.class: unknown class "wrong"`)
		os.Exit(1)
	}

	said, err := yaml.Marshal(call)
	if err != nil {
		panic(err)
	}

	fmt.Printf("---\nkind: Composite\nstatus: {made: %t}\n---\n%s", made, composedResource("File", "file"))

	if made {
		fmt.Printf("---\n%s", composedResource("VM", "vm"))
	}

	fmt.Printf("---\n%s", said)
}

func composedResource(kind, name string) string {
	return "kind: " + kind + "\nmetadata: {name: " + name + ", annotations: {crossplane.io/composition-resource-name: " + name + "}}\n"
}

func TestRun(t *testing.T) {
	root, _ := claimsPackage(t)
	files := map[string]string{
		"one/dns01.yaml":     manifest("Machine", "dns01"),
		"one/catalogue.yaml": "catalogue: theirs\n",
		"one/secrets.yaml":   "secret: theirs\n",
		"one/observed.yaml": "apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: EnvironmentVM\nmetadata: {name: vm}\n" +
			"---\napiVersion: virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1\nkind: EnvironmentVM\nmetadata: {name: other}\n",
		"other.yaml":     "catalogue: ours\n",
		"two/a.yaml":     manifest("Machine", "a") + "---\n" + manifest("Machine", "b"),
		"wrong/a.yaml":   manifest("Machine", "a") + "spec: {class: wrong}\n",
		"wrong/b.yaml":   manifest("Machine", "b"),
		"legacy/a.yaml":  manifest("Machine", "a"),
		"legacy/no.yaml": "apiVersion: v1\nkind: Namespace\n",
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	type want struct {
		has []string
		not []string
		err string
	}

	cases := map[string]struct {
		reason string
		role   string
		args   []string
		want   want
	}{
		"Story": {
			reason: "A claim is rendered as a composite, with the XRD, the Composition, and what is beside it.",
			args:   []string{"-claim", "one/dns01.yaml"},
			want: want{
				has: []string{
					"argument 0: composition\n", "argument 1: render\n", "kind: XMachine", "name: dns01-", "name: xmachines.homelab.io",
					"name: xmachines\n", "explain: true", "name: homelab-io-function-proxmox-machine",
					"render.crossplane.io/runtime-development-target: 127.0.0.1:",
					"--required-resources: |\n  catalogue: theirs", "--required-resources: |\n  secret: theirs",
					"--observed-resources: |\n  ---\n  apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1",
					"--include-function-results", "kind: File",
				},
				not: []string{"name: other", "--include-full-xr", "# Machine", "kind: VM"},
			},
		},
		"NamedFiles": {
			reason: "Files that are named replace those beside the claim.",
			args:   []string{"-claim", "one/dns01.yaml", "-catalogue", "other.yaml", "-observed", noFile, "-full"},
			want: want{
				has: []string{"catalogue: ours", "secret: theirs", "--include-full-xr"},
				not: []string{"catalogue: theirs", "name: other"},
			},
		},
		"Turns": {
			reason: "What waits for something else is shown, too: the turn that is shown is the one in which the last resource appears.",
			args:   []string{"-claim", "legacy"},
			want:   want{has: []string{"kind: File", "kind: VM", "status: {made: true}", "    made: false\n"}},
		},
		"FirstTurn": {
			reason: "What Crossplane asks for at first can be looked at on its own.",
			args:   []string{"-claim", "legacy", "-first"},
			want:   want{has: []string{"kind: File", "status: {made: false}"}, not: []string{"kind: VM", "--observed-resources"}},
		},
		"WithoutCatalogue": {
			reason: "The built-in catalogue can be looked at in a story that has its own.",
			args:   []string{"-claim", "one/dns01.yaml", "-catalogue", noFile},
			want:   want{has: []string{"kind: XMachine"}, not: []string{"catalogue: theirs"}},
		},
		"Several": {
			reason: "Each of several claims is rendered under its name, in the file's order.",
			args:   []string{"-claim", "two"},
			want:   want{has: []string{"# Machine a in two/a.yaml", "# Machine b in two/a.yaml", "  name: a-", "  name: b-"}},
		},
		"Legacy": {
			reason: "The legacy flavour is the claims package with another provider API in the Input.",
			args:   []string{"-claim", "legacy", "-flavour", flavourLegacy},
			want:   want{has: []string{"providerAPI: legacy"}},
		},
		"Fatal": {
			reason: "A claim that cannot be rendered is an error with Crossplane's words, and others are still shown.",
			args:   []string{"-claim", "wrong"},
			want:   want{has: []string{"# Machine b in wrong/b.yaml"}, err: "cannot render Machine a in wrong/a.yaml:\n" + `spec.class: unknown class "wrong"`},
		},
		"BrokenFunction": {
			reason: "A function that does not come up is an error with its log.",
			role:   "broken",
			args:   []string{"-claim", "two"},
			want:   want{err: "the function ended before it listened: exit status 3\ncannot load certificates"},
		},
		"Argument": {
			reason: "A claim given without its flag is refused, not ignored.",
			args:   []string{"two"},
			want:   want{err: `unexpected argument "two"`},
		},
	}

	t.Chdir(writeTree(t, files))

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			role := tc.role
			if role == "" {
				role = "working"
			}

			t.Setenv(roleVariable, role)

			stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
			args := append([]string{"-root", root, "-function", self, "-crossplane", self, "-engine", self}, tc.args...)

			err := run(context.Background(), args, stdout, stderr)
			checkError(t, tc.reason, tc.want.err, err)

			for _, s := range tc.want.has {
				if !strings.Contains(stdout.String(), s) {
					t.Errorf("\n%s\nrun(...): want %q in\n%s", tc.reason, s, stdout)
				}
			}

			for _, s := range tc.want.not {
				if strings.Contains(stdout.String(), s) {
					t.Errorf("\n%s\nrun(...): do not want %q in\n%s", tc.reason, s, stdout)
				}
			}
		})
	}
}

func TestRunIntoFolder(t *testing.T) {
	root, _ := claimsPackage(t)

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	t.Chdir(writeTree(t, map[string]string{"two/a.yaml": manifest("Machine", "a") + "---\n" + manifest("Machine", "b")}))
	t.Setenv(roleVariable, "working")

	args := []string{"-root", root, "-function", self, "-crossplane", self, "-engine", self, "-claim", "two", "-output", "out"}
	stdout := &bytes.Buffer{}

	if err := run(context.Background(), args, stdout, stdout); err != nil {
		t.Fatal(err)
	}

	got, err := filepath.Glob("out/*/*")
	if err != nil {
		t.Fatal(err)
	}

	want := []string{
		"out/claims/two_a_Machine__a.yaml", "out/claims/two_a_Machine__b.yaml",
		"out/rendered/two_a_Machine__a.yaml", "out/rendered/two_a_Machine__b.yaml",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("\nEach claim has a file of its own: run(...): -want, +got:\n%s", diff)
	}

	data, err := os.ReadFile(want[2])
	if err != nil {
		t.Fatal(err)
	}

	// Results are no resources: a validator would not know them.
	if s := string(data); !strings.Contains(s, "--include-full-xr") || strings.Contains(s, "--include-function-results") {
		t.Errorf("\nWant the full composite and no results, got\n%s", s)
	}

	if stdout.Len() > 0 {
		t.Errorf("\nWant nothing on standard output, got\n%s", stdout)
	}
}
