package datadisks

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTable: what a power cut leaves of the table, and what a person writes. K3s must not start on the boot disk for want of a line.
func TestTable(t *testing.T) {
	const whole = "data ext4 /srv/data\n"

	cases := map[string]struct {
		reason string
		table  string
		says   string // Empty: the run succeeds.
	}{
		"Whole":         {reason: "What cloud-init wrote.", table: whole},
		"Comments":      {reason: "A person wrote down why.", table: "# Mine.\n\n" + whole},
		"Decided":       {reason: "A person does without disks: no power cut leaves a comment.", table: "# none\n"},
		"Missing":       {reason: "Not even the name is there.", table: "-", says: "is missing or empty"},
		"Empty":         {reason: "The usual remains of a file that was not flushed.", says: "is missing or empty"},
		"NULs":          {reason: "The size was written, and the content was not.", table: strings.Repeat("\x00", len(whole)), says: "has bytes that are no text"},
		"NULsBehind":    {reason: "The first block was written.", table: whole + strings.Repeat("\x00", 20), says: "has bytes that are no text"},
		"NoLineEnd":     {reason: "The rest of the path is missing.", table: whole + "logs ext4 /srv/lo", says: "has no line end"},
		"OneNoLineEnd":  {reason: "The only disk would be left out.", table: strings.TrimSpace(whole), says: "has no line end"},
		"Blank":         {reason: "Nobody writes that.", table: "\n \n", says: "has no line,"},
		"ShortLine":     {reason: "The end of a line is missing.", table: "data ext4\n", says: "line 1 of"},
		"LongLine":      {reason: "Two lines became one.", table: whole + "logs ext4 /srv/logs more ext4 /srv/more\n", says: "line 2 of"},
		"OtherType":     {reason: "The script would run mkfs.btrfs.", table: "data btrfs /srv/data\n", says: "line 1 of"},
		"RelativePath":  {reason: "It would be mounted wherever the script runs.", table: "data ext4 srv/data\n", says: "line 1 of"},
		"RootDirectory": {reason: "A disk over the whole system.", table: "data ext4 /\n", says: "line 1 of"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			g := newGuest(t)
			device := g.attach("sdb", "data")
			g.write(TablePath, tc.table)

			if tc.table == "-" {
				if err := os.Remove(filepath.Join(g.root, TablePath)); err != nil {
					t.Fatal(err)
				}
			}

			out, err := g.run()

			if (err == nil) != (tc.says == "") || !strings.Contains(out, tc.says) {
				t.Errorf("%s\n%v, want %q:\n%s", tc.reason, err, tc.says, out)
			}

			if tc.says == "" {
				return
			}

			if typeOf(t, device) != "" || g.read("calls") != "" || !strings.Contains(out, "cloud-init clean --reboot") {
				t.Errorf("%s\nit does something, or does not say what to do:\n%s%s", tc.reason, g.read("calls"), out)
			}
		})
	}
}

// TestScriptCutOff: whatever a power cut leaves of the script itself, bash does nothing and fails.
func TestScriptCutOff(t *testing.T) {
	first := strings.Index(script, "\n{ ") + len("\n{ ")

	for end := first; end < len(script)-2; end++ {
		if script[end] != '\n' {
			continue // What is within a line is no better.
		}

		cmd := exec.Command("/bin/bash", "-n")
		cmd.Stdin = strings.NewReader(script[:end+1])

		if cmd.Run() == nil {
			t.Fatalf("%d bytes of the script are a script of their own", end+1)
		}
	}

	for _, end := range []int{first, 4096, len(script) - 2} {
		for _, rest := range []string{"", strings.Repeat("\x00", 4096)} {
			g := newGuest(t, "data ext4 /srv/data")
			device := g.attach("sdb", "data")
			g.write("data-disks", script[:end]+rest)

			if out, err := g.run(); err == nil || g.read("calls") != "" || typeOf(t, device) != "" {
				t.Errorf("%d bytes of the script end well, or do something:\n%s", end, out)
			}
		}
	}
}

// every cut of the power, which takes minutes where a process takes long to start: make test-nix. Without it, each fourth one.
var every = flag.Bool("every", false, "cut the power at every write")

func stride() int {
	if *every {
		return 1
	}

	return 4
}

// stubWriter is a program that writes. The power is cut at the call that the test chooses: before the program runs, or when it has done a
// part of its work. Nothing of the script runs after that.
const stubWriter = `#!/bin/bash
calls=$(($(cat "$DATA_DISKS_ROOT/writes" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$DATA_DISKS_ROOT/writes"
if [[ $calls == "${CUT_AT:-}" ]]; then
  echo "${0##*/} $*" >"$DATA_DISKS_ROOT/cut"
  case ${CUT_HOW:-}-${0##*/} in
    part-mkfs.ext4) printf 'a part of a file system' | dd of="${@: -1}" bs=512 seek=2048 conv=notrunc status=none ;;
    part-*) /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "${0##*/}" "$@" ;;
  esac
  kill -KILL 0
fi
exec /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "${0##*/}" "$@"
`

// TestPowerCut cuts the power at each program that writes, and starts the machine again. Either the disk is mounted then, or the run fails
// and says why, so that K3s does not start: it never ends well without the disk. A disk with data keeps every byte.
func TestPowerCut(t *testing.T) {
	// What comes after a whole program is before the next one.
	writers := map[string][]string{"before": {"mkdir", "mv", "rm", "cp", "sync", "mkfs.ext4"}, "part": {"mkfs.ext4"}}
	atLeast := map[string]int{"before-false": 9, "before-true": 5, "part-false": 1}

	for _, how := range []string{"before", "part"} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s-%t", how, full), func(t *testing.T) {
				t.Parallel()

				cuts := 0

				for cut := 1; ; cut += stride() {
					g := newGuest(t, "data ext4 /srv/data")
					device := g.attach("sdb", "data")

					if full {
						g.tool("mkfs.ext4", "-q", device)
					}

					before, err := os.ReadFile(device)
					if err != nil {
						t.Fatal(err)
					}

					for _, w := range writers[how] {
						g.write("bin/"+w, stubWriter)
					}

					if !g.cut(cut, how) {
						break
					}

					cuts++
					at := fmt.Sprintf("disk with data %t, power cut %s %s", full, map[string]string{"before": "before", "part": "in"}[how], strings.TrimSpace(g.read("cut")))
					_ = os.RemoveAll(filepath.Join(g.root, "mounted-srv-data.mount")) // A boot.
					out, err := g.run()
					mounted := g.read("mounted-srv-data.mount") == "" && exists(g, "mounted-srv-data.mount")

					if (err == nil) != mounted {
						t.Errorf("%s: the next run ends with %v, mounted %t\n%s", at, err, mounted, out)
					}

					if after, _ := os.ReadFile(device); full && !bytes.Equal(before, after) {
						t.Errorf("%s: the disk was written to\n%s", at, out)
					}

					// Only what mkfs was cut off in takes a person, who reads what happened.
					if err != nil && (full || !strings.Contains(at, "in mkfs") || !strings.Contains(out, "began to format it")) {
						t.Errorf("%s: the machine does not repair itself: %v\n%s", at, err, out)
					}

					if n := strings.Count(g.read("etc/fstab"), "/srv/data"); n > 1 || n == 0 && err == nil {
						t.Errorf("%s: /etc/fstab has %d lines:\n%s", at, n, g.read("etc/fstab"))
					}
				}

				if want := atLeast[fmt.Sprintf("%s-%t", how, full)]; cuts < want/stride() {
					t.Errorf("the power was cut at %d places only, want %d", cuts, want/stride())
				}
			})
		}
	}
}

// cut runs the script in a group of processes of its own, which the stub kills. It says whether the power was cut.
func (g *guest) cut(at int, how string) bool {
	cmd := exec.Command("setsid", "--wait", "/bin/bash", filepath.Join(g.root, "data-disks"))
	cmd.Env = append(append([]string{}, g.env...), fmt.Sprint("CUT_AT=", at), "CUT_HOW="+how)
	_ = cmd.Run() // The status is that of a power cut.

	return exists(g, "cut")
}

func exists(g *guest, path string) bool {
	_, err := os.Stat(filepath.Join(g.root, path))

	return err == nil
}
