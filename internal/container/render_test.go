package container

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/container/replacement"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// TestTemplates: a container that is to be made has the file downloaded as its claim says; one that exists keeps the file that it was made from, and no other.
func TestTemplates(t *testing.T) {
	file := func(name string) proxmox.DownloadFileParameters {
		return proxmox.DownloadFileParameters{
			NodeName: "pve", DatastoreID: "local", ContentType: "vztmpl", FileName: name, URL: "https://example.org/" + name,
			Checksum: "ab12", ChecksumAlgorithm: "sha256", UploadTimeoutSeconds: templateTimeoutSeconds, Verify: true,
		}
	}
	const has, other = "debian-12-ct.tar.zst", "alpine-3.tar.xz"

	cases := map[string]struct {
		reason string
		state  State
		from   string // The volume that the container was made from; empty where nobody knows.
		want   []proxmox.DownloadFileParameters
	}{
		"New":     {reason: "It is downloaded, and checked.", state: StateAbsent, want: []proxmox.DownloadFileParameters{file(has)}},
		"Failed":  {reason: "It is tried again with what the claim says.", state: StateFailed, want: []proxmox.DownloadFileParameters{file(has)}},
		"Living":  {reason: "It keeps what it was made from.", state: StateLiving, from: "local:vztmpl/" + has, want: []proxmox.DownloadFileParameters{file(has)}},
		"Another": {reason: "That of a claim before, too.", state: StateLiving, from: "local:vztmpl/" + other, want: []proxmox.DownloadFileParameters{file(other)}},
		"Unknown": {reason: "Where nobody knows, all stay.", state: StateLiving, want: []proxmox.DownloadFileParameters{file(other), file(has)}},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := aContainer(func(c *machine.Container) {
				c.Template.Download.Checksum, c.Template.Download.ChecksumAlgorithm = "ab12", "sha256"
			})
			p := Plan{State: tc.state, Request: request(m, map[string]proxmox.ObservedContainer{replacement.First: living(m, func(o *proxmox.ObservedContainer) {
				o.Spec.ForProvider.OperatingSystem = []proxmox.ContainerOS{{TemplateFileID: tc.from}}
			})})}

			for _, name := range []string{has, other} {
				f := proxmox.ObservedDownloadFile{}
				f.Spec.ForProvider = file(name)
				p.Observed.DownloadFiles[name] = f
			}

			var got []proxmox.DownloadFileParameters
			for _, f := range p.templates() {
				got = append(got, f.Spec.ForProvider)
			}

			slices.SortFunc(got, func(a, b proxmox.DownloadFileParameters) int { return strings.Compare(a.FileName, b.FileName) })

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\n-want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

// TestRenderBoth: all that is to be of a new container is beside what is of the one that it replaces. What looks for a VMID looks for that of the new one.
func TestRenderBoth(t *testing.T) {
	of := func(name string) Rendering {
		return Rendering{
			Containers: map[string]proxmox.Container{name: {}}, Templates: map[string]proxmox.DownloadFile{name: {}},
			Firewalls: proxmox.Firewalls{Options: map[string]proxmox.FirewallOptions{name: {}}, Rules: map[string]proxmox.FirewallRules{name: {}}},
			Checks:    Checks{Containers: map[string]proxmox.Container{name: {}}, VMs: map[string]proxmox.Resource[VMCheck]{name: {}}},
		}
	}

	got := of("old")
	got.add(of("new"))

	both := []string{"new", "old"}
	want := map[string][]string{"containers": both, "templates": both, "options": both, "rules": both, "looks for containers": {"new"}, "looks for VMs": {"new"}}

	if diff := cmp.Diff(want, map[string][]string{
		"containers": names(got.Containers), "templates": names(got.Templates), "options": names(got.Firewalls.Options), "rules": names(got.Firewalls.Rules),
		"looks for containers": names(got.Checks.Containers), "looks for VMs": names(got.Checks.VMs),
	}); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

func names[T any](of map[string]T) []string { return slices.Sorted(maps.Keys(of)) }
