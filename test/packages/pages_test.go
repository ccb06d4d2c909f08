package packages

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

func readPage(t *testing.T, name string) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// TestCompatibility holds the versions that docs/compatibility.md calls tested to those that the tools are built from.
func TestCompatibility(t *testing.T) {
	page := readPage(t, "docs/compatibility.md")

	cases := map[string]struct{ reason, file, module, row string }{
		"Crossplane2":        {"The control plane of the tests.", "tools/cluster/go.mod", "github.com/crossplane/crossplane/v2", "| Crossplane, namespaced | %s |"},
		"Crossplane1":        {"The oldest one.", "tools/crossplane-v1/go.mod", "github.com/crossplane/crossplane", "| Crossplane, claims | %s, "},
		"Kubernetes":         {"The API server of the tests.", "tools/cluster/go.mod", "k8s.io/kubernetes", "| Kubernetes for Crossplane | %s |"},
		"Flux":               {"The controllers of the tests come with it.", "tools/flux/cli/go.mod", "github.com/fluxcd/flux2/v2", "| Flux | %s |"},
		"Plugin":             {"What the provider suite runs.", "tools/terraform/plugin/go.mod", "github.com/bpg/terraform-provider-proxmox", "plugin bpg/proxmox v%s with"},
		"ProviderKubernetes": {"What reads Nodes.", "tools/provider-kubernetes/go.mod", "github.com/crossplane-contrib/provider-kubernetes", "with `observe: Object` | v%s |"},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			m := regexp.MustCompile(regexp.QuoteMeta(tc.module) + ` v([0-9.]+)`).FindStringSubmatch(readPage(t, tc.file))
			if m == nil {
				t.Fatalf("%s does not require %s", tc.file, tc.module)
			}

			if want := strings.ReplaceAll(tc.row, "%s", m[1]); !strings.Contains(page, want) {
				t.Errorf("\n%s\ndocs/compatibility.md does not say %q", tc.reason, want)
			}
		})
	}
}

// TestDocsIndex holds that docs/README.md leads to every page.
func TestDocsIndex(t *testing.T) {
	index := readPage(t, "docs/README.md")

	pages, err := filepath.Glob(filepath.Join(root, "docs/*.md"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}

	for _, p := range pages {
		if name := filepath.Base(p); name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}

var (
	pageLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} +(.*)$`)
	fence    = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	// notInAnchor is what GitHub leaves out of the anchor of a heading.
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	linkText    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// anchors of a page, as GitHub makes them.
func anchors(text string) []string {
	var out []string

	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		plain := linkText.ReplaceAllString(m[1], "$1")
		out = append(out, strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(plain), ""), " ", "-"))
	}

	return out
}

// TestLinks holds that every link of the documentation to a page of this repository leads to a page, and to a heading of it.
func TestLinks(t *testing.T) {
	var pages []string

	for _, pattern := range []string{"*.md", "docs/*.md", "example/*.md", "example/*/*.md", "install/*/*.md", "test/*/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}

		pages = append(pages, found...)
	}

	links := 0
	anchorsOf := map[string][]string{} // By page: many links lead to few pages.

	for _, page := range pages {
		b, err := os.ReadFile(page) //nolint:gosec // A page of this repository.
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range pageLink.FindAllStringSubmatch(fence.ReplaceAllString(string(b), ""), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, "://") || strings.HasPrefix(path, "mailto:") {
				continue
			}

			links++

			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}

			to, err := os.ReadFile(target) //nolint:gosec // What a page links to.
			if err != nil {
				if info, dirErr := os.Stat(target); dirErr != nil || !info.IsDir() {
					t.Errorf("%s links to %s, which does not exist", page, m[1])
				}

				continue
			}

			if anchor == "" || filepath.Ext(target) != ".md" {
				continue
			}

			if anchorsOf[target] == nil {
				anchorsOf[target] = anchors(string(to))
			}

			if !slices.Contains(anchorsOf[target], anchor) {
				t.Errorf("%s links to %s, which has no such heading", page, m[1])
			}
		}
	}

	if links < 200 {
		t.Errorf("only %d links were read", links)
	}
}

// TestReferenceIsClean: in docs/api.md a pattern can be copied as it is, and every field is there once for each kind that says it itself.
func TestReferenceIsClean(t *testing.T) {
	b, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}

	if escaped := regexp.MustCompile(`\\[{}|]|&[#a-z0-9]+;|<br|e\+0`).FindAllString(string(b), -1); len(escaped) > 0 {
		t.Errorf("the reference has %q", escaped)
	}

	for field, want := range map[string]int{"onBoot": 2, "flakeRef": 1, "deletionPolicy": 5} {
		if got := strings.Count(string(b), "\n* **`"+field+"`** "); got != want {
			t.Errorf("field %s is shown %d times, want %d", field, got, want)
		}
	}
}

// TestShellOfReaders holds that commands of the pages run on macOS, too: its sed takes what follows -i for a suffix. Files below /etc are those of a guest, which has GNU's.
func TestShellOfReaders(t *testing.T) {
	block := regexp.MustCompile("(?ms)^ *```(?:shell|console)\n(.*?)^ *```$")
	inPlace := regexp.MustCompile(`\bsed (-\w+ )*-i `)
	read := 0

	for _, pattern := range []string{"README.md", "docs/*.md", "example/*/README.md", "install/*/README.md"} {
		pages, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}

		for _, page := range pages {
			for _, m := range block.FindAllStringSubmatch(readPage(t, strings.TrimPrefix(page, root)), -1) {
				for line := range strings.Lines(m[1]) {
					read++

					if inPlace.MatchString(line) && !strings.Contains(line, " /etc/") {
						t.Errorf("%s: write sed -i.bak, and remove the copy: %s", page, line)
					}
				}
			}
		}
	}

	if read < 100 {
		t.Errorf("only %d lines were read", read)
	}
}

// TestFirstScreen: the first screen of README.md, its preview and its table show one VM of the one claim.
func TestFirstScreen(t *testing.T) {
	page := readPage(t, "README.md")

	var ids []string
	for _, m := range regexp.MustCompile(`VM (\d+) on pve2|server-2 +server +pve2 +(\d+) `).FindAllStringSubmatch(page, -1) {
		ids = append(ids, m[1]+m[2])
	}

	if len(ids) != 3 || len(slices.Compact(ids)) != 1 {
		t.Errorf("want the VMID of server-2 three times, got %v", ids)
	}
}

// TestGlossaryKnowsEveryKind: docs/glossary.md names each kind that a person writes, and each that the function renders.
func TestGlossaryKnowsEveryKind(t *testing.T) {
	page := readPage(t, "docs/glossary.md")

	for _, kind := range append(claim.Kinds(), slices.Collect(maps.Values(proxmox.Namespaced.Written()))...) {
		if !strings.Contains(page, "`"+kind+"`") {
			t.Errorf("docs/glossary.md does not name %s", kind)
		}
	}
}

// TestPrintedCommandsNeedNoClone: a command that a program prints names no file of this repository by a path that only a clone has. What shows the repository's own
// examples is for those who have one.
func TestPrintedCommandsNeedNoClone(t *testing.T) {
	local := regexp.MustCompile(`kubectl [a-z -]*-f (install|package|package-v2|observability)/`)
	read := 0

	for _, dir := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, _ os.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}

			read++

			b, err := os.ReadFile(path) //nolint:gosec // A source of this repository.
			if command := local.Find(b); command != nil {
				t.Errorf("%s prints %q: write the file's address, document.FilesURL", path, command)
			}

			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	if read < 100 {
		t.Errorf("only %d files were read", read)
	}
}
