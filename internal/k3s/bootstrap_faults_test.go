package k3s

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

func TestBootstrapEndpointNever(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.expect("Nobody answers: it says so and fails.", 1, "FATAL: https://k3s.home.arpa:6443 did not answer within 2s")

	if strings.Contains(r.read("calls"), "installer") {
		t.Error("K3s was installed without a cluster")
	}
}

func TestBootstrapHostName(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("bin/hostname", "#!/bin/sh\necho localhost\n", 0o755)
	r.expect("A node must not register under another name.", 1, "FATAL: the host name is 'localhost', not 'k3s-cp-2'")

	if r.read("calls") != "" {
		t.Errorf("it went on: %s", r.read("calls"))
	}
}

func TestBootstrapTokens(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason string
		node   Node
		token  string
		said   string
	}{
		"Missing":         {"No snippet wrote it.", joiner(), "", "there is no token in "},
		"Placeholder":     {"The snippet was never filled in.", joiner(), "K10<hash>::server:<password>", "holds a placeholder instead of a token"},
		"TwoLines":        {"Two tokens are none.", joiner(), serverToken + "\n" + serverToken, "holds white space or more than one line"},
		"Short":           {"It can be guessed.", joiner(), "secret", "shorter than 16 characters"},
		"ServerShort":     {"Without the hash the password goes to whoever answers.", joiner(), shortToken, "holds no server token"},
		"ServerAgent":     {"An agent token makes no server.", joiner(), agentToken, "holds no server token"},
		"ServerBoot":      {"Nor does a bootstrap token.", joiner(), bootstrapTok, "holds no server token"},
		"AgentShort":      {"Agents, too.", nodes()["agent"], shortToken, "holds no full token"},
		"TrustedTooShort": {"Trust makes no token of a word that can be guessed.", trusting(joiner()), "fifteen-letters", "shorter than 16 characters"},
		"TrustedBoot":     {"K3s takes it for a bootstrap token, with which no server joins.", trusting(joiner()), "abcdef.0123456789abcdef", "holds no server token"},
		"TrustedAgent":    {"An agent token makes no server.", trusting(joiner()), agentToken, "holds no server token"},
		"TrustedHash":     {"What begins as a full token has to be one.", trusting(nodes()["agent"]), "K10abc::server:" + password, "holds no full token"},
		"InitExisting":    {"A new cluster cannot have the CA of an old one.", first(), serverToken, "holds a token of an existing cluster"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tc.node.Token, tc.node.TokenFile = "", DefaultTokenFile

			r := newRig(t, tc.node)
			if tc.node.Role != RoleInit {
				r.write("world/endpoint", "", 0o644)
			}

			if tc.token != "" {
				r.write(DefaultTokenFile, tc.token+"\n", 0o600)
			}

			r.expect(tc.reason, 1, tc.said, DefaultTokenFile)

			if strings.Contains(r.read("calls"), "installer") {
				t.Errorf("%s\nK3s was installed all the same", tc.reason)
			}
		})
	}
}

func trusting(n Node) Node {
	n.TrustOnFirstUse = true

	return n
}

// TestBootstrapTrusts is a whole cluster with one token that was known before it: the first server starts with it, and server and
// agent join with the same, or with a full one.
func TestBootstrapTrusts(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const unchecked = "joins with a short token: it cannot check whether the cluster at https://k3s.home.arpa:6443 is the right one"

	cases := map[string]struct {
		reason string
		node   Node
		token  string
		said   string
		checks bool // The token says which cluster it belongs to, or there is none to join.
	}{
		"First":          {"A new cluster takes the token as its own.", trusting(first()), shortToken, "done: k3s-cp-1 runs K3s as server", true},
		"Server":         {"A server joins with it.", trusting(joiner()), shortToken, "done: k3s-cp-2 runs K3s as server", false},
		"Agent":          {"So does an agent.", trusting(nodes()["agent"]), shortToken, "done: k3s-w-1 runs K3s as agent", false},
		"AgentBootstrap": {"And with a bootstrap token.", trusting(nodes()["agent"]), "abcdef.0123456789abcdef", "done: k3s-w-1 runs K3s as agent", false},
		"ServerFull":     {"A full token is checked as ever.", trusting(joiner()), serverToken, "done: k3s-cp-2 runs K3s as server", true},
		"AgentFull":      {"An agent's, too.", trusting(nodes()["agent"]), agentToken, "done: k3s-w-1 runs K3s as agent", true},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			tc.node.Token, tc.node.TokenFile = "", DefaultTokenFile

			r := newRig(t, tc.node)
			if tc.node.Role != RoleInit {
				r.write("world/endpoint", "", 0o644)
			}

			r.write(DefaultTokenFile, tc.token+"\n", 0o600)

			if said := r.expect(tc.reason, 0, tc.said); strings.Contains(said, unchecked) == tc.checks {
				t.Errorf("%s\nit has to say what it cannot check, and only then:\n%s", tc.reason, said)
			}

			// The installer would copy every K3S_ variable into K3s's unit.
			if env := r.read("world/installer-env"); strings.Contains(env, "TRUST") {
				t.Errorf("the installer's environment has the parameter:\n%s", env)
			}
		})
	}
}

func TestBootstrapTokenComesLater(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := joiner()
	n.Token, n.TokenFile = "", DefaultTokenFile

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	// The first pause brings the token.
	r.write("bin/sleep", "#!/bin/sh\nprintf '%s' '"+serverToken+"' > "+r.root+DefaultTokenFile+"\n", 0o755)
	r.expect("A snippet may be slower than this script.", 0, "waits for the token in ", "done: k3s-cp-2")
}

func TestBootstrapChecksum(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := joiner()
	n.InstallSHA256 = strings.Repeat("0", 64)

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("What is not the installer is not run.", 1, "does not have the checksum 0000", "it was not run")

	if strings.Contains(r.read("calls"), "installer") || r.exists("var/lib/k3s-bootstrap/install.sh") {
		t.Error("it was run, or is left for the next time")
	}

	sum, err := exec.Command("sha256sum", filepath.Join(r.root, "world/install.sh")).Output()
	r.try(err)
	r.env = append(r.env, "INSTALL_SHA256="+strings.Fields(string(sum))[0])
	r.expect("The right one is.", 0, "done")
}

func TestBootstrapRetriesTheInstaller(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/fetch-fails", "1\n2\n", 0o644)
	r.write("world/installer-fails", "1\n2\n", 0o644)
	r.expect("GitHub answers 503 now and then.", 0, "curl: (22) 503", "done")

	if count := strings.Count(r.read("calls"), "installer server"); count != 3 {
		t.Errorf("the installer ran %d times, want 3", count)
	}
}

func TestBootstrapGivesUp(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/fetch-fails", strings.Repeat("x\n", 1000), 0o644)
	r.expect("No way to the installer.", 1, "FATAL: cannot fetch the installer from https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh within 1s")

	r.write("world/fetch-fails", "", 0o644)
	r.write("world/installer-fails", strings.Repeat("x\n", 1000), 0o644)
	r.expect("The installer fails for good.", 1, "FATAL: the installer failed for 1s")

	r.write("world/installer-fails", "", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.expect("K3s does not come up: its journal is shown.", 1, "the journal", "FATAL: k3s.service is not ready after 1s")
}

func TestBootstrapGoesOnWithoutAClock(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)

	for _, name := range []string{"timedatectl", "modprobe", "sysctl"} {
		r.write("bin/"+name, "#!/bin/sh\nexit 1\n", 0o755)
	}

	r.expect("These are no reason to fail.", 0, "the clock is not synchronised after 1s; going on", "cannot load the modules", "cannot apply all of /etc/sysctl.d")
}

func TestBootstrapParameters(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	cases := map[string]struct {
		reason string
		env    string
		said   string
	}{
		"Role":  {"There are three.", "NODE_ROLE=master", "NODE_ROLE is 'master'"},
		"Join":  {"A server needs a cluster.", "JOIN_URL=", "JOIN_URL is empty"},
		"Token": {"And a token.", "TOKEN_FILE=", "TOKEN_FILE is empty"},
		"Name":  {"Nothing is made up.", "NODE_NAME=", "NODE_NAME"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.env = append(r.env, tc.env)
			r.expect(tc.reason, 1, tc.said)
		})
	}
}

func TestBootstrapSaysWhereItBroke(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("bin/systemctl", "#!/bin/sh\nexit 5\n", 0o755)
	r.expect("What nobody thought of is not silent either.", 5, "FATAL: line ")
}

func TestShellcheck(t *testing.T) {
	if _, err := exec.LookPath("shellcheck"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("shellcheck is not installed")
		}

		t.Skip("shellcheck is not installed")
	}

	if out, err := exec.Command("shellcheck", "scripts/k3s-bootstrap.sh", "scripts/motd.sh").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestVendorData runs the example of a snippet that delivers the token, as
// cloud-init does: a string of bootcmd is a line of the script.
func TestVendorData(t *testing.T) {
	const placeholder = "K10<hash>::server:<password>"

	text, err := os.ReadFile("testdata/vendor-data-token.yaml")
	if err != nil {
		t.Fatal(err)
	}

	schematest.New(t).Check(t, "vendor-data-token.yaml", text)

	var snippet struct {
		BootCmd []string `yaml:"bootcmd"`
	}
	if err := yaml.Unmarshal(text, &snippet); err != nil || len(snippet.BootCmd) != 1 {
		t.Fatalf("bootcmd is not one line of shell: %v", err)
	}

	n := joiner()
	n.Token, n.TokenFile = "", DefaultTokenFile
	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)

	boot := func(token string) {
		script := strings.ReplaceAll(strings.ReplaceAll(snippet.BootCmd[0], placeholder, token), "/etc/rancher", r.root+"/etc/rancher")
		r.write("bootcmd", "#!/bin/sh\n"+script, 0o644)

		if out, err := exec.Command("/bin/sh", filepath.Join(r.root, "bootcmd")).CombinedOutput(); err != nil || len(out) > 0 {
			t.Fatalf("bootcmd failed: %v, %s", err, out)
		}
	}

	boot(placeholder)
	r.expect("A snippet that was never filled in is found out.", 1, "holds a placeholder")
	r.try(os.Remove(filepath.Join(r.root, DefaultTokenFile)))

	boot(serverToken)

	info, err := os.Stat(filepath.Join(r.root, DefaultTokenFile))
	if err != nil || info.Mode().Perm() != 0o600 || r.read(DefaultTokenFile) != serverToken+"\n" {
		t.Fatalf("the token is not there for root only: %v, %v", info.Mode(), err)
	}

	r.expect("With it the node joins.", 0, "done")

	boot("another")

	if r.read(DefaultTokenFile) != serverToken+"\n" {
		t.Error("the next boot replaced the token of a node that is up")
	}
}
