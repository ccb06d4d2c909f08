package cloudinit

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/homelab-io/function-proxmox-machine/test/program"
)

// shellify makes one script of runcmd as cloud-init does (util.shellify): a list
// is a command, a string is a line of shell.
func shellify(t *testing.T, userData []byte) string {
	t.Helper()

	var document struct {
		RunCmd []yaml.Node `yaml:"runcmd"`
	}
	if err := yaml.Unmarshal(userData, &document); err != nil {
		t.Fatal(err)
	}

	script := "#!/bin/sh\n"

	for _, command := range document.RunCmd {
		if command.Kind == yaml.ScalarNode {
			script += command.Value + "\n"

			continue
		}

		words := make([]string, 0, len(command.Content))
		for _, word := range command.Content {
			words = append(words, "'"+strings.ReplaceAll(word.Value, "'", `'\''`)+"'")
		}

		script += strings.Join(words, " ") + "\n"
	}

	return script
}

// TestRunCmdOfTheUserCannotStopOurs runs the script for real.
func TestRunCmdOfTheUserCannotStopOurs(t *testing.T) {
	cases := map[string]struct {
		reason string
		runcmd string
		theirs string // What their commands leave in the file "theirs".
	}{
		"Nothing":    {"Without commands ours run.", "[]", ""},
		"Commands":   {"Lines share a shell, as with cloud-init alone.", "[\"x='a  b'\", 'echo \"$x\" >> theirs', [sh, -c, 'echo \"$0\" >> theirs', \"it's\"]]", "a  b\nit's\n"},
		"Exit":       {"It ends their script only.", "[echo 1 >> theirs, exit 0, echo 2 >> theirs]", "1\n"},
		"Errexit":    {"It is set in their shell only.", "[set -e, 'false', echo 2 >> theirs]", ""},
		"Exec":       {"It replaces their shell only.", "[exec true]", ""},
		"OpenQuote":  {"It breaks their script only.", "['echo \"', echo 1 >> theirs]", ""},
		"OpenSingle": {"So does the quote that we use ourselves.", "[\"echo '\"]", ""},
		"HereDoc":    {"It swallows their commands only.", "['cat > theirs << END', text]", "text\n"},
		"Paren":      {"It closes nothing of ours.", "[')']", ""},
		"Function":   {"A name of ours means ours.", "['ours() { :; }', 'alias touch=true']", ""},
		"Directory":  {"They change their own directory.", "['cd /']", ""},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			d := Document{RunCmd: [][]string{{"touch", "ours"}, {"sh", "-c", "exit 7"}}}
			if faults := add(t, &d, MachineRules(), "runcmd: "+tc.runcmd+"\n"); len(faults) > 0 {
				t.Fatal(faults)
			}

			text, err := d.Marshal()
			if err != nil {
				t.Fatal(err)
			}

			folder := t.TempDir()

			script := filepath.Join(folder, "runcmd")
			if err := program.Write(script, []byte(shellify(t, text)), 0o700); err != nil {
				t.Fatal(err)
			}

			command := exec.Command("/bin/sh", script)
			command.Dir = folder

			if _ = command.Run(); command.ProcessState.ExitCode() != 7 {
				t.Errorf("%s\nthe status is %d, not that of our last command", tc.reason, command.ProcessState.ExitCode())
			}

			if _, err := os.Stat(filepath.Join(folder, "ours")); err != nil {
				t.Errorf("%s\nour command was not run", tc.reason)
			}

			theirs, _ := os.ReadFile(filepath.Join(folder, "theirs"))
			if string(theirs) != tc.theirs {
				t.Errorf("%s\ntheirs is %q, want %q", tc.reason, theirs, tc.theirs)
			}
		})
	}
}
