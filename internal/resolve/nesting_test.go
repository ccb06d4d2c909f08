package resolve

import (
	"strings"
	"testing"
)

// TestWantsNesting: a warning for new containers whose systemd does not work without nesting, and for no others.
func TestWantsNesting(t *testing.T) {
	const (
		debian12, debian13 = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", "local:vztmpl/debian-13-standard_13.1-2_amd64.tar.zst"
		ubuntu, alpine     = "local:vztmpl/ubuntu-24.04-standard_24.04-2_amd64.tar.zst", "local:vztmpl/alpine-3.22-default_20250617_amd64.tar.xz"
	)

	cases := map[string]struct {
		reason, image, more string
		existing            Existing
		want                bool
	}{
		"Debian":     {reason: "Its systemd is 257.", image: debian13, want: true},
		"Ubuntu":     {reason: "Its systemd is 255.", image: ubuntu, want: true},
		"NixOS":      {reason: "Its systemd is new, too.", image: "local:vztmpl/nixos-image-lxc-proxmox-25.11-x86_64-linux.tar.xz", want: true},
		"Older":      {reason: "It works without.", image: debian12},
		"OpenRC":     {reason: "There is no systemd.", image: alpine},
		"Said":       {reason: "It has nesting.", image: debian13, more: ", features: {nesting: true}"},
		"SaidNo":     {reason: "Somebody knows better.", image: debian13, more: ", features: {nesting: false}"},
		"Privileged": {reason: "Only root@pam could set it.", image: debian13, more: ", unprivileged: false"},
		"Living":     {reason: "It runs as it is.", image: debian13, existing: Existing{Node: "pve"}},
		"Adopted":    {reason: "It keeps its own.", image: debian13, more: ", adopt: {vmId: 150}", existing: Existing{Adopting: true}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", "{image: \""+tc.image+"\", proxmox: {node: pve, vmId: 150}"+tc.more+"}")

			out, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nContainer(...): %v", tc.reason, errs)
			}

			if got := strings.Contains(strings.Join(out.Warnings, "\n"), "spec.features.nesting"); got != tc.want {
				t.Errorf("%s\nContainer(...): want a warning %t, got %q", tc.reason, tc.want, out.Warnings)
			}
		})
	}
}

// TestTemplateOfAnotherProcessor: a warning for new containers, of a file on the node as of the catalogue's.
func TestTemplateOfAnotherProcessor(t *testing.T) {
	cases := map[string]struct {
		reason, image string
		existing      Existing
		want          bool
	}{
		"Arm":    {reason: "It does not start on Intel and AMD.", image: "local:vztmpl/debian-12-standard_12.7-1_arm64.tar.zst", want: true},
		"Own":    {reason: "As most are.", image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"},
		"Living": {reason: "It runs.", image: "local:vztmpl/debian-12-standard_12.7-1_arm64.tar.zst", existing: Existing{Node: "pve"}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", "{image: \""+tc.image+"\", proxmox: {node: pve, vmId: 150}}")

			out, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nContainer(...): %v", tc.reason, errs)
			}

			if got := strings.Contains(strings.Join(out.Warnings, "\n"), "is for processors of arm64"); got != tc.want {
				t.Errorf("%s\nContainer(...): want a warning %t, got %q", tc.reason, tc.want, out.Warnings)
			}
		})
	}
}
