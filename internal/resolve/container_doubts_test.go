package resolve

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDoubtsOfContainers: warnings of new containers that another word of the claim contradicts, and of none that exist.
func TestDoubtsOfContainers(t *testing.T) {
	const (
		debian  = "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst"
		rocky   = "local:vztmpl/rockylinux-9-default_20240912_amd64.tar.xz"
		own     = "local:vztmpl/golden_amd64.tar.zst"
		wrongOS = "spec.os: "
		swap    = "spec.size.swap: "
		closed  = "spec.firewall: drops everything"
	)

	living := Existing{Node: "pve"}

	cases := map[string]struct {
		reason, image, more string
		existing            Existing
		want                []string // Beginnings.
	}{
		"Same":      {reason: "The word of the file.", image: debian, more: "os: debian"},
		"Other":     {reason: "Proxmox finds Debian, and starts it with Ubuntu's settings.", image: debian, more: "os: ubuntu", want: []string{wrongOS}},
		"Kindred":   {reason: "Rocky Linux is one of CentOS for Proxmox.", image: rocky, more: "os: centos"},
		"Unmanaged": {reason: "Whoever wants nothing configured.", image: debian, more: "os: unmanaged"},
		"Unnamed":   {reason: "The name of the file says nothing.", image: own, more: "os: ubuntu"},
		"Living":    {reason: "It runs.", image: debian, more: "os: ubuntu", existing: living},
		"Swap":      {reason: "Four of what?", image: debian, more: "size: {swap: 4}", want: []string{swap}},
		"SwapNone":  {reason: "None.", image: debian, more: "size: {swap: 0}"},
		"SwapMiB":   {reason: "As Proxmox proposes.", image: debian, more: "size: {swap: 512}"},
		"SwapUnit":  {reason: "Somebody wrote the unit.", image: debian, more: "size: {swap: 4Gi}"},
		"SwapLives": {reason: "It runs with that.", image: debian, more: "size: {swap: 4}", existing: living},
		"Closed":    {reason: "Nobody logs in.", image: debian, more: "firewall: {allow: [{port: 443}]}", want: []string{closed}},
		"Meant":     {reason: "Somebody wants that.", image: debian, more: "firewall: {preset: none, allow: [{port: 443}]}"},
		"Preset":    {reason: "SSH is open.", image: debian, more: "firewall: {preset: ssh, allow: [{port: 443}]}"},
		"Opened":    {reason: "So it is by a rule.", image: debian, more: "firewall: {allow: [{port: \"20-30\"}]}"},
		"Off":       {reason: "Nothing is dropped.", image: debian, more: "firewall: {enabled: false, allow: [{port: 443}]}"},
		"Lives":     {reason: "It runs so.", image: debian, more: "firewall: {allow: [{port: 443}]}", existing: living},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := aClaim(t, "Container", "{image: \""+tc.image+"\", proxmox: {node: pve, vmId: 150}, "+tc.more+"}")

			out, errs := Container(claim.Identity, *claim.Container, claim.Faults, aCatalog(t, containerCatalogue), tc.existing)
			if len(errs) > 0 {
				t.Fatalf("%s\nContainer(...): %v", tc.reason, errs)
			}

			var got []string

			for _, w := range out.Warnings {
				for _, begin := range []string{wrongOS, swap, closed} {
					if strings.HasPrefix(w, begin) {
						got = append(got, begin)
					}
				}
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s%q", tc.reason, diff, out.Warnings)
			}
		})
	}
}
