package behaviour

import (
	"fmt"
	"strings"
	"testing"
	"unicode"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/world"
	"github.com/homelab-io/function-proxmox-machine/test/fake"
)

// TestMessagesCanBeShown: names and values in a message are other people's. None turns its text around, tells a terminal what to do, or
// makes it longer than an event can be.
func TestMessagesCanBeShown(t *testing.T) {
	const odd = "a\u202eb\nReady: True\x1b[2J"

	cases := map[string]struct {
		reason string
		run    func(t *testing.T) *fnv1.RunFunctionResponse
		has    []string
	}{
		"Claim": {
			reason: "Of a fault in the claim.",
			run: func(t *testing.T) *fnv1.RunFunctionResponse {
				t.Helper()
				m := example(t, "nixos/dns01")
				m.Spec()["class"], m.Spec()["tags"] = odd, []any{odd}

				return m.Call()
			},
			has: []string{`a\u202eb\nReady: True\x1b[2J`},
		},
		"ForeignVM": {
			reason: "Of a VM that somebody else made.",
			run: func(t *testing.T) *fnv1.RunFunctionResponse {
				t.Helper()
				m := adopting(t, plain, fake.HandMade(t))
				m.Proxmox.VMs[108].Config["description"], m.Proxmox.VMs[108].Config["name"] = odd, odd
				m.Input["explain"] = true
				m.Rest()

				return m.Call()
			},
			has: []string{`description: a\u202eb\nReady: True\x1b[2J to`},
		},
		"ManyFaults": {
			reason: "As many faults are said as fit.",
			run: func(t *testing.T) *fnv1.RunFunctionResponse {
				t.Helper()
				m := example(t, "nixos/dns01")

				var tags []any
				for i := range 400 {
					tags = append(tags, fmt.Sprint(i, strings.Repeat("\u202e", 90)))
				}

				m.Spec()["tags"] = tags

				return m.Call()
			},
			has: []string{" more", "spec.tags[0]"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			rsp := tc.run(t)

			var all []string
			for _, c := range rsp.GetConditions() {
				all = append(all, c.GetMessage())
			}

			for _, r := range rsp.GetResults() {
				all = append(all, r.GetMessage())
			}

			for _, change := range world.List(world.Object(world.Status(rsp)["adoption"])["changes"]) {
				all = append(all, fmt.Sprint(change))
			}

			for _, text := range all {
				if len(text) > 4096 {
					t.Errorf("%s\n%d bytes", tc.reason, len(text))
				}
			}

			for _, text := range lines(t, all) {
				if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }) {
					t.Errorf("%s\n%q", tc.reason, text)
				}
			}

			for _, part := range tc.has {
				if !strings.Contains(strings.Join(all, "\n"), part) {
					t.Errorf("%s\n%q is missing in:\n%s", tc.reason, part, strings.Join(all, "\n"))
				}
			}
		})
	}
}

// lines of messages: faults have a line each, which begins with the path of a field. Nothing else begins a line.
func lines(t *testing.T, messages []string) []string {
	t.Helper()

	var out []string

	for _, m := range messages {
		head, faults, several := strings.Cut(m, "\n")
		out = append(out, head)

		if !several {
			continue
		}

		if !strings.HasSuffix(head, "corrected:") {
			t.Errorf("faults without a head: %q", m)
		}

		for fault := range strings.SplitSeq(faults, "\n") {
			if !strings.HasPrefix(fault, "  spec.") && !strings.HasPrefix(fault, "  and ") {
				t.Errorf("no fault begins like this: %q", fault)
			}

			out = append(out, fault)
		}
	}

	return out
}
