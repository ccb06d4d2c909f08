package privilege

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFind(t *testing.T) {
	type want struct {
		path  string
		found bool
	}

	cases := map[string]struct {
		reason, method, path string
		want                 want
	}{
		"Plain":       {"A path without parts of its own is itself.", "GET", "/version", want{"/version", true}},
		"Part":        {"A part in braces is any one part.", "POST", "/nodes/pve1/qemu", want{"/nodes/{node}/qemu", true}},
		"Rest":        {"A volume ID has a slash.", "DELETE", "/nodes/pve1/storage/local/content/local:snippets/a.yaml", want{"/nodes/{node}/storage/{storage}/content/{volume...}", true}},
		"List":        {"A list is not one of its volumes.", "GET", "/nodes/pve1/storage/local/content", want{"/nodes/{node}/storage/{storage}/content", true}},
		"OtherMethod": {"Reading a VM is not changing it.", "PATCH", "/nodes/pve1/qemu/100/config", want{}},
		"Deeper":      {"What stands below a known path is another call.", "GET", "/version/more", want{}},
		"Shallower":   {"What stands above a known path is another call.", "POST", "/nodes/pve1/qemu/100/status", want{}},
		"EmptyPart":   {"A part is never empty.", "POST", "/nodes//qemu", want{}},
		"Unknown":     {"A call that the provider does not make for a machine is none.", "POST", "/nodes/pve1/execute", want{}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			c, ok := Find(tc.method, tc.path)
			if got := (want{c.Path, ok}); got != tc.want {
				t.Errorf("\n%s\nFind(%s, %s): want %+v, got %+v", tc.reason, tc.method, tc.path, tc.want, got)
			}
		})
	}
}

// known are the privileges of Proxmox VE that have anything to do with machines: $privgroups of pve-access-control,
// src/PVE/AccessControl.pm. A version in front says since when, or before which version.
var known = map[string][2]int{
	"VM.Allocate": {}, "VM.Audit": {}, "VM.Clone": {}, "VM.Migrate": {}, "VM.PowerMgmt": {},
	"VM.Config.CDROM": {}, "VM.Config.CPU": {}, "VM.Config.Cloudinit": {}, "VM.Config.Disk": {}, "VM.Config.HWType": {},
	"VM.Config.Memory": {}, "VM.Config.Network": {}, "VM.Config.Options": {},
	"VM.Monitor": {0, 9}, "VM.GuestAgent.Audit": {9, 0},
	"Datastore.Allocate": {}, "Datastore.AllocateSpace": {}, "Datastore.AllocateTemplate": {}, "Datastore.Audit": {},
	"SDN.Use": {}, "Mapping.Use": {}, "Pool.Allocate": {}, "Pool.Audit": {},
	"Sys.AccessNetwork": {}, "Sys.Audit": {}, "Sys.Console": {}, "Sys.Modify": {},
}

// TestCalls holds that each row is whole, that no request is two calls, and that no version is asked for a privilege that it does not have:
// `pveum role add` refuses the whole role then.
func TestCalls(t *testing.T) {
	seen := map[string]bool{}

	for _, c := range Calls {
		id := c.Method + " " + c.Path
		if seen[id] {
			t.Errorf("%s has two rows", id)
		}

		seen[id] = true

		if c.For == "" || !strings.Contains(c.Source, ".pm") || !strings.HasPrefix(c.Path, "/") {
			t.Errorf("%s: want a purpose, a source and a path, got %+v", id, c)
		}

		for _, n := range c.Needs {
			for _, p := range n.Privileges {
				v, ok := known[p]
				if !ok {
					t.Errorf("%s: Proxmox VE has no privilege %s", id, p)
				}

				if v != [2]int{n.Since, n.Before} {
					t.Errorf("%s: %s is of the versions %v, the need of %d, %d", id, p, v, n.Since, n.Before)
				}
			}
		}
	}
}

var (
	roleLine = regexp.MustCompile(`^pveum role (?:add|modify) (\w+)(?: --append 1)? --privs "([^"]+)"$`)
	aclLine  = regexp.MustCompile(`^pveum acl modify (\S+) --users crossplane@pve --roles (\w+)(?: --propagate 0)?$`)
)

// granted reads commands as Proxmox would: the privileges of each path.
func granted(t *testing.T, commands []string) map[string][]string {
	t.Helper()

	roles, paths := map[string][]string{}, map[string][]string{}

	for _, line := range commands {
		if m := roleLine.FindStringSubmatch(line); m != nil {
			roles[m[1]] = append(roles[m[1]], strings.Fields(m[2])...)
		}
	}

	for _, line := range commands {
		if m := aclLine.FindStringSubmatch(line); m != nil {
			if len(roles[m[2]]) == 0 {
				t.Errorf("%s grants a role that no command creates", line)
			}

			paths[m[1]] = append(paths[m[1]], roles[m[2]]...)
		}
	}

	return paths
}

// TestCommands holds that the commands grant what every call takes, and nothing else.
func TestCommands(t *testing.T) {
	var extras []string
	for _, e := range Extras() {
		extras = append(extras, e.Commands...)
	}

	cases := map[string]struct {
		reason   string
		version  int
		commands []string
		keep     func(Use) bool
	}{
		"Nine":       {"What nearly everybody needs, in Proxmox VE 9.", 9, strings.Split(UsualCommands(9), "\n"), Use.usual},
		"Eight":      {"What nearly everybody needs, in Proxmox VE 8.", 8, strings.Split(UsualCommands(8), "\n"), Use.usual},
		"Everything": {"With the commands of single uses, what any machine needs.", 9, append(strings.Split(UsualCommands(9), "\n"), extras...), func(Use) bool { return true }},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			want := map[string][]string{}

			for _, c := range Calls {
				for _, n := range c.Needs {
					if n.in(tc.version) && tc.keep(n.Use) {
						want[example(n.Place)] = append(want[example(n.Place)], n.Privileges...)
					}
				}
			}

			got := granted(t, tc.commands)
			for _, m := range []map[string][]string{want, got} {
				for path := range m {
					slices.Sort(m[path])
					m[path] = slices.Compact(m[path])
				}
			}

			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("\n%s\n-what the calls take, +what the commands grant:\n%s", tc.reason, diff)
			}
		})
	}
}
