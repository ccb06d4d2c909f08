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

// playCrossplane prints its flags and the files that it was given, in place of the resources. It fails on a composite
// of class wrong, as the real one does on a fatal result.
func playCrossplane(args []string) {
	for _, arg := range args {
		file := arg[strings.Index(arg, "=")+1:]

		data, err := os.ReadFile(file)
		if err != nil || strings.HasPrefix(arg, "--crossplane-binary") {
			fmt.Println("arg:", arg)

			continue
		}

		if strings.Contains(string(data), "class: wrong") {
			fmt.Fprintln(os.Stderr, `spec.class: unknown class "wrong"`)
			os.Exit(1)
		}

		name, _, _ := strings.Cut(arg, "=")
		fmt.Printf("file: %s\n%s", filepath.Base(name), data)
	}
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
					"arg: composition\narg: render\n", "kind: XMachine", "name: dns01-", "name: xmachines.homelab.io", "name: xmachines}",
					"name: homelab-io-function-proxmox-machine", "render.crossplane.io/runtime-development-target: 127.0.0.1:",
					"file: --required-resources\ncatalogue: theirs", "file: --required-resources\nsecret: theirs",
					"file: --observed-resources\n---\napiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1",
					"arg: --include-function-results",
				},
				not: []string{"name: other", "--include-full-xr", "# Machine"},
			},
		},
		"NamedFiles": {
			reason: "Files that are named replace those beside the claim.",
			args:   []string{"-claim", "one/dns01.yaml", "-catalogue", "other.yaml", "-observed", noFile, "-full"},
			want: want{
				has: []string{"catalogue: ours", "secret: theirs", "arg: --include-full-xr"},
				not: []string{"catalogue: theirs", "--observed-resources"},
			},
		},
		"WithoutCatalogue": {
			reason: "The built-in catalogue can be looked at in a story that has its own.",
			args:   []string{"-claim", "one/dns01.yaml", "-catalogue", noFile},
			want:   want{has: []string{"kind: XMachine"}, not: []string{"catalogue: theirs"}},
		},
		"Several": {
			reason: "Each of several claims is rendered under its name, in the file's order.",
			args:   []string{"-claim", "two"},
			want:   want{has: []string{"# Machine a in two/a.yaml", "# Machine b in two/a.yaml", "name: a-", "name: b-"}},
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
	if s := string(data); !strings.Contains(s, "arg: --include-full-xr") || strings.Contains(s, "--include-function-results") {
		t.Errorf("\nWant the full composite and no results, got\n%s", s)
	}

	if stdout.Len() > 0 {
		t.Errorf("\nWant nothing on standard output, got\n%s", stdout)
	}
}
