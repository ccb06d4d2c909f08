package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

// TestContainersBehindFirewall holds that a tenant's containers are behind a firewall as its VMs are, and that what exists stays.
func TestContainersBehindFirewall(t *testing.T) {
	const (
		open   = "{image: debian-ct, class: small, proxmox: {node: n1, vmId: 4200}}"
		closed = "{image: debian-ct, class: small, firewall: {preset: ssh}, proxmox: {node: n1, vmId: 4200}}"
	)

	cases := map[string]struct {
		reason, spec string
		// was is the spec that the container was last ready with; empty for a new one.
		was  string
		want []string
	}{
		"None": {reason: "A container without a firewall, and an interface that is not behind it.", spec: open, want: []string{
			"spec.network.firewall: must be true", "spec.firewall: tenant team-d has containers with a firewall that is on and has rules, such as {preset: ssh}",
		}},
		"Off": {reason: "One that is switched off.", spec: strings.Replace(closed, "preset: ssh", "preset: ssh, enabled: false", 1), want: []string{
			"spec.network.firewall: must be true", "spec.firewall: tenant team-d has containers",
		}},
		"NoRules": {reason: "One without rules drops nothing.", spec: strings.Replace(closed, "preset: ssh", "log: info", 1), want: []string{"spec.firewall: tenant team-d has containers"}},
		"Further": {
			reason: "An interface that the claim keeps out.", spec: strings.Replace(closed, "class:", "nics: [{bridge: vmbr0, firewall: false}], class:", 1),
			want: []string{"spec.nics[0].firewall: must be true"},
		},
		"Behind":     {reason: "Every interface is behind it.", spec: strings.Replace(closed, "class:", "nics: [{bridge: vmbr0}], class:", 1)},
		"Exists":     {reason: "A container that exists stays, with another edit.", was: open, spec: strings.Replace(open, "class:", "notes: x, class:", 1)},
		"Edit":       {reason: "An edit that asks for more is refused.", was: closed, spec: open, want: []string{"spec.network.firewall: must be true", "spec.firewall: tenant team-d has containers"}},
		"EditBehind": {reason: "An edit that leads behind it is none.", was: open, spec: closed},
		"EditFurther": {
			reason: "An interface beside one that existed without is another one.", was: open, spec: strings.Replace(open, "class:", "nics: [{bridge: vmbr0, firewall: false}], class:", 1),
			want: []string{"spec.nics[0].firewall: must be true"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			cat := divided(t, strings.Replace(teamB, "firewall: Required", "firewall: Required, allow: [pin]", 1))
			c := claimIn(t, "team-d", claim.KindContainer, tc.spec)
			e := Existing{}

			if tc.was != "" {
				was := claimIn(t, "team-d", claim.KindContainer, tc.was)
				e = Existing{Node: "n1", Has: &Entries{}, Applied: &was}
			}

			_, errs := Container(c.Identity, *c.Container, c.Faults, cat, e)

			var got []string

			for i, err := range errs {
				text := err.Error()

				if i < len(tc.want) {
					if path, part, _ := strings.Cut(tc.want[i], ": "); err.Field == path && strings.Contains(text, part) {
						text = tc.want[i]
					}
				}

				got = append(got, text)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
