package k3s

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/test/program"
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
	stubRecords = `
R=%[1]q; W=$R/world
printf '%%s' "${0##*/}" >>"$R/calls"; printf ' %%s' "$@" >>"$R/calls"; printf '\n' >>"$R/calls"
`
	stubHead = "#!/bin/bash" + stubRecords + `
once() { [[ -s $W/$1 ]] && sed -i 1d "$W/$1"; } # One line of a file for every failure to come.
`
	// Most need a plain shell only, which starts in half the time.
	stubPlainHead = "#!/bin/sh" + stubRecords
	stubCurl      = `
args=("$@"); url=${args[-1]}; out=
while (($#)); do [[ $1 == --output ]] && out=$2; shift; done
if [[ $url == */cacerts && -s $W/endpoint-says ]]; then # Lines of "STATUS MESSAGE".
	read -r status message <"$W/endpoint-says"; sed -i 1d "$W/endpoint-says"; echo "curl: ($status) $message" >&2; exit "$status"
fi
case $url in
	*/cacerts) ! once endpoint-late && [[ -e $W/endpoint ]] || exit 7 ;;
	*/healthz) [[ -e $W/kubelet ]] || exit 7 ;;
	*/k3s | */k3s-arm64) cp "$W/k3s" "$out" ;;
	*/sha256sum-*.txt) [[ -e $W/sums ]] || exit 22; cp "$W/sums" "$out" ;;
	*) if once fetch-fails; then echo "curl: (22) 503" >&2; exit 22; fi; cp "$W/install.sh" "$out" ;;
esac
`
	stubSystemctl = `
case $1 in
	show) cat "$W/restarts" 2>/dev/null ;;
	is-active) [[ -e $W/active && ! -e $W/never-ready ]] ;;
	start) touch "$W/active" "$W/kubelet" ;;
	enable) [[ -e $R/etc/systemd/system/${@: -1} ]] ;;
esac
`
	// The installer of the tests leaves what the real one leaves.
	stubInstaller = `#!/bin/sh
echo "installer $*" >>"$BOOTSTRAP_ROOT/calls"
env | grep -E '^(INSTALL_K3S|K3S)_' | sort >"$BOOTSTRAP_ROOT/world/installer-env"
if [ -e "$BOOTSTRAP_ROOT/world/installer-hangs" ]; then rm "$BOOTSTRAP_ROOT/world/installer-hangs"; exec /bin/sleep 60; fi
if [ -e "$BOOTSTRAP_ROOT/world/network-comes" ]; then touch "$BOOTSTRAP_ROOT/world/endpoint"; fi
if [ -s "$BOOTSTRAP_ROOT/world/installer-fails" ]; then sed -i 1d "$BOOTSTRAP_ROOT/world/installer-fails"; exit 1; fi
mkdir -p "$BOOTSTRAP_ROOT/usr/local/bin" "$BOOTSTRAP_ROOT/etc/systemd/system"
[ "$INSTALL_K3S_SKIP_DOWNLOAD" = true ] || cp "$BOOTSTRAP_ROOT/world/k3s" "$BOOTSTRAP_ROOT/usr/local/bin/k3s"
[ -x "$BOOTSTRAP_ROOT/usr/local/bin/k3s" ] || exit 1
env | grep -E '_PROXY=' | sort >"$BOOTSTRAP_ROOT/world/installer-proxy"
echo "$INSTALL_K3S_VERSION" >"$BOOTSTRAP_ROOT/world/version"
case $1 in server) unit=k3s ;; *) unit=k3s-$1 ;; esac
[ -e "$BOOTSTRAP_ROOT/world/installs-nothing" ] || echo '[Service]' >"$BOOTSTRAP_ROOT/etc/systemd/system/$unit.service"
`
	// The real program is tested in its package.
	stubReporter = `R=%[1]q; W=$R/world
[[ ! -e $W/reporter-hangs ]] || exec /bin/sleep 60
echo "$1" >>"$R/reports"; [[ ! -e $W/reporter-fails ]]
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

	for name, body := range map[string]string{"curl": stubCurl, "systemctl": stubSystemctl} {
		r.write("bin/"+name, fmt.Sprintf(stubHead, r.root)+body, 0o755)
	}

	// sleep is short, so that retries are; the longer it is, the fewer processes start until a limit of a second is over.
	stubs := map[string]string{
		"hostname": "echo " + n.NodeName, "modprobe": "", "sysctl": "", "swapoff": "",
		"timedatectl": "echo yes", "journalctl": "echo the journal", "systemd-detect-virt": `cat "$W/virt" 2>/dev/null || { echo none; exit 1; }`, "sleep": "exec /bin/sleep 0.1",
	}
	for name, body := range stubs {
		r.write("bin/"+name, fmt.Sprintf(stubPlainHead, r.root)+body, 0o755)
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
		case "/usr/local/sbin/guest-report":
			r.write(file.Path, fmt.Sprintf(stubReporter, r.root), 0o755)
		case "/etc/rancher/k3s/config.yaml", "/etc/k3s-bootstrap/kubelet.conf":
			r.write(file.Path, file.Content, 0o600)
		case n.tokenFile():
			r.write(file.Path, file.Content, 0o644)
		}
	}

	return r
}

// setEnv passes the parameters as systemd would. A shell reads that file alike.
func (r *rig) setEnv(file string) {
	r.env = []string{
		"PATH=" + r.root + "/bin:/usr/bin:/bin", "BOOTSTRAP_ROOT=" + r.root, "HOME=/root", "CLOCK_TIMEOUT=1", "TOKEN_TIMEOUT=1", "GUARD_TIMEOUT=2", "JOIN_TIMEOUT=2", "INSTALL_TIMEOUT=1", "READY_TIMEOUT=1",
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
	r.try(program.Write(file, []byte(content), mode))
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
		case "sleep", "k3s", "timedatectl", "hostname", "systemd-detect-virt":
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

// expect runs the script and judges the run by its status, what it said and the mark that it leaves.
func (r *rig) expect(reason string, wantStatus int, wantSaid ...string) string {
	r.t.Helper()

	// What is to succeed may take its time on a busy machine; what is to fail need not.
	if impatient := r.env; wantStatus == 0 {
		r.env = append(slices.Clone(impatient), "TOKEN_TIMEOUT=60", "JOIN_TIMEOUT=60", "INSTALL_TIMEOUT=60", "READY_TIMEOUT=60")
		defer func() { r.env = impatient }()
	}

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
