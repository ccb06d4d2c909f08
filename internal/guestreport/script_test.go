package guestreport

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// ip on a machine whose links are files of a folder, with their kind as content.
const stubIP = `#!/bin/bash
cd "$WORLD/links" || exit 1
echo "$*" >>"$WORLD/calls"
case $* in
	"-o link show type dummy")
		n=1
		for link in *; do
			[[ $(cat "$link" 2>/dev/null) == dummy* ]] || continue
			printf '%d: %s: <BROADCAST,NOARP> mtu 1500 qdisc noop state DOWN mode DEFAULT group default qlen 1000\\    link/ether 3e:00:00:00:00:01 brd ff:ff:ff:ff:ff:ff\n' "$((n++))" "$link"
		done ;;
	"link set dev "*" name "*)
		[[ $(cat "$4") != dummy-up ]] || { echo "RTNETLINK answers: Device or resource busy" >&2; exit 2; }
		mv "$4" "$6" ;;
	"link add name "*" type dummy")
		[[ -e $WORLD/module && ! -e $4 ]] || exit 2
		echo dummy >"$4" ;;
	"link delete dev "*) rm "$4" ;;
	*) echo "what is $*?" >&2; exit 3 ;;
esac
`

const stubModprobe = `#!/bin/bash
[[ -e $WORLD/has-module && $* == "dummy numdummies=0" ]] || exit 1
touch "$WORLD/module"
`

// A world has the links of a machine, by name.
type world struct {
	t   *testing.T
	dir string
}

func newWorld(t *testing.T, links map[string]string) *world {
	t.Helper()

	w := &world{t: t, dir: t.TempDir()}
	w.write("has-module", "", 0o600)
	w.write("bin/ip", stubIP, 0o700)
	w.write("bin/modprobe", stubModprobe, 0o700)
	w.write("links/lo", "loopback", 0o600)
	w.write("links/eth0", "ether", 0o600)

	for name, kind := range links {
		w.write("links/"+name, kind, 0o600)
	}

	w.write("guest-report", Script, 0o700)

	return w
}

func (w *world) write(name, content string, mode os.FileMode) {
	w.t.Helper()

	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.t.Fatal(err)
	}

	if err := program.Write(file, []byte(content), mode); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(name string) {
	w.t.Helper()

	if err := os.Remove(filepath.Join(w.dir, name)); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) report(arguments ...string) (status int) {
	w.t.Helper()

	command := exec.Command("bash", append([]string{filepath.Join(w.dir, "guest-report")}, arguments...)...)
	command.Env = []string{"PATH=" + w.dir + "/bin:/usr/bin:/bin", "WORLD=" + w.dir}

	out, err := command.CombinedOutput()
	if command.ProcessState == nil {
		w.t.Fatalf("cannot run the script: %v", err)
	}

	w.t.Logf("%q: %s", arguments, out)

	return command.ProcessState.ExitCode()
}

// links that are there beside lo and eth0.
func (w *world) links() []string {
	w.t.Helper()

	entries, err := os.ReadDir(filepath.Join(w.dir, "links"))
	if err != nil {
		w.t.Fatal(err)
	}

	out := []string{}

	for _, e := range entries {
		if e.Name() != "lo" && e.Name() != "eth0" {
			out = append(out, e.Name())
		}
	}

	return out
}

// TestScript: one link of ours at a time, whatever was there, and nobody else's is touched.
func TestScript(t *testing.T) {
	cases := map[string]struct {
		reason string
		links  map[string]string
		lacks  string // A file of the world that is not there.
		name   string
		status int
		want   []string
	}{
		"First":          {reason: "After a boot there is none.", name: "k3s-waiting", want: []string{"k3s-waiting"}},
		"Again":          {reason: "Said already.", links: map[string]string{"k3s-joined": "dummy"}, name: "k3s-joined", want: []string{"k3s-joined"}},
		"Next":           {reason: "The word before goes.", links: map[string]string{"k3s-waiting": "dummy"}, name: "k3s-installing", want: []string{"k3s-installing"}},
		"AfterAFailure":  {reason: "Failures are words, too.", links: map[string]string{"k3s-bad-endpoin": "dummy"}, name: "k3s-joined", want: []string{"k3s-joined"}},
		"Revision":       {reason: "Another revision is another word.", links: map[string]string{"nix-ok-3f9a0c": "dummy"}, name: "nix-ok-00ff00", want: []string{"nix-ok-00ff00"}},
		"Up":             {reason: "Somebody set it up, and the kernel does not rename it.", links: map[string]string{"k3s-waiting": "dummy-up"}, name: "k3s-joined", want: []string{"k3s-joined"}},
		"Many":           {reason: "Somebody made a second one.", links: map[string]string{"k3s-waiting": "dummy", "k3s-bad-k3s": "dummy", "nix-ok-3f9a0c": "dummy"}, name: "k3s-joined", want: []string{"k3s-joined"}},
		"ManyAndItself":  {reason: "Only the others go.", links: map[string]string{"k3s-waiting": "dummy", "k3s-joined": "dummy"}, name: "k3s-joined", want: []string{"k3s-joined"}},
		"Foreign":        {reason: "Somebody's bridge, and somebody's dummies.", links: map[string]string{"k3s-waiting": "bridge", "kube-ipvs0": "dummy", "k3s-lan": "dummy", "nix-os": "dummy", "dummy0": "dummy"}, name: "k3s-joined", want: []string{"dummy0", "k3s-joined", "k3s-lan", "k3s-waiting", "kube-ipvs0", "nix-os"}},
		"None":           {reason: "It is switched off.", links: map[string]string{"k3s-waiting": "dummy", "k3s-lan": "dummy"}, name: "none", want: []string{"k3s-lan"}},
		"NoModule":       {reason: "A kernel without the module.", lacks: "has-module", name: "k3s-waiting", status: 1, want: []string{}},
		"NoModprobe":     {reason: "A system without kmod.", lacks: "bin/modprobe", name: "k3s-waiting", status: 1, want: []string{}},
		"NoIP":           {reason: "A system without iproute2.", lacks: "bin/ip", name: "k3s-waiting", status: 1, want: []string{}},
		"ForeignAsked":   {reason: "A name that nobody reads.", links: map[string]string{"k3s-joined": "dummy"}, name: "k3s-lan", status: 2, want: []string{"k3s-joined"}},
		"Injected":       {reason: "A word of a parameter.", name: "k3s-joined type", status: 2, want: []string{}},
		"TooLong":        {reason: "The kernel would refuse it.", name: "k3s-bad-endpoint", status: 2, want: []string{}},
		"Empty":          {reason: "No name.", name: "", status: 2, want: []string{}},
		"NoneWithoutAny": {reason: "Nothing to remove.", name: "none", want: []string{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, tc.links)
			if tc.lacks != "" {
				w.remove(tc.lacks)
			}

			if tc.lacks == "bin/ip" || tc.lacks == "bin/modprobe" {
				w.hide()
			}

			if got := w.report(tc.name); got != tc.status {
				t.Errorf("%s\nthe status is %d, want %d", tc.reason, got, tc.status)
			}

			if diff := cmp.Diff(tc.want, w.links()); diff != "" {
				t.Errorf("%s\nlinks: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// hide the programs of this machine, but for those that the script needs.
func (w *world) hide() {
	w.t.Helper()

	for _, name := range []string{"bash", "sed", "grep", "mv", "cat", "rm", "touch"} {
		program, err := exec.LookPath(name)
		if err != nil {
			w.t.Fatal(err)
		}

		if err := os.Symlink(program, filepath.Join(w.dir, "bin", name)); err != nil {
			w.t.Fatal(err)
		}
	}

	only := strings.Replace(Script, "set -uo pipefail\n", "set -uo pipefail\nPATH=${PATH%%:*}\n", 1)
	w.write("guest-report", only, 0o700)
}

// TestScriptKnowsTheNames: the script accepts each name of the table, and finds it again.
func TestScriptKnowsTheNames(t *testing.T) {
	names := []string{}
	for name := range K3sNames() {
		names = append(names, name)
	}

	for word := range nixWords {
		names = append(names, word, word+"-0123ef")
	}

	slices.Sort(names)

	w := newWorld(t, nil)
	for _, name := range names {
		if status := w.report(name); status != 0 {
			t.Errorf("%s: the status is %d", name, status)
		}

		if diff := cmp.Diff([]string{name}, w.links()); diff != "" {
			t.Errorf("links: -want, +got:\n%s", diff)
		}
	}

	calls, err := os.ReadFile(filepath.Join(w.dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}

	// Never up, never an address.
	for line := range strings.Lines(string(calls)) {
		if strings.Contains(line, " up") || strings.Contains(line, "addr") {
			t.Errorf("ip %s", line)
		}
	}
}
