package privilege

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// everything is a site whose machines use all that there is.
var everything = Site{
	Name: "lab", Disks: []string{"ceph", "local-zfs", "ceph"}, Images: []string{"local", "nas"}, Snippets: []string{"local", "snips"},
	Volumes: []string{"iso", "ceph"}, PCI: []string{"gpu"}, USB: []string{"zigbee"}, Pools: []string{"infra", "infra/dns"}, Uses: slices.Clone(optional),
}

// small is a fresh Proxmox VE.
var small = Site{Disks: []string{"local-lvm"}, Images: []string{"local"}, Snippets: []string{"local"}}

func commandsOf(t *testing.T, s Site, version int, separate bool) string {
	t.Helper()

	token, err := ParseToken(DefaultToken)
	if err != nil {
		t.Fatal(err)
	}

	token.Separate = separate

	text, err := s.Commands(version, token)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

// TestSiteCommands compares the commands with those in testdata, which a person has read.
func TestSiteCommands(t *testing.T) {
	spare := small
	spare.Name, spare.Spare = "home", []string{"local-lvm", "tank", "tank"}

	cases := map[string]struct {
		reason   string
		site     Site
		version  int
		separate bool
	}{
		"small":     {"What a fresh Proxmox VE needs, and what a claim could use.", small, 9, false},
		"eight":     {"Proxmox VE 8 has VM.Monitor.", small, 8, false},
		"separate":  {"A token with privilege separation exists before its ACLs, and its user has them, too.", small, 9, true},
		"spare":     {"A datastore that no claim names is a comment, and each of them once.", spare, 9, false},
		"big":       {"Nothing is left for comments; a datastore gets the privileges of its purposes and no others.", everything, 9, false},
		"big-eight": {"The same for Proxmox VE 8.", everything, 8, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".sh")
			got := commandsOf(t, tc.site, tc.version, tc.separate)

			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // Test data.
					t.Fatal(err)
				}
			}

			want, err := os.ReadFile(file) //nolint:gosec // Test data.
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestSiteCommandsGrantWhatCallsTake compares what the commands grant, for every set of uses, with the table of calls: no less and no more. With the
// comments, the commands grant what all uses need.
func TestSiteCommandsGrantWhatCallsTake(t *testing.T) {
	for set := range 1 << len(optional) {
		s := Site{Disks: []string{"disks"}, Images: []string{"images"}, Snippets: []string{"snippets"}, Volumes: []string{"volumes"}}

		for i, u := range optional {
			if set>>i&1 == 0 {
				continue
			}

			switch u { //nolint:exhaustive // The others have no names.
			case UseDevices:
				s.PCI, s.USB = []string{"gpu"}, []string{"stick"}
			case UsePools:
				s.Pools = []string{"infra"}
			default:
				s.Uses = append(s.Uses, u)
			}
		}

		for _, version := range []int{8, 9} {
			lines := strings.Split(commandsOf(t, s, version, false), "\n")
			if diff := cmp.Diff(needed(s, version, s.uses), inOrder(granted(t, lines))); diff != "" {
				t.Fatalf("Proxmox VE %d, %v: -what the calls take, +what the commands grant:\n%s", version, s, diff)
			}

			for i := range lines {
				lines[i] = strings.TrimPrefix(lines[i], "# ")
			}

			all := s
			if len(all.PCI) == 0 {
				all.PCI = []string{"<mapping>"}
			}

			if len(all.Pools) == 0 {
				all.Pools = []string{"<pool>"}
			}

			if diff := cmp.Diff(needed(all, version, func(Use) bool { return true }), inOrder(granted(t, lines))); diff != "" {
				t.Fatalf("Proxmox VE %d, %v, with the comments: -what all calls take, +what the commands grant:\n%s", version, s, diff)
			}
		}
	}
}

// needed are the privileges by path that the table has for a site.
func needed(s Site, version int, keep func(Use) bool) map[string][]string {
	out := map[string][]string{}

	for _, c := range Calls {
		for _, n := range c.Needs {
			if !n.in(version) || !keep(n.Use) {
				continue
			}

			paths := []string{string(n.Place)}

			switch n.Place { //nolint:exhaustive // The others are paths.
			case PlaceDisks:
				paths = each("/storage/", s.Disks)
			case PlaceFiles:
				paths = each("/storage/", map[Use][]string{UseImages: s.Images, UseSnippets: s.Snippets, UseVolumes: s.Volumes}[n.Use])
			case PlaceMapping:
				paths = append(each("/mapping/pci/", s.PCI), each("/mapping/usb/", s.USB)...)
			case PlacePool:
				paths = each("/pool/", s.Pools)
			}

			for _, p := range paths {
				out[p] = append(out[p], n.Privileges...)
			}
		}
	}

	return inOrder(out)
}

func each(before string, names []string) []string {
	out := make([]string, 0, len(names))
	for _, n := range names {
		out = append(out, before+n)
	}

	return out
}

func inOrder(paths map[string][]string) map[string][]string {
	for p := range paths {
		slices.Sort(paths[p])
		paths[p] = slices.Compact(paths[p])
	}

	return paths
}

// TestSiteOfAllUsesHasEveryPrivilege: none of the table is left out, and nothing is left for a comment.
func TestSiteOfAllUsesHasEveryPrivilege(t *testing.T) {
	for version, other := range map[int]string{8: "VM.GuestAgent.Audit", 9: "VM.Monitor"} {
		text := commandsOf(t, everything, version, false)

		for name := range known {
			if has := strings.Contains(text, name); has != (name != other) {
				t.Errorf("Proxmox VE %d: commands with %s: %v", version, name, has)
			}
		}

		if strings.Contains(text, "# For") {
			t.Errorf("Proxmox VE %d: something is left for a comment:\n%s", version, text)
		}
	}
}

// TestSiteCommandsNameNoOtherCommand: every line is a comment, or one command of pveum with the words that it is to have, whatever the names are.
func TestSiteCommandsNameNoOtherCommand(t *testing.T) {
	line := regexp.MustCompile(`^(#.*|pveum (role|user|acl) [A-Za-z0-9 ."'@!/_-]+|)$`)

	odd := everything
	odd.Name = "home\nreboot"

	for l := range strings.SplitSeq(commandsOf(t, odd, 9, true), "\n") {
		if !line.MatchString(l) {
			t.Errorf("a line that is no command of pveum: %s", l)
		}
	}

	for _, name := range []string{"", "a b", "a;reboot", "a\nreboot", "$(reboot)", "-r", "a'b", "`reboot`", "a&b", "*"} {
		for field, s := range map[string]Site{
			"disks": {Disks: []string{name}}, "images": {Images: []string{name}}, "snippets": {Snippets: []string{name}}, "volumes": {Volumes: []string{name}},
			"spare": {Spare: []string{name}}, "pci": {PCI: []string{name}}, "usb": {USB: []string{name}}, "pools": {Pools: []string{name}},
		} {
			if text, err := s.Commands(9, Token{User: "a@pve", Name: "b"}); err == nil || text != "" {
				t.Errorf("the name %q of %s reaches the shell of root:\n%s", name, field, text)
			}
		}
	}
}

func TestParseToken(t *testing.T) {
	cases := map[string]struct {
		reason, id string
		want       Token
		ok         bool
	}{
		"Default": {"The token of docs/start.md.", "crossplane@pve!provider", Token{User: "crossplane@pve", Name: "provider"}, true},
		"NoToken": {"A user is no token.", "crossplane@pve", Token{}, false},
		"NoRealm": {"A user has a realm.", "crossplane!provider", Token{}, false},
		"Shell":   {"The ID is printed for a shell.", "crossplane@pve!provider;reboot", Token{}, false},
		"Secret":  {"Whoever copies all of api_token must not see it again.", "crossplane@pve!provider=8a0b", Token{}, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ParseToken(tc.id)
			if got != tc.want || (err == nil) != tc.ok {
				t.Errorf("\n%s\nwant %+v, %v, got %+v, %v", tc.reason, tc.want, tc.ok, got, err)
			}

			if err != nil && strings.Contains(err.Error(), "8a0b") {
				t.Errorf("\n%s\nthe error has the secret: %v", tc.reason, err)
			}
		})
	}
}
