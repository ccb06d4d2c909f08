package message

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNoFile: what is said of a download that no disk of a VM, or no container, is made of.
func TestNoFile(t *testing.T) {
	t.Parallel()

	const container = "a container is created"

	cases := map[string]struct{ reason, disk, template string }{
		"noble.img":                  {"An image of a disk.", "", container},
		"debian.qcow2":               {"So is this.", "", container},
		"netinst.ISO":                {"An installer, in capital letters.", "the function does not download installers", container},
		"debian-12-standard.tar.zst": {"A template.", "is a container template", ""},
		"disk.raw.xz":                {"A packed disk.", "Proxmox cannot import compressed images: unpack the file (unxz)", container},
		"debian-13-nocloud-amd64.tar.xz": {
			"An archive with a disk, and no template.", "Proxmox cannot import compressed images: unpack the file (tar -xf)", container,
		},
		"download": {"Whoever serves it knows; a catalogue can name the file.", "", container},
	}

	for name, tc := range cases {
		begin := func(text, want string) string { return text[:min(len(text), max(len(want), 1))] }

		if diff := cmp.Diff([]string{tc.disk, tc.template}, []string{begin(NoDiskFile(name), tc.disk), begin(NoTemplateFile(name), tc.template)}); diff != "" {
			t.Errorf("%s %s:\n%s", tc.reason, name, diff)
		}
	}
}

// TestFileOfURL: no query, which may have a password, and no letters that a datastore does not take.
func TestFileOfURL(t *testing.T) {
	t.Parallel()

	for url, want := range map[string]string{
		"https://example.org/a/debian.iso?token=secret": "debian.iso", "https://me:secret@example.org/b c.img": "b-c.img", "https://example.org": "", "https://exa mple.org/a.iso": "",
	} {
		if got := FileOfURL(url); got != want || strings.Contains(got, "secret") {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}
