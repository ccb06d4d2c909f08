package rehearse

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// notes are the formats of the lines of a world's journal.
var notes = regexp.MustCompile(`\.note\("([^"]+)"`)

// TestSay: each line of a world's journal has words for people, who know a VM by the name of its machine.
func TestSay(t *testing.T) {
	said := map[string]string{
		"%s %s":                       "", // A drain and its end, below.
		"drain home-server-0":         "node home-server-0 is drained",
		"uncordon home-server-0":      "node home-server-0 is uncordoned",
		"delete node %s":              "node home-server-0 is deleted from Kubernetes",
		"label node %s with %s":       "node home-server-0 is labelled home-server-0",
		"make container %d":           "container 4123 (git01, pve1) is made",
		"adopt container %d":          "container 4123 (git01, pve1) is adopted",
		"change %s of container %d":   "container 4123 (git01, pve1) is changed: home-server-0",
		"restart container %d for %s": "container 4123 (git01, pve1) is restarted for its home-server-0",
		"start container %d":          "container 4123 (git01, pve1) is started",
		"stop container %d":           "container 4123 (git01, pve1) is stopped",
		"destroy container %d":        "container 4123 (git01, pve1) is destroyed",
		"let go of container %d":      "container 4123 (git01, pve1) is let go of: it stays, and is nobody's",
		"change firewall %s of %s%d":  "VM 4123 (git01, pve1) is changed: firewall options",
		"make %d":                     "VM 4123 (git01, pve1) is made",
		"adopt %d":                    "VM 4123 (git01, pve1) is adopted",
		"migrate %d to %v":            "VM 4123 (git01) is migrated to started",
		"change %s of %d":             "VM 4123 (git01, pve1) is changed: home-server-0",
		"start %d":                    "VM 4123 (git01, pve1) is started",
		"stop %d":                     "VM 4123 (git01, pve1) is stopped",
		"destroy %d":                  "VM 4123 (git01, pve1) is destroyed",
		"let go of %d":                "VM 4123 (git01, pve1) is let go of: it stays, and is nobody's",
		"add %d to HA as %v":          "VM 4123 (git01, pve1) is added to HA, and is kept running by the HA manager",
		"HA of %d is %v":              "VM 4123 (git01, pve1) is kept running by the HA manager",
		"HA of 4123 is ignored":       "VM 4123 (git01, pve1) is left alone by the HA manager",
		"HA of 4123 is stopped":       "VM 4123 (git01, pve1) is kept off by the HA manager",
		"HA starts %d":                "VM 4123 (git01, pve1) is started by the HA manager",
		"HA stops %d":                 "VM 4123 (git01, pve1) is stopped by the HA manager",
		"take %d out of HA":           "VM 4123 (git01, pve1) is taken out of HA",
		"take %s from the HA of %d":   "VM 4123 (git01, pve1) has no home-server-0 in HA any more",
		"make %s":                     "home-server-0 is made",
		"change %s":                   "home-server-0 is changed",
		"destroy %s":                  "home-server-0 is destroyed",
		"let go of %s":                "",
		"let go of pool k3s of home":  "pool k3s of home is let go of: it stays, and is nobody's",
	}

	files, err := filepath.Glob("../world/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}

	for _, file := range files {
		source, err := os.ReadFile(file) //nolint:gosec // Of this repository.
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range notes.FindAllSubmatch(source, -1) {
			if _, there := said[string(m[1])]; !there && !strings.HasSuffix(file, "_test.go") {
				t.Errorf("%s notes %q, of which nobody says how a rehearsal says it", file, m[1])
			}
		}
	}

	proxmox := &world.Proxmox{}
	n := names{vms: map[*world.Proxmox]map[int]vmName{proxmox: {4123: {machine: "git01", node: "pve1"}}}, nodes: map[string]string{}}
	filled := strings.NewReplacer("firewall %s of %s%d", "firewall options of 4123", "%d", "4123", "%s", "home-server-0", "%v", "started")

	got := map[string]string{}

	for format, want := range said {
		got[format] = want
		if want != "" {
			got[format] = n.say(line{proxmox: proxmox, text: filled.Replace(format)}).text
		}
	}

	if diff := cmp.Diff(said, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
