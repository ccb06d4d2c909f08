package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// roleVariable makes the test binary play one of the programs that are run, and logVariable says where it writes down how it was called.
const (
	roleVariable = "KUBECTL_MACHINE_TEST_ROLE"
	logVariable  = "KUBECTL_MACHINE_TEST_LOG"
)

func TestMain(m *testing.M) {
	switch role := os.Getenv(roleVariable); {
	case role == "":
		os.Exit(m.Run())
	case role == "sops":
		playSOPS(os.Args[1:])
	case role == "kubectl":
		playKubectl(os.Args[1:])
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

// playCrossplane composes a file and, once that is there, a machine. It prints them as the real one does, and writes down its arguments
// with the contents of the files they name. It fails on a composite of class wrong, as on a fatal result.
func playCrossplane(args []string) {
	var call strings.Builder

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

		fmt.Fprintf(&call, "%s: %s\n", name, data)

		switch {
		case i == 2:
			composite = string(data)
		case name == "--observed-resources":
			made = strings.Contains(string(data), "crossplane.io/external-name: file") && strings.Contains(string(data), "type: Ready")
		}
	}

	log, err := os.OpenFile(os.Getenv(logVariable), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}

	if _, err := log.WriteString(call.String()); err != nil {
		panic(err)
	}

	if strings.Contains(composite, "class: wrong") {
		fmt.Fprintln(os.Stderr, `spec.class: unknown class "wrong"`)
		os.Exit(1)
	}

	fmt.Printf("---\nkind: Composite\nstatus: {made: %t}\n---\n%s", made, composedResource("File", "file"))

	if made {
		fmt.Printf("---\n%s", composedResource("VM", "vm"))
	}
}

// playSOPS decrypts one file, with a key that it does not have for another.
func playSOPS(args []string) {
	if args[0] != "--decrypt" || !strings.HasSuffix(args[1], "mine.yaml") {
		fmt.Fprintln(os.Stderr, "Failed to get the data key required to decrypt the SOPS file.")
		os.Exit(128)
	}

	fmt.Print(joinSecret("K10" + strings.Repeat("ab", 32) + "::server:hunter2hunter2"))
}

func joinSecret(token string) string {
	return "apiVersion: v1\nkind: Secret\nmetadata: {name: k3s-join-token, namespace: infra-machines}\nstringData: {token: \"" + token + "\"}\n"
}

// TestSecrets: a file that SOPS encrypted is decrypted where sops is there, and a token is shown where somebody asks for it only.
func TestSecrets(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	bin := t.TempDir()
	if err := os.Symlink(self, filepath.Join(bin, "sops")); err != nil {
		t.Fatal(err)
	}

	encrypted := joinSecret("ENC[AES256_GCM,data:hunter2]") + "sops: {version: 3.13.2}\n"
	dir := writeTree(t, map[string]string{"mine.yaml": encrypted, "theirs.yaml": encrypted})
	claim := "../../example/flux/machines/second-server/server-2.yaml"

	cases := map[string]struct {
		reason   string
		path     string
		args     []string
		code     ExitCode
		has, not string
		err      string
	}{
		"Decrypted": {"a token of its form stands for the real one", bin, []string{"--secrets", "mine.yaml"}, ExitOK, "K10" + strings.Repeat("0", 64) + "::server:dummy-for-", "hunter2", ""},
		"Shown":     {"the real one is shown to whom asks for it", bin, []string{"--secrets", "mine.yaml", "--show-secrets"}, ExitOK, "::server:hunter2hunter2", "dummy-for-", ""},
		"NoKey":     {"without a key there is an error", bin, []string{"--secrets", "theirs.yaml"}, ExitFailed, "", "hunter2", "cannot decrypt " + dir + "/theirs.yaml: Failed to get the data key"},
		"NoSOPS":    {"without sops, too", t.TempDir(), []string{"--secrets", "mine.yaml"}, ExitFailed, "", "hunter2", "cannot decrypt " + dir + "/mine.yaml: exec: \"sops\""},
		"NotNamed":  {"an encrypted file that nobody named is not there", bin, nil, ExitOK, "# Secret infra-machines/k3s-join-token is not here", "hunter2", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Setenv("PATH", tc.path)
			t.Setenv(roleVariable, "sops")

			args := []string{"render", "-o", "yaml", "-f", claim}
			for _, a := range tc.args {
				if strings.HasSuffix(a, ".yaml") {
					a = filepath.Join(dir, a)
				}

				args = append(args, a)
			}

			got := call(t, "", args...)
			if got.code != tc.code || !strings.Contains(got.stdout, tc.has) || strings.Contains(got.stdout+got.stderr, tc.not) || !strings.Contains(got.stderr, tc.err) {
				t.Errorf("%s: want exit code %d, %q and no %q, got %d, %q, and\n%s", tc.reason, tc.code, tc.has, tc.not, got.code, got.stderr, got.stdout)
			}
		})
	}
}

func composedResource(kind, name string) string {
	return "kind: " + kind + "\nmetadata: {name: " + name + ", annotations: {crossplane.io/composition-resource-name: " + name + "}}\n"
}

func claimText(kind, name string) string {
	return "apiVersion: homelab.io/v1alpha1\nkind: " + kind + "\nmetadata: {name: " + name + "}\n"
}

// writeTree writes files, keyed by their slash-separated path, into a new folder.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()

	root := t.TempDir()

	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}

		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	return root
}

// called is what a call of the command line printed, and what it ended with.
type called struct {
	code           ExitCode
	stdout, stderr string
}

// call the command line.
func call(t *testing.T, stdin string, args ...string) called {
	t.Helper()

	stdout, stderr := &bytes.Buffer{}, &bytes.Buffer{}
	code := Run(t.Context(), args, Streams{In: strings.NewReader(stdin), Out: stdout, Err: stderr})

	return called{code, stdout.String(), stderr.String()}
}

// TestRenderWithCrossplane renders with programs that stand in for Crossplane's.
func TestRenderWithCrossplane(t *testing.T) {
	files := map[string]string{
		"one/dns01.yaml":     claimText("Machine", "dns01") + "spec: {}\n",
		"one/catalogue.yaml": "catalogue: theirs\n",
		"one/secrets.yaml":   "secret: theirs\n",
		"one/observed.yaml": "apiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1\nkind: EnvironmentVM\nmetadata: {name: vm}\n" +
			"---\napiVersion: virtualenvironmentvm.proxmoxbpg.m.crossplane.io/v1alpha1\nkind: EnvironmentVM\nmetadata: {name: other}\n",
		"other.yaml":     "kind: EnvironmentConfig\ncatalogue: ours\n",
		"two/a.yaml":     claimText("Machine", "a") + "spec: {}\n---\n" + claimText("Machine", "b") + "spec: {}\n",
		"wrong/a.yaml":   claimText("Machine", "a") + "spec: {class: wrong}\n",
		"wrong/b.yaml":   claimText("Machine", "b") + "spec: {}\n",
		"legacy/a.yaml":  claimText("Machine", "a") + "spec: {}\n",
		"legacy/no.yaml": "apiVersion: v1\nkind: Namespace\n",
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}

	type want struct {
		code ExitCode
		has  []string // In what was printed, or in how Crossplane was called.
		not  []string
		err  string
	}

	cases := map[string]struct {
		reason string
		role   string
		args   []string
		want   want
	}{
		"Story": {
			reason: "A claim is rendered as a composite, with the XRD, the Composition, and what is beside it.",
			args:   []string{"-f", "one/dns01.yaml"},
			want: want{
				has: []string{
					"argument 0: composition\n", "argument 1: render\n", "kind: XMachine", "name: dns01-", "name: xmachines.homelab.io",
					"explain: true", "name: homelab-io-function-proxmox-machine", "render.crossplane.io/runtime-development-target: 127.0.0.1:",
					"--required-resources: ---\ncatalogue: theirs\n---\nsecret: theirs\n",
					"--observed-resources: ---\napiVersion: virtualenvironmentvm.proxmoxbpg.crossplane.io/v1alpha1",
					"--include-function-results", "kind: File",
				},
				not: []string{"name: other", "--include-full-xr", "# Machine", "kind: VM"},
			},
		},
		"NamedFiles": {
			reason: "Files that are named replace those beside the claim.",
			args:   []string{"-f", "one/dns01.yaml", "--catalogue", "other.yaml", "--observed", "none", "--full"},
			want: want{
				has: []string{"catalogue: ours", "secret: theirs", "--include-full-xr"},
				not: []string{"catalogue: theirs", "name: other"},
			},
		},
		"Turns": {
			reason: "What waits for something else is shown, too: the turn that is shown is the one in which the last resource appears.",
			args:   []string{"-f", "legacy"},
			want:   want{has: []string{"kind: File", "kind: VM", "made: true", "  made: false\n"}},
		},
		"FirstTurn": {
			reason: "What Crossplane asks for at first can be looked at on its own.",
			args:   []string{"-f", "legacy", "--first"},
			want:   want{has: []string{"kind: File", "made: false"}, not: []string{"kind: VM", "--observed-resources"}},
		},
		"WithoutCatalogue": {
			reason: "The built-in catalogue can be looked at in a story that has its own.",
			args:   []string{"-f", "one/dns01.yaml", "--catalogue", "none"},
			want:   want{has: []string{"kind: XMachine"}, not: []string{"catalogue: theirs"}},
		},
		"Several": {
			reason: "Each of several claims is rendered under its name, in the file's order.",
			args:   []string{"-f", "two", "--flavour", "claims"},
			want:   want{has: []string{"# Machine a in two/a.yaml", "# Machine b in two/a.yaml", "  name: a-", "  name: b-"}},
		},
		"Legacy": {
			reason: "The legacy flavour is the claims package with another provider API in the Input.",
			args:   []string{"-f", "legacy", "--flavour", "legacy"},
			want:   want{has: []string{"providerAPI: legacy"}},
		},
		"Fatal": {
			reason: "A claim that cannot be rendered is an error with Crossplane's words, and others are still shown.",
			args:   []string{"-f", "wrong"},
			want: want{
				code: ExitFailed, has: []string{"# Machine b in wrong/b.yaml"},
				err: "cannot render Machine a in wrong/a.yaml:\n  wrong/a.yaml:4:15: " + `spec.class: unknown class "wrong"`,
			},
		},
		"BrokenFunction": {
			reason: "A function that does not come up is an error with its log.",
			role:   "broken",
			args:   []string{"-f", "two"},
			want:   want{code: ExitFailed, err: "the function ended before it listened: exit status 3\ncannot load certificates"},
		},
		"NoProgram": {
			reason: "A program that is missing is named.",
			args:   []string{"-f", "two", "--crossplane", "nowhere"},
			want:   want{code: ExitFailed, err: "cannot render with Crossplane: stat nowhere"},
		},
		"Argument": {
			reason: "A claim given without its flag is refused, not ignored.",
			args:   []string{"two"},
			want:   want{code: ExitUsage, err: `unexpected argument "two"`},
		},
		"NoClaim": {
			reason: "Nothing to render is asked for.",
			want:   want{code: ExitUsage, err: "name the claims with -f"},
		},
		"UnknownFlag": {
			reason: "A mistyped flag is a fault of the command line.",
			args:   []string{"-f", "two", "--flavor", "legacy"},
			want:   want{code: ExitUsage, err: "unknown flag --flavor: did you mean --flavour?"},
		},
		"UnknownOutput": {
			reason: "So is an output that there is none of.",
			args:   []string{"-f", "two", "-o", "yml"},
			want:   want{code: ExitUsage, err: `unknown output "yml": want one of summary, wide, yaml, json, user-data, picture`},
		},
		"UnknownFlavour": {
			reason: "So is a flavour that there is none of.",
			args:   []string{"-f", "two", "--flavour", "claim"},
			want:   want{code: ExitUsage, err: `unknown flavour "claim": want one of namespaced, claims, legacy`},
		},
	}

	t.Chdir(writeTree(t, files))

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			role := tc.role
			if role == "" {
				role = "working"
			}

			log := filepath.Join(t.TempDir(), "calls")

			t.Setenv(roleVariable, role)
			t.Setenv(logVariable, log)

			got := call(t, "", slices.Concat([]string{"render", "--engine", "crossplane", "--function", self, "--crossplane-core", self},
				unless(tc.args, "-o", "yaml"), unless(tc.args, "--crossplane", self), tc.args)...)

			if got.code != tc.want.code || !strings.Contains(got.stderr, tc.want.err) || tc.want.err == "" && got.stderr != "" {
				t.Errorf("\n%s\nwant exit code %d and %q, got %d and %q", tc.reason, tc.want.code, tc.want.err, got.code, got.stderr)
			}

			calls, err := os.ReadFile(log)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}

			all := got.stdout + string(calls)

			for _, s := range tc.want.has {
				if !strings.Contains(all, s) {
					t.Errorf("\n%s\nwant %q in\n%s", tc.reason, s, all)
				}
			}

			for _, s := range tc.want.not {
				if strings.Contains(all, s) {
					t.Errorf("\n%s\ndo not want %q in\n%s", tc.reason, s, all)
				}
			}
		})
	}
}

func TestRenderIntoFolder(t *testing.T) {
	t.Chdir(writeTree(t, map[string]string{"two/a.yaml": claimText("Machine", "a") + "spec: {proxmox: {node: pve}}\n---\n" + claimText("Machine", "b") + "spec: {proxmox: {node: pve}}\n"}))

	if got := call(t, "", "render", "-f", "two", "--flavour", "claims", "-o", "yaml", "--output-dir", "out"); got != (called{}) {
		t.Fatalf("want nothing printed, got %+v", got)
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
		t.Errorf("\nEach claim has a file of its own: -want, +got:\n%s", diff)
	}

	data, err := os.ReadFile(want[2])
	if err != nil {
		t.Fatal(err)
	}

	// Results are no resources: a validator would not know them.
	if s := string(data); !strings.Contains(s, "claimRef:") || !strings.Contains(s, "kind: EnvironmentVM") || strings.Contains(s, "kind: Result") || strings.Contains(s, "# The plan") {
		t.Errorf("\nWant the full composite and no results, got\n%s", s)
	}
}

// unless the arguments have the flag, it with a value.
func unless(args []string, flag, value string) []string {
	if slices.Contains(args, flag) {
		return nil
	}

	return []string{flag, value}
}
