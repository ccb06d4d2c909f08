package k3s

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBootstrapDisks: a machine with data disks installs no K3s that could start without them, whatever a power cut has left of the files
// that keep K3s from it.
func TestBootstrapDisks(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const (
		unit      = "etc/systemd/system/data-disks.service"
		dropIn    = "etc/systemd/system/k3s.service.d/10-data-disks.conf"
		bootstrap = "etc/systemd/system/k3s-bootstrap.service.d/10-data-disks.conf"
		program   = "usr/local/sbin/data-disks"
		mounts    = "#!/bin/sh\n"
	)

	cases := map[string]struct {
		reason string
		files  map[string]string // Others than the whole ones.
		status int
		says   string
	}{
		"Whole":       {reason: "The disks are mounted.", says: "done: k3s-cp-2 runs K3s as server"},
		"EmptyDropIn": {reason: "systemd takes an empty drop-in for nothing to do.", files: map[string]string{dropIn: ""}, status: 1, says: "k3s.service.d/10-data-disks.conf; run: cloud-init clean --reboot"},
		"NULs":        {reason: "The size was written, and the content was not.", files: map[string]string{bootstrap: strings.Repeat("\x00", 200)}, status: 1, says: "k3s-bootstrap.service.d/10-data-disks.conf; run:"},
		"EmptyUnit":   {reason: "systemd takes an empty unit for a masked one: nothing would mount at the next boot.", files: map[string]string{unit: ""}, status: 1, says: "data-disks.service; run:"},
		"EmptyScript": {reason: "A shell takes an empty script for one that ends well.", files: map[string]string{program: ""}, status: 1, says: "data-disks is missing or empty"},
		"NotMounted":  {reason: "A disk is missing.", files: map[string]string{program: "#!/bin/sh\nexit 1\n"}, status: 1, says: "the data disks are not mounted"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.write("world/endpoint", "", 0o644)
			r.write("etc/data-disks/table", "data ext4 /srv/data\n", 0o644)

			files := map[string]string{
				unit: "[Service]\nExecStart=/usr/local/sbin/data-disks\n", dropIn: "[Service]\nExecStartPre=/usr/local/sbin/data-disks\n",
				bootstrap: "[Service]\nExecStartPre=/usr/local/sbin/data-disks\n", program: mounts,
			}
			maps.Copy(files, tc.files)

			for path, content := range files {
				r.write(path, content, 0o755)
			}

			r.expect(tc.reason, tc.status, tc.says)

			if tc.status != 0 && (strings.Contains(r.read("calls"), "installer") || strings.Contains(r.read("calls"), "systemctl start")) {
				t.Errorf("%s\nK3s is installed or started:\n%s", tc.reason, r.read("calls"))
			}
		})
	}
}

// TestBootstrapArguments records the arguments of each program that the script starts: everybody on a machine can read them.
func TestBootstrapArguments(t *testing.T) {
	t.Parallel() // The script counts in seconds.

	const recorder = `#!/bin/bash
printf '%%s\n' "${0##*/}" "$@" >>%q
exec %q "$@"
`

	cases := map[string]struct {
		reason string
		change func(r *rig)
		status int
	}{
		"Joins":       {reason: "The usual first boot.", change: func(*rig) {}},
		"Placeholder": {reason: "What is wrong with a token is said without it.", change: func(r *rig) { r.write(DefaultTokenFile, "<"+password+">", 0o600) }, status: 1},
		"Blank":       {reason: "Likewise.", change: func(r *rig) { r.write(DefaultTokenFile, password+" "+password, 0o600) }, status: 1},
		"Short":       {reason: "A server needs a full token.", change: func(r *rig) { r.write(DefaultTokenFile, shortToken, 0o600) }, status: 1},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			r := newRig(t, joiner())
			r.write("world/endpoint", "", 0o644)
			tc.change(r)

			recorded := filepath.Join(r.root, "arguments")

			for _, program := range everyProgram(t) {
				if !r.exists("bin/" + filepath.Base(program)) {
					r.write("bin/"+filepath.Base(program), fmt.Sprintf(recorder, recorded, program), 0o755)
				}
			}

			r.env = append(r.env, "PATH="+r.root+"/bin") // What is not recorded is not found.
			if output, status := r.run(); status != tc.status {
				t.Fatalf("%s\nthe status is %d:\n%s", tc.reason, status, output)
			}

			arguments := r.read("arguments")
			if !strings.Contains(arguments, "chmod\n0600\n") {
				t.Errorf("nothing was recorded:\n%s", arguments)
			}

			for _, secret := range []string{password, shortToken, caHash} {
				if strings.Contains(arguments+r.read("calls"), secret) {
					t.Errorf("%s\nthe token is in an argument:\n%s%s", tc.reason, arguments, r.read("calls"))
				}
			}
		})
	}
}

// everyProgram are the programs that a script of a system's own could start.
func everyProgram(t *testing.T) []string {
	t.Helper()

	var out []string

	for _, name := range []string{
		"awk", "base64", "basename", "bash", "cat", "chmod", "chown", "cmp", "cp", "cut", "date", "dd", "dirname", "echo", "env", "expr", "find", "flock", "grep", "head", "id", "install",
		"jq", "kill", "ln", "ls", "mkdir", "mktemp", "mv", "od", "openssl", "perl", "printf", "python3", "readlink", "rm", "sed", "sh", "sha256sum", "sort", "stat", "sync", "tail", "tee",
		"test", "timeout", "touch", "tr", "true", "uname", "uniq", "wc", "xargs",
	} {
		if path, err := exec.LookPath(name); err == nil {
			out = append(out, path)
		}
	}

	return out
}

// TestBootstrapCutOff: what a power cut leaves of the script is no script.
func TestBootstrapCutOff(t *testing.T) {
	t.Parallel()

	script, err := os.ReadFile("scripts/k3s-bootstrap.sh")
	if err != nil {
		t.Fatal(err)
	}

	for _, end := range []int{4096, 8192, 12288, 16384, len(script) - 2} {
		for _, rest := range []string{"", strings.Repeat("\x00", 4096)} {
			cmd := exec.Command("/bin/bash")
			cmd.Stdin = strings.NewReader(string(script[:end]) + rest)
			cmd.Env = []string{"BOOTSTRAP_ROOT=" + t.TempDir()}

			if out, err := cmd.CombinedOutput(); err == nil || strings.Contains(string(out), "k3s-bootstrap:") {
				t.Errorf("%d bytes of the script end well, or do something:\n%s", end, out)
			}
		}
	}
}
