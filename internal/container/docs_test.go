package container

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestPage holds the table of docs/containers.md to the table of changes.
func TestPage(t *testing.T) {
	b, err := os.ReadFile("../../docs/containers.md")
	if err != nil {
		t.Fatal(err)
	}

	_, table, _ := strings.Cut(string(b), "<!-- effects -->")
	table, _, _ = strings.Cut(table, "<!-- end of effects -->")

	var got [][]string
	for _, m := range regexp.MustCompile("(?m)^\\| `([\\w.]+)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		got = append(got, []string{m[1], m[2]})
	}

	words := map[change.Effect]string{change.InPlace: "takes effect at once", Restart: "waits for a restart", change.Refused: "is refused"}

	// Containers by what the effect of a change depends on.
	has := living(aContainer(nil), nil).Spec.ForProvider
	privileged := clone(has)
	privileged.Unprivileged = false
	smaller := clone(has)
	smaller.Disk[0].Size--

	of := func(r row, has, wanted proxmox.ContainerParameters, adopted bool) change.Effect {
		return r.effect(comparison{has: has, wanted: wanted, machine: &machine.Container{}, adopted: adopted})
	}

	var want [][]string

	for _, r := range rows {
		field := strings.TrimPrefix(r.field, "spec.")
		if field == "description" {
			field = "notes"
		}

		usual := of(r, has, has, false)
		text := words[usual]

		switch {
		case of(r, has, smaller, false) != usual:
			text += ", if it is larger; else, and for an adopted container, it is refused"
		case of(r, privileged, has, false) != usual:
			text += "; for a privileged container it is refused"
		case of(r, has, has, true) != usual:
			text += "; for an adopted container it is refused"
		}

		want = append(want, []string{field, text})
	}

	// The firewall is in managed resources of its own: see [lifecycle.FirewalledGuest].
	want = append(want, []string{"firewall", "takes effect at once"})

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/containers.md: -code, +page:\n%s", diff)
	}
}
