package site

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

var update = flag.Bool("update", false, "write the examples of a site's conditions in docs/reasons.md")

// asked is a site with a bridge of which the provider has found out what is said here.
func asked(name, port *proxmox.SiteObservation, words string) *world {
	w := newWorld(aBridge())
	first := w.decide()
	w.look(first, lookName(first, "bridge-pve1-vmbr1"), name, words)
	w.look(first, lookName(first, "port-pve1-enp2s0"), port, "")

	return w
}

// there is a site with a bridge and a pool in Proxmox, but for an edit of the bridge.
func there(edit func(*proxmox.SiteParameters)) *world {
	w := newWorld(aBridge(), aPool())
	w.living(aBridge(), edit, nil)
	w.living(aPool(), nil, nil)

	return w
}

// examples of what is said of a site, by the names in docs/reasons.md.
var examples = map[string]func() *world{ //nolint:gochecknoglobals // A constant table.
	"Settled": func() *world { return there(nil) },
	"Taken":   func() *world { return asked(nic("vmbr1", "192.168.4.2/24"), nic("enp2s0", ""), "") },
	"Unfit":   func() *world { return asked(nil, nic("enp2s0", "192.168.4.2/24"), bridgeAbsent) },
	"Refused": func() *world {
		return asked(nil, nic("enp2s0", ""), "observe failed: cannot run import: Error: Error listing network interfaces: received an HTTP 403 response - Reason: "+
			"Permission check failed (/nodes/pve1, Sys.Audit): import failed")
	},
	"Asks": func() *world { return newWorld(aBridge()) },
	"Creates": func() *world {
		w := newWorld(aBridge())
		w.living(aBridge(), nil, map[string]string{proxmox.CreatingAnnotation: "none"})

		o := w.observed["bridge-pve1-vmbr1"]
		o.Spec.ManagementPolicies, o.Status.AtProvider = proxmox.CreatePolicies(), proxmox.SiteObservation{}
		w.observed["bridge-pve1-vmbr1"] = o

		return w
	},
	"Waits": func() *world { return there(func(p *proxmox.SiteParameters) { p.MTU = 1500 }) },
	"Kept": func() *world {
		w := there(nil)
		w.site.Parts, w.site.DeletionPolicy = []machine.SitePart{aPool()}, v1alpha1.DeletionDelete

		return w
	},
}

var siteExample = regexp.MustCompile("(?m)^<!-- site example (\\w+) (\\w+) -->\n(?:\n```yaml\n(?s:.*?)```\n)?")

// TestReasonsPage: the examples of a site's conditions in docs/reasons.md are what the code says, and there is one of every reason.
func TestReasonsPage(t *testing.T) {
	const page = "../../docs/reasons.md"

	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}

	var shown []string

	got := siteExample.ReplaceAllStringFunc(string(b), func(block string) string {
		m := siteExample.FindStringSubmatch(block)
		c := conditionOf(t, m[1], m[2])
		shown = append(shown, c["reason"])

		text, err := yaml.Marshal(map[string]any{"status": map[string]any{"conditions": []any{c}}})
		if err != nil {
			t.Fatal(err)
		}

		return strings.SplitAfter(block, "\n")[0] + "\n```yaml\n" + string(text) + "```\n"
	})

	for _, reason := range []string{
		ReasonAllPresent, ReasonNameTaken, ReasonInterfaceUnfit, ReasonProviderError, ReasonLooking, ReasonCreating, ReasonNothingPending, ReasonWaitingForWord,
	} {
		if !slices.Contains(shown, reason) {
			t.Errorf("%s has no example of %s", page, reason)
		}
	}

	if *update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil { //nolint:gosec // A page of the documentation.
			t.Fatal(err)
		}

		return
	}

	if diff := cmp.Diff(got, string(b)); diff != "" {
		t.Errorf("%s is not what the code says; run this test with -update: -code, +document:\n%s", page, diff)
	}
}

// conditionOf an example.
func conditionOf(t *testing.T, name, typ string) map[string]string {
	t.Helper()

	of, ok := examples[name]
	if !ok {
		t.Fatalf("there is no example %s", name)
	}

	p := of().decide()
	all := ReportOn(p, Render(p), nil, nil).Conditions

	i := slices.IndexFunc(all, func(c status.Condition) bool { return c.Type == typ })
	if i < 0 {
		t.Fatalf("there is no condition %s", typ)
	}

	return map[string]string{"type": typ, "status": string(all[i].Status), "reason": all[i].Reason, "message": all[i].Message}
}
