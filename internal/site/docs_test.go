package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestPage holds the table of docs/site-parts.md to the table of changes.
func TestPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/site-parts.md")
	if err != nil {
		t.Fatal(err)
	}

	_, table, _ := strings.Cut(string(b), "<!-- effects -->")
	table, _, _ = strings.Cut(table, "<!-- end of effects -->")

	var got, want [][]string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		got = append(got, []string{m[1], m[2]})
	}

	words := map[change.Effect]string{change.InPlace: "takes effect at once", Interruption: "waits for `allowInterruption`", change.Refused: "is refused"}
	some := proxmox.SiteParameters{Ports: []string{"enp2s0"}}

	for _, f := range fields {
		text := words[f.effect(some, some)]
		if e := f.effect(some, proxmox.SiteParameters{}); e != f.effect(some, some) {
			text += "; without any port it " + words[e]
		}

		want = append(want, []string{f.name, text})
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/site-parts.md: -code, +page:\n%s", diff)
	}
}

// TestConditionsAreDocumented: docs/conditions.md has every reason of a site's own conditions, and no other.
func TestConditionsAreDocumented(t *testing.T) {
	b, err := os.ReadFile("../../docs/conditions.md")
	if err != nil {
		t.Fatal(err)
	}

	for condition, want := range map[string][]string{
		TypeSiteReady:           {ReasonAllPresent, ReasonNameTaken, ReasonInterfaceUnfit, ReasonProviderError, ReasonLooking, ReasonCreating},
		TypeInterruptionPending: {ReasonNothingPending, ReasonWaitingForWord},
	} {
		_, section, _ := strings.Cut(string(b), "\n## "+condition+"\n")
		section, _, _ = strings.Cut(section, "\n## ")

		var got []string
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
			got = append(got, m[1])
		}

		slices.Sort(got)
		slices.Sort(want)

		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("reasons of %s: -code, +document:\n%s", condition, diff)
		}
	}
}
