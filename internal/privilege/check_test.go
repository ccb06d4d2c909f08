package privilege

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// has is what a token has after the commands for a site.
func has(t *testing.T, s Site, version int) Permissions {
	t.Helper()

	out := Permissions{}

	for path, privileges := range granted(t, strings.Split(commandsOf(t, s, version, false), "\n")) {
		out[path] = map[string]bool{}
		for _, p := range privileges {
			out[path][p] = path != "/" // As --propagate 0 says.
		}
	}

	return out
}

// with sets a privilege of a path.
func (p Permissions) with(path, name string, below bool) Permissions {
	out := Permissions{}
	for path, privileges := range p {
		out[path] = maps.Clone(privileges)
	}

	if out[path] == nil {
		out[path] = map[string]bool{}
	}

	out[path][name] = below

	return out
}

// without removes privileges of a path, all where none is named.
func (p Permissions) without(path string, names ...string) Permissions {
	out := Permissions{}
	for path, privileges := range p {
		out[path] = maps.Clone(privileges)
	}

	for _, n := range names {
		delete(out[path], n)
	}

	if len(names) == 0 {
		delete(out, path)
	}

	return out
}

func TestCheck(t *testing.T) {
	s := Site{Disks: []string{"tank"}, Images: []string{"local"}, Snippets: []string{"local"}, PCI: []string{"gpu"}, Uses: []Use{UseTemplates, UseHA}}
	whole := has(t, s, 9)

	administrator := Permissions{"/": {}}
	for _, privileges := range whole {
		for p := range privileges {
			administrator["/"][p] = true
		}
	}

	// The privileges that somebody has at the path of the VMs, without one.
	onVM := maps.Clone(whole["/vms"])
	delete(onVM, "VM.PowerMgmt")

	cases := map[string]struct {
		reason  string
		has     Permissions
		version int
		want    Verdict
	}{
		"Whole": {reason: "What the commands grant is enough, and no more.", has: whole},
		"Datastore": {
			reason: "A datastore without an ACL.", has: whole.without("/storage/tank"),
			want: Verdict{Missing: []Finding{{"/storage/tank", []string{"Datastore.AllocateSpace", "Datastore.Audit"}, "disks"}}},
		},
		"Use": {
			reason: "A missing privilege is reported with its use.", has: whole.without("/vms", "VM.Clone", "VM.Audit").without("/storage/local", "Datastore.Allocate"),
			want: Verdict{Missing: []Finding{
				{"/vms", []string{"VM.Audit"}, "every machine"},
				{"/vms", []string{"VM.Clone"}, string(UseTemplates)},
				{"/storage/local", []string{"Datastore.Allocate"}, string(UseSnippets)},
			}},
		},
		"Above": {
			reason: "A privilege above counts, and is more than is needed.",
			has:    whole.without("/storage/tank").with("/storage", "Datastore.AllocateSpace", true).with("/storage", "Datastore.Audit", true),
			want:   Verdict{Surplus: []Finding{{"/storage", []string{"Datastore.AllocateSpace"}, "needed on /storage/tank only"}, {"/storage", []string{"Datastore.Audit"}, "needed on /storage/tank, /storage/local only"}}},
		},
		"AboveAlone": {
			reason: "A privilege above that does not count below is none.",
			has:    whole.without("/storage/tank").with("/storage", "Datastore.AllocateSpace", false).with("/storage", "Datastore.Audit", true),
			want: Verdict{
				Missing: []Finding{{"/storage/tank", []string{"Datastore.AllocateSpace"}, "disks"}},
				Surplus: []Finding{{"/storage", []string{"Datastore.AllocateSpace"}, "needed on /storage/tank only"}, {"/storage", []string{"Datastore.Audit"}, "needed on /storage/tank, /storage/local only"}},
			},
		},
		"AboveTheAbove": {
			reason: "A path whose privileges do not count below hides nothing from above.",
			has: Permissions{"/": {"SDN.Use": true}, "/sdn": {"SDN.Audit": false}}.
				with("/vms", "VM.Audit", true),
			want: Verdict{
				Missing: func() []Finding {
					var out []Finding
					for _, g := range s.Grants(9) {
						for _, p := range g.Privileges {
							if p != "SDN.Use" && p != "VM.Audit" {
								out = add(out, g.Path, p, g.purposes(p, 9))
							}
						}
					}

					return out
				}(),
				Surplus: []Finding{{"/", []string{"SDN.Use"}, "needed on /sdn/zones/localnetwork only"}, {"/sdn", []string{"SDN.Audit"}, ""}},
			},
		},
		"NotBelow": {
			reason: "The calls check single VMs: without propagation the token has nothing.", has: whole.with("/vms", "VM.Clone", false),
			want: Verdict{Missing: []Finding{{"/vms", []string{"VM.Clone"}, string(UseTemplates)}}},
		},
		"Replaced": {
			reason: "A role on a single VM replaces that on all VMs.", has: func() Permissions {
				p := whole.with("/vms/105", "VM.Audit", true)
				p["/vms/105"] = onVM

				return p
			}(),
			want: Verdict{Replaced: []Finding{{"/vms/105", []string{"VM.PowerMgmt"}, ""}}},
		},
		"Unused": {
			reason: "What a claim could use is reported with its use, also where a single name is not known.",
			has:    whole.with("/vms", "VM.Migrate", true).with("/pool/infra", "Pool.Audit", true).with("/", "Sys.Modify", false),
			want: Verdict{Surplus: []Finding{
				{"/", []string{"Sys.Modify"}, "for " + string(UseHostOption) + ", which nothing uses"},
				{"/pool/infra", []string{"Pool.Audit"}, "for " + string(UsePools) + ", which nothing uses"},
				{"/vms", []string{"VM.Migrate"}, "for " + string(UseMigration) + ", which nothing uses"},
			}},
		},
		"Propagated": {
			reason: "Sys.Console below / is a shell on every node.", has: whole.with("/", "Sys.Console", true),
			want: Verdict{Surplus: []Finding{{"/", []string{"Sys.Console"}, "needed there without propagation"}}},
		},
		"Foreign": {
			reason: "What nothing ever uses.", has: whole.with("/access", "User.Modify", true).with("/vms", "VM.Console", true).with("/mapping", "Mapping.Use", true),
			want: Verdict{Surplus: []Finding{
				{"/access", []string{"User.Modify"}, ""}, {"/mapping", []string{"Mapping.Use"}, "needed on /mapping/pci/gpu only"}, {"/vms", []string{"VM.Console"}, ""},
			}},
		},
		"Eight": {
			reason: "Another version takes another privilege.", has: whole, version: 8,
			want: Verdict{Missing: []Finding{{"/vms", []string{"VM.Monitor"}, "every machine"}}, Surplus: []Finding{{"/vms", []string{"VM.GuestAgent.Audit"}, ""}}},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			version := tc.version
			if version == 0 {
				version = 9
			}

			if diff := cmp.Diff(tc.want, s.Check(version, tc.has)); diff != "" {
				t.Errorf("\n%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}

	t.Run("Administrator", func(t *testing.T) {
		v := s.Check(9, administrator)
		if len(v.Missing) > 0 || len(v.Surplus) == 0 {
			t.Errorf("An administrator has everything, and too much: %+v", v)
		}
	})
}

// TestCheckOfCommands: what the commands grant is what the check wants, for sites of every kind, and each privilege that is taken away is missed.
func TestCheckOfCommands(t *testing.T) {
	for _, s := range []Site{small, everything} {
		for _, version := range []int{8, 9} {
			whole := has(t, s, version)
			if diff := cmp.Diff(Verdict{}, s.Check(version, whole)); diff != "" {
				t.Errorf("%+v, Proxmox VE %d: -want, +got:\n%s", s, version, diff)
			}

			for path, privileges := range whole {
				for name := range privileges {
					v := s.Check(version, whole.without(path, name))

					missed := slices.ContainsFunc(v.Missing, func(f Finding) bool { return f.Path == path && slices.Equal(f.Privileges, []string{name}) })
					if !missed || len(v.Surplus) > 0 {
						t.Errorf("Proxmox VE %d without %s at %s: %+v", version, name, path, v)
					}
				}
			}
		}
	}
}

func TestReadPermissions(t *testing.T) {
	cases := map[string]struct {
		reason, text string
		want         Permissions
		ok           bool
	}{
		"Numbers": {"What pveum prints.", `{"/":{"Sys.Audit":0},"/vms":{"VM.Audit":1}}`, Permissions{"/": {"Sys.Audit": false}, "/vms": {"VM.Audit": true}}, true},
		"Others":  {"Perl knows no booleans.", `{"/":{"A":"1","B":"0","C":"","D":true}}`, Permissions{"/": {"A": true, "B": false, "C": false, "D": true}}, true},
		"Nothing": {"A token that is not there has no privileges.", `{}`, Permissions{}, true},
		"Table":   {"The table for people is no JSON.", "┌──────┐", nil, false},
		"Null":    {"No answer is not an answer without privileges.", "null", nil, false},
		"Other":   {"Another file.", `{"items":{"a":1}}`, nil, false},
		"List":    {"A value of another kind.", `{"/":{"A":[]}}`, nil, false},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := ReadPermissions([]byte(tc.text))
			if diff := cmp.Diff(tc.want, got); diff != "" || (err == nil) != tc.ok {
				t.Errorf("\n%s\n%v, -want, +got:\n%s", tc.reason, err, diff)
			}
		})
	}
}
