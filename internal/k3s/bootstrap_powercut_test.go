package k3s

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// every cut of the power, which takes minutes where a process takes long to start: make test-nix. Without it, each fourth one.
var every = flag.Bool("every", false, "cut the power at every write")

// stubCut stands in a program that writes. The power is cut before the call that the test chooses: nothing of the script runs after that.
const stubCut = `#!/bin/bash
calls=$(($(cat "$BOOTSTRAP_ROOT/writes" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$BOOTSTRAP_ROOT/writes"
if [[ $calls == "${CUT_AT:-}" ]]; then
	echo "${0##*/} $*" >"$BOOTSTRAP_ROOT/cut"
	kill -KILL 0
fi
`

// stubBoots is what a start of K3s, or a unit that the next boot starts, does to a server whose config says that it begins a cluster.
const stubBoots = `
case $1 in
	enable | start) [[ -s $BOOTSTRAP_ROOT/etc/rancher/k3s/config.yaml.d/50-join.yaml ]] || echo "$*" >>"$BOOTSTRAP_ROOT/alone" ;;
esac
`

// TestPowerCut cuts the power before each program that writes, and boots the machine again: the node is in its cluster after the next run, and a server
// that was made again beside a living cluster never starts one of its own.
func TestPowerCut(t *testing.T) {
	stride := 4
	if *every {
		stride = 1
	}

	for name, tc := range map[string]struct {
		node    Node
		atLeast int // Cuts.
	}{
		"MadeAgain": {node: first(), atLeast: 14},
		"Joins":     {node: joiner(), atLeast: 12},
		"Restores":  {node: restorer(), atLeast: 24},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // The script counts in seconds.

			cuts := 0

			for cut := 1; ; cut += stride {
				r := newRig(t, tc.node)

				if tc.node.Restore == "" {
					r.write("world/endpoint", "", 0o644)
				} else {
					r.restores()
				}

				for _, program := range []string{"mkdir", "mv", "rm", "sync", "install", "chmod", "cp"} {
					r.write("bin/"+program, stubCut+"exec /usr/bin/env PATH=/usr/bin:/bin "+program+" \"$@\"\n", 0o755)
				}

				for _, program := range []string{"curl", "systemctl"} {
					_, rest, _ := strings.Cut(r.read("bin/"+program), "\n")
					r.write("bin/"+program, stubCut+map[string]string{"systemctl": stubBoots}[program]+rest, 0o755)
				}

				if !r.cut(cut) {
					break
				}

				cuts++
				at := "power cut before " + strings.TrimSpace(r.read("cut"))
				_ = os.Remove(filepath.Join(r.root, "world/active")) // A boot.

				if !r.exists("var/lib/k3s-bootstrap/done") { // Else the unit's condition keeps it from another run.
					r.expect(at, 0, "done: "+tc.node.NodeName+" runs K3s as server")
				}

				if name == "MadeAgain" && r.exists("alone") {
					t.Errorf("%s: a second cluster can start: systemctl %s", at, r.read("alone"))
				}

				if name == "Restores" {
					r.restored(at)
				}
			}

			if cuts < tc.atLeast/stride {
				t.Errorf("the power was cut at %d places only, want %d", cuts, tc.atLeast/stride)
			}
		})
	}
}

// cut runs the script in a group of processes of its own, which the stub kills. It says whether the power was cut.
func (r *rig) cut(at int) bool {
	cmd := exec.Command("setsid", "--wait", "/bin/bash", filepath.Join(r.root, "k3s-bootstrap"))
	cmd.Env = append(append([]string{}, r.env...), "TOKEN_TIMEOUT=60", "JOIN_TIMEOUT=60", "INSTALL_TIMEOUT=60", "READY_TIMEOUT=60", fmt.Sprint("CUT_AT=", at))
	_ = cmd.Run() // The status is that of a power cut.

	return r.exists("cut")
}
