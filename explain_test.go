package main

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"
)

var hashOf = regexp.MustCompile(`-[0-9a-f]{10}\b`)

// explained is the plan of the next call, without the hashes of names.
func (l *lab) explained() []string {
	l.t.Helper()

	without := l.call()
	l.input["explain"] = true
	with := l.call()
	delete(l.input, "explain")

	// It tells what happens, and makes nothing happen.
	if !proto.Equal(without.GetDesired(), with.GetDesired()) {
		l.t.Error("explain changes what is desired")
	}

	out := []string{}

	for _, r := range with.GetResults() {
		if r.GetReason() == "Plan" {
			out = append(out, hashOf.ReplaceAllString(r.GetMessage(), ""))

			if r.GetSeverity() != fnv1.Severity_SEVERITY_NORMAL || r.GetTarget() != fnv1.Target_TARGET_COMPOSITE {
				l.t.Errorf("%v", r)
			}
		}
	}

	for _, r := range without.GetResults() {
		if r.GetReason() == "Plan" {
			l.t.Errorf("a plan that nobody asked for: %v", r)
		}
	}

	return out
}

// TestExplain holds what each call of a life says that it does.
func TestExplain(t *testing.T) {
	cases := map[string]struct {
		reason string
		run    func(t *testing.T) *lab
		want   []string
	}{
		"New": {
			reason: "Files are made, and the number is looked at.",
			run:    func(t *testing.T) *lab { t.Helper(); return newLab(t, story(t, "plain-debian/files01")) },
			want:   []string{"image: create", "vm: look"},
		},
		"Free": {
			reason: "The number is free.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l := newLab(t, story(t, "plain-debian/files01"))
				l.turn()
				return l
			},
			want: []string{"image: keep", "vm: create"},
		},
		"Settled": {
			reason: "Nothing to do.", run: func(t *testing.T) *lab { t.Helper(); l, _ := living1(t, "nixos/dns01"); return l },
			want: []string{"meta-data: keep", "user-data: keep", "vm: keep"},
		},
		"Edit": {
			reason: "Each change with what it does.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01")
				merge(specOf(l.world), fromYAML(t, "{tags: [new], size: {cores: 6, disk: 10Gi}, image: 9001}"))

				return l
			},
			want: []string{
				"meta-data: keep", "user-data: keep", "vm: change", "vm: change in place: spec.tags: core, role_dns to new, role_dns", "vm: needs reboot: spec.size.cores: 2 to 6",
				"vm: refused: spec.image: template 9000 to template 9001", "vm: refused: spec.size.disk: 30Gi to 10Gi",
			},
		},
		"Waiting": {
			reason: "What was written and waits for a reboot.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01")
				specOf(l.world)["size"] = map[string]any{"cores": 6}
				l.rest()

				return l
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: keep", "vm: waits for a reboot: spec.size.cores: 2 to 6"},
		},
		"Reboot": {
			reason: "The first half of a power cycle.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01")
				l.lifecycle("reboot", "a")

				return l
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: change", "vm: change in place: spec.power: Running to Stopped"},
		},
		"EditBeforeTheVM": {
			reason: "A snippet that was for nothing goes.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l := newLab(t, story(t, "k3s-cluster/agent-1"))
				l.turn()
				specOf(l.world)["bootstrap"] = map[string]any{"userData": "#cloud-config\ntimezone: Europe/Berlin\n"}

				return l
			},
			want: []string{"image: keep", "meta-data: keep", "user-data: create", "user-data: remove", "vm: look"},
		},
		"Replacement": {
			reason: "New snippets first.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01", dhcp)
				l.replace("a")

				return l
			},
			want: []string{"meta-data: create", "meta-data: keep", "user-data: create", "user-data: keep", "vm: keep"},
		},
		"Replaced": {
			reason: "The old VM goes, with its snippets.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01", dhcp)
				l.replace("a")

				for range 3 {
					l.turn()
				}

				return l
			},
			want: []string{"meta-data: keep", "meta-data: remove", "user-data: keep", "user-data: remove", "vm: keep", "vm: remove"},
		},
		"Adoption": {
			reason: "What taking the VM over would do.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l := adopting(t, "{adopt: {vmId: 108}, proxmox: {site: home}, tags: [old], hostname: nas, size: {disk: 32Gi, cores: 8}}", handMade(t))
				l.rest()

				return l
			},
			want: []string{
				"vm: look", "vm: change in place: description: none to Machine infra-machines/dns01 (homelab.io), managed by Crossplane. Change the claim in Git: changes made here are undone.",
				"vm: needs reboot: spec.size.cores: 3 to 8", "vm: refused: spec.size.disk: 64Gi to 32Gi",
			},
		},
		"Paused": {
			reason: "An error pauses it.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01")
				l.fails["vm"] = shrink
				l.turn()

				return l
			},
			want: []string{"meta-data: keep", "user-data: keep", "vm: pause"},
		},
		"Protected": {
			reason: "The Usage is one more resource.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01")
				specOf(l.world)["protection"] = true

				return l
			},
			want: []string{"meta-data: keep", "protects-composite: create", "user-data: keep", "vm: keep"},
		},
		"Lifted": {
			reason: "And goes.",
			run: func(t *testing.T) *lab {
				t.Helper()
				l, _ := living1(t, "nixos/dns01", "protection: true")
				specOf(l.world)["protection"] = false

				return l
			},
			want: []string{"meta-data: keep", "protects-composite: remove", "user-data: keep", "vm: keep"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := tc.run(t).explained()
			// Names that differ in their hashes alone come in any order.
			if diff := cmp.Diff(slices.Sorted(slices.Values(tc.want)), slices.Sorted(slices.Values(got))); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
