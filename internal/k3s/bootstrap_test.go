package k3s

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit/schematest"
)

// A rig is a machine made of a folder: the bootstrap script runs in it for real,
// with stubs for what it starts. The stubs look at files in the folder "world" to know what to do,
// and write what they were called with into "calls".
type rig struct {
	t    *testing.T
	root string
	env  []string
}

// Stubs. $W is the folder "world", $R the root.
const (
	stubHead = `#!/bin/bash
R=%[1]q; W=$R/world
printf '%%s' "${0##*/}" >>"$R/calls"; printf ' %%s' "$@" >>"$R/calls"; printf '\n' >>"$R/calls"
once() { [[ -s $W/$1 ]] && sed -i 1d "$W/$1"; } # One line of a file for every failure to come.
`
	stubCurl = `
args=("$@"); url=${args[-1]}; out=
while (($#)); do [[ $1 == --output ]] && out=$2; shift; done
case $url in
	*/cacerts) ! once endpoint-late && [[ -e $W/endpoint ]] || exit 7 ;;
	*/healthz) [[ -e $W/kubelet ]] || exit 7 ;;
	*) if once fetch-fails; then echo "curl: (22) 503" >&2; exit 22; fi; cp "$W/install.sh" "$out" ;;
esac
`
	stubSystemctl = `
case $1 in
	is-active) [[ -e $W/active && ! -e $W/never-ready ]] ;;
	start) touch "$W/active" "$W/kubelet" ;;
	enable) [[ -e $R/etc/systemd/system/${@: -1} ]] ;;
esac
`
	// The installer of the tests leaves what the real one leaves.
	stubInstaller = `#!/bin/sh
echo "installer $*" >>"$BOOTSTRAP_ROOT/calls"
env | grep -E '^(INSTALL_K3S|K3S)_' | sort >"$BOOTSTRAP_ROOT/world/installer-env"
if [ -s "$BOOTSTRAP_ROOT/world/installer-fails" ]; then sed -i 1d "$BOOTSTRAP_ROOT/world/installer-fails"; exit 1; fi
mkdir -p "$BOOTSTRAP_ROOT/usr/local/bin" "$BOOTSTRAP_ROOT/etc/systemd/system"
cp "$BOOTSTRAP_ROOT/world/k3s" "$BOOTSTRAP_ROOT/usr/local/bin/k3s"
echo "$INSTALL_K3S_VERSION" >"$BOOTSTRAP_ROOT/world/version"
case $1 in server) unit=k3s ;; *) unit=k3s-$1 ;; esac
touch "$BOOTSTRAP_ROOT/etc/systemd/system/$unit.service"
`
	stubK3s = `
case $1 in
	--version) echo "k3s version $(cat "$W/version") (abcdef)"; echo "go version go1.24" ;;
	kubectl) [[ $KUBECONFIG == */server/cred/admin.kubeconfig && ! -e $W/never-ready ]] ;;
esac
`
)

func newRig(t *testing.T, n Node) *rig {
	t.Helper()

	r := &rig{t: t, root: t.TempDir()}
	for _, folder := range []string{"bin", "world", "etc/rancher/k3s", "var/lib"} {
		r.try(os.MkdirAll(filepath.Join(r.root, folder), 0o755))
	}

	// sleep is short, so that retries are; without an answer from here the clock is never right.
	stubs := map[string]string{
		"curl": stubCurl, "systemctl": stubSystemctl, "hostname": "echo " + n.NodeName, "modprobe": "", "sysctl": "", "swapoff": "",
		"timedatectl": "echo yes", "journalctl": "echo the journal", "sleep": "exec /bin/sleep 0.02",
	}
	for name, body := range stubs {
		r.write("bin/"+name, fmt.Sprintf(stubHead, r.root)+body, 0o755)
	}

	r.write("world/k3s", fmt.Sprintf(stubHead, r.root)+stubK3s, 0o755)
	r.write("world/install.sh", stubInstaller, 0o644)

	files, err := n.Files()
	r.try(err)

	for _, file := range files {
		switch file.Path {
		case "/etc/k3s-bootstrap/env":
			r.setEnv(file.Content)
		case "/usr/local/sbin/k3s-bootstrap":
			r.write("k3s-bootstrap", file.Content, 0o755)
		case n.tokenFile():
			r.write(file.Path, file.Content, 0o644)
		}
	}

	return r
}

// setEnv passes the parameters as systemd would. A shell reads that file alike.
func (r *rig) setEnv(file string) {
	r.env = []string{
		"PATH=" + r.root + "/bin:/usr/bin:/bin", "BOOTSTRAP_ROOT=" + r.root, "HOME=/root", "CLOCK_TIMEOUT=1", "TOKEN_TIMEOUT=1", "GUARD_TIMEOUT=1", "JOIN_TIMEOUT=2", "INSTALL_TIMEOUT=1", "READY_TIMEOUT=1",
	}

	out, err := exec.Command("/bin/sh", "-c", "env -i sh -c 'set -a\n"+strings.ReplaceAll(file, "'", `'\''`)+"\nenv'").Output()
	r.try(err)

	for line := range strings.Lines(string(out)) {
		r.env = append(r.env, strings.TrimSuffix(line, "\n"))
	}
}

func (r *rig) try(err error) {
	r.t.Helper()

	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) write(path, content string, mode os.FileMode) {
	r.t.Helper()

	file := filepath.Join(r.root, path)
	r.try(os.MkdirAll(filepath.Dir(file), 0o755))
	r.try(os.WriteFile(file, []byte(content), mode))
	r.try(os.Chmod(file, mode))
}

func (r *rig) read(path string) string {
	content, _ := os.ReadFile(filepath.Join(r.root, path))

	return string(content)
}

func (r *rig) exists(path string) bool {
	_, err := os.Stat(filepath.Join(r.root, path))

	return err == nil
}

// run starts the script and returns what it said and its status. In no run may a token be said or passed on.
func (r *rig) run() (output string, status int) {
	r.t.Helper()
	r.try(os.RemoveAll(filepath.Join(r.root, "calls")))

	command := exec.Command("/bin/bash", filepath.Join(r.root, "k3s-bootstrap"))
	command.Env = r.env
	out, _ := command.CombinedOutput()

	for place, text := range map[string]string{"its output": string(out), "an argument": r.read("calls"), "the installer's environment": r.read("world/installer-env")} {
		if strings.Contains(text, password) || strings.Contains(text, shortToken) || strings.Contains(text, caHash) {
			r.t.Errorf("the token is in %s:\n%s", place, text)
		}
	}

	return string(out), command.ProcessState.ExitCode()
}

// calls returns what was called, by its first words; what is asked again and again is left out.
func (r *rig) calls() []string {
	var calls []string

	for line := range strings.Lines(r.read("calls")) {
		words := strings.Fields(line)

		switch words[0] {
		case "sleep", "k3s", "timedatectl", "hostname":
			continue
		case "curl":
			words = []string{"curl", words[len(words)-1]}
		}

		if call := strings.Join(words, " "); len(calls) == 0 || calls[len(calls)-1] != call {
			calls = append(calls, call)
		}
	}

	return calls
}

// outcome is what a run is judged by.
func (r *rig) expect(reason string, wantStatus int, wantSaid ...string) string {
	r.t.Helper()

	output, status := r.run()
	if status != wantStatus {
		r.t.Fatalf("%s\nthe status is %d, want %d:\n%s", reason, status, wantStatus, output)
	}

	for _, want := range wantSaid {
		if !strings.Contains(output, want) {
			r.t.Errorf("%s\nthe output lacks %q:\n%s", reason, want, output)
		}
	}

	if done := r.exists("var/lib/k3s-bootstrap/done"); done != (wantStatus == 0) {
		r.t.Errorf("%s\nthe mark that it is done: %v", reason, done)
	}

	return output
}

// initial returns the calls of every run that gets past the checks.
func initial() []string {
	return []string{"modprobe -a overlay br_netfilter", "sysctl --quiet --system"}
}

const (
	cacerts   = "curl https://k3s.home.arpa:6443/cacerts"
	installer = "curl https://raw.githubusercontent.com/k3s-io/k3s/v1.33.6%2Bk3s1/install.sh"
)

func joiner() Node {
	n := nodes()["server"]
	n.Token, n.TokenFile, n.InstallURL, n.InstallSHA256 = Token(serverToken), "", "", ""

	return n
}

func first() Node {
	n := nodes()["init"]
	n.Config = nil

	return n
}

func TestBootstrapJoins(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.write("world/endpoint-late", "1\n2\n3\n", 0o644)
	r.expect("A server waits for the cluster and joins it.", 0, "waits for https://k3s.home.arpa:6443", "done: k3s-cp-2 runs K3s as server")

	want := append(initial(), cacerts, installer, "installer server", "systemctl enable --quiet k3s.service", "systemctl start --no-block k3s.service", "systemctl is-active --quiet k3s.service")
	if diff := cmp.Diff(want, r.calls()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}

	if diff := cmp.Diff("INSTALL_K3S_SKIP_START=true\nINSTALL_K3S_VERSION=v1.33.6+k3s1\n", r.read("world/installer-env")); diff != "" {
		t.Errorf("The installer copies every K3S_ variable into K3s' unit; it must find none.\n%s", diff)
	}

	info, err := os.Stat(filepath.Join(r.root, DefaultTokenFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file is %v (%v), want 0600", info.Mode(), err)
	}

	if r.exists("etc/rancher/k3s/config.yaml.d") {
		t.Error("a server's configuration was changed")
	}
}

func TestBootstrapAgent(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := nodes()["agent"]
	n.Token = Token(bootstrapTok)

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("An agent joins, with a bootstrap token as well.", 0, "done: k3s-w-1 runs K3s as agent")

	want := append(initial(), cacerts, installer, "installer agent", "systemctl enable --quiet k3s-agent.service", "systemctl start --no-block k3s-agent.service",
		"systemctl is-active --quiet k3s-agent.service", "curl http://127.0.0.1:10248/healthz")
	if diff := cmp.Diff(want, r.calls()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func TestBootstrapInitAlone(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, first())
	r.expect("Where nobody answers, the first server starts a cluster.", 0, "starts a new cluster", "done: k3s-cp-1 runs K3s as server")

	if r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") {
		t.Error("it was told to join")
	}

	if count := strings.Count(r.read("calls"), "/cacerts"); count < 2 {
		t.Errorf("it asked %d times only; one lost packet must not make a second cluster", count)
	}
}

func TestBootstrapInitWithoutToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, nodes()["alone"])
	r.expect("K3s makes the token; without an address there is nothing to ask.", 0, "starts a new cluster")

	if strings.Contains(r.read("calls"), "/cacerts") {
		t.Error("it asked somebody")
	}
}

func TestBootstrapInitFindsItsCluster(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const want = "cluster-init: false\nserver: \"https://k3s.home.arpa:6443\"\n"

	r := newRig(t, first())
	r.write("world/endpoint", "", 0o644)
	r.write("world/endpoint-late", "1\n", 0o644)
	r.write("world/never-ready", "", 0o644)
	r.expect("A rebuilt first server joins the living cluster.", 1, "serves a cluster already: joins it")

	if diff := cmp.Diff(want, r.read("etc/rancher/k3s/config.yaml.d/50-join.yaml")); diff != "" {
		t.Error(diff)
	}

	r.try(os.Remove(filepath.Join(r.root, "world/never-ready")))
	r.try(os.Remove(filepath.Join(r.root, "world/endpoint")))
	r.expect("The cluster goes away before the node is in: it waits, and does not change its mind.", 1, "as an earlier run has decided", "did not answer within 2s")

	r.write("world/endpoint", "", 0o644)
	r.expect("Then the cluster is back.", 0, "as an earlier run has decided", "is installed already", "done: k3s-cp-1")
}

func TestBootstrapInitWithData(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for _, data := range []string{"var/lib/rancher/k3s/server/db/etcd/member/wal", "var/lib/rancher/k3s/server/db/state.db"} {
		r := newRig(t, first())
		r.write(data, "", 0o600)
		r.write("world/endpoint", "", 0o644)
		r.expect("Its own cluster answers: it is a member already, and nothing is to be joined.", 0, "has the data of its cluster already")

		if r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") || !r.exists(data) {
			t.Error("a member was told to join, or lost its data")
		}
	}
}

func TestBootstrapDataDir(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := first()
	n.Config = map[string]any{"data-dir": "/srv/k3s"}

	r := newRig(t, n)
	r.write("srv/k3s/server/db/etcd/x", "", 0o600)
	r.write("world/endpoint", "", 0o644)
	r.expect("Data is where data-dir says.", 0, "has the data of its cluster already")
}

func TestBootstrapInitCannotJoinWithoutToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	n := nodes()["alone"]
	n.ServerURL = "https://k3s.home.arpa:6443"

	r := newRig(t, n)
	r.write("world/endpoint", "", 0o644)
	r.expect("Better no node than a second cluster.", 1, "FATAL: https://k3s.home.arpa:6443 serves a cluster already, and there is no token to join it with")

	if strings.Contains(r.read("calls"), "installer") || r.exists("etc/rancher/k3s/config.yaml.d/50-join.yaml") {
		t.Error("it went on all the same")
	}
}

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
		"Missing":      {"No snippet wrote it.", joiner(), "", "there is no token in "},
		"Placeholder":  {"The snippet was never filled in.", joiner(), "K10<hash>::server:<password>", "holds a placeholder instead of a token"},
		"TwoLines":     {"Two tokens are none.", joiner(), serverToken + "\n" + serverToken, "holds white space or more than one line"},
		"Short":        {"It can be guessed.", joiner(), "secret", "shorter than 16 characters"},
		"ServerShort":  {"Without the hash the password goes to whoever answers.", joiner(), shortToken, "holds no server token"},
		"ServerAgent":  {"An agent token makes no server.", joiner(), agentToken, "holds no server token"},
		"ServerBoot":   {"Nor does a bootstrap token.", joiner(), bootstrapTok, "holds no server token"},
		"AgentShort":   {"Agents, too.", nodes()["agent"], shortToken, "holds no full token"},
		"InitExisting": {"A new cluster cannot have the CA of an old one.", first(), serverToken, "holds a token of an existing cluster"},
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

func TestBootstrapInitJoinsWithEitherToken(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	for _, token := range []string{shortToken, serverToken} {
		n := first()
		n.Token, n.TokenFile = "", DefaultTokenFile

		r := newRig(t, n)
		r.write("world/endpoint", "", 0o644)
		r.write(DefaultTokenFile, token+"\n", 0o600)
		r.expect("A rebuilt first server may have been given the full token by now.", 0, "joins it")
	}
}

func TestBootstrapAgain(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("The first time.", 0, "installs K3s v1.33.6+k3s1")
	r.expect("The second time it installs nothing.", 0, "K3s v1.33.6+k3s1 is installed already", "done")

	if strings.Contains(r.read("calls"), "installer") {
		t.Error("the installer ran again")
	}
}

func TestBootstrapVersions(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	r := newRig(t, joiner())
	r.write("world/endpoint", "", 0o644)
	r.expect("Once.", 0)

	r.write("world/version", "v1.32.1+k3s1\n", 0o644)
	r.expect("An image may carry another release that was never used.", 0, "installs K3s v1.33.6+k3s1")

	r.write("world/version", "v1.35.0+k3s1\n", 0o644)
	r.write("var/lib/rancher/k3s/agent/client-kubelet.crt", "", 0o600)
	r.expect("A node that was upgraded since is not set back.", 0, "K3s v1.35.0+k3s1 is installed and in use; it is left as it is, although v1.33.6+k3s1 is asked for")

	if strings.Contains(r.read("calls"), "installer") {
		t.Error("the installer ran")
	}
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

	if out, err := exec.Command("shellcheck", "scripts/k3s-bootstrap.sh").CombinedOutput(); err != nil {
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
