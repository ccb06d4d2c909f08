package site

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// maxModule is what a browser may have to load for the playground, compressed. Half of it is the function, with what it plays a rollout with. Where no
// call is inlined says hack/playground.sh.
const maxModule = 7_600_000

// TestModuleSize holds the size of the WebAssembly module.
func TestModuleSize(t *testing.T) {
	info, err := os.Stat(filepath.Join(folder(t), version, "playground.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}

	t.Logf("playground.wasm.gz has %d bytes", info.Size())

	if info.Size() > maxModule {
		t.Errorf("playground.wasm.gz has %d bytes, want %d at most: go list -deps ./cmd/playground shows what is in it", info.Size(), maxModule)
	}
}

// A page as it was built.
type page struct {
	links []string        // Of a, in the page's words.
	loads []string        // What a browser loads with the page.
	ids   map[string]bool // What an anchor can name.
}

func parse(t *testing.T, data []byte) page {
	t.Helper()

	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}

	out := page{ids: map[string]bool{}}

	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case a.Key == "id":
				out.ids[a.Val] = true
			case n.Data == "a" && a.Key == "href":
				out.links = append(out.links, a.Val)
			case n.Data == "a":
			case a.Key == "src", a.Key == "srcset", a.Key == "href":
				out.loads = append(out.loads, a.Val)
			}
		}
	}

	return out
}

// built reads all pages of the site, by their paths.
func built(t *testing.T) map[string]page {
	t.Helper()

	out := map[string]page{}
	dir := folder(t)

	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".html" {
			return err
		}

		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}

		rel, err := filepath.Rel(dir, file)
		out["/"+filepath.ToSlash(rel)] = parse(t, data)

		return err
	})
	if err != nil {
		t.Fatal(err)
	}

	if len(out) < 25 {
		t.Fatalf("only %d pages were built", len(out))
	}

	return out
}

// TestNoLinkIsDead follows each link of each page to a file of the site, and its anchor to a place of it.
func TestNoLinkIsDead(t *testing.T) {
	pages, dir := built(t), folder(t)

	for name, p := range pages {
		for _, link := range append(p.links, p.loads...) {
			for _, fault := range dead(pages, dir, name, link) {
				t.Errorf("%s: %s: %s", name, link, fault)
			}
		}
	}
}

func dead(pages map[string]page, dir, from, link string) []string {
	u, err := url.Parse(link)
	if err != nil {
		return []string{err.Error()}
	}

	if u.Host != "" || u.Scheme != "" {
		return nil // Of another host, which nobody asks here.
	}

	to := from
	if u.Path != "" {
		to = path.Join(path.Dir(from), u.Path)
		if strings.HasPrefix(u.Path, "/") {
			to = path.Clean(u.Path)
		}
	}

	info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(to)))

	switch {
	case err != nil:
		return []string{"is not there"}
	case info.IsDir():
		to += "/index.html"
	}

	// With = it is no anchor: the playground reads it, and says so to TestHome.
	if p, ok := pages[to]; ok && u.Fragment != "" && !strings.Contains(u.Fragment, "=") && !p.ids[u.Fragment] {
		return []string{"has no such anchor"}
	}

	return nil
}

// TestLinksHaveNames finds no link to a page that is called as its file is: the site has no such file.
func TestLinksHaveNames(t *testing.T) {
	dir, file := folder(t), regexp.MustCompile(`<a [^>]*href="/[^>]*>([\w./-]+\.md)</a>`)

	for name := range built(t) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range file.FindAllStringSubmatch(string(b), -1) {
			t.Errorf("%s: a link reads %s", name, m[1])
		}
	}
}

// TestDeadLinkIsFound tries the check itself.
func TestDeadLinkIsFound(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.html"), nil, 0o600); err != nil {
		t.Fatal(err)
	}

	pages := map[string]page{"/a.html": parse(t, []byte(`<h1 id="there">A</h1>`))}

	for link, want := range map[string]int{"a.html": 0, "#there": 0, "/a.html#there": 0, "https://example.org/x": 0, "b.html": 1, "#gone": 1, "a.html#gone": 1} {
		if got := dead(pages, dir, "/a.html", link); len(got) != want {
			t.Errorf("%s: got %v, want %d faults", link, got, want)
		}
	}
}

var ofStyle = regexp.MustCompile(`(?:url\(|@import)\s*["']?([^"')]+)`)

// TestNothingOfAnotherHost finds nothing that a page loads from another host, be it in a page or in a style sheet.
func TestNothingOfAnotherHost(t *testing.T) {
	foreign := func(address string) bool {
		return strings.HasPrefix(address, "http:") || strings.HasPrefix(address, "https:") || strings.HasPrefix(address, "//")
	}

	for name, p := range built(t) {
		for _, address := range p.loads {
			if foreign(address) {
				t.Errorf("%s loads %s", name, address)
			}
		}
	}

	sheets, err := filepath.Glob(filepath.Join(folder(t), version, "assets", "*.css"))
	if err != nil || len(sheets) == 0 {
		t.Fatalf("no style sheets: %v", err)
	}

	for _, sheet := range sheets {
		data, err := os.ReadFile(sheet)
		if err != nil {
			t.Fatal(err)
		}

		for _, m := range ofStyle.FindAllSubmatch(data, -1) {
			if foreign(string(m[1])) {
				t.Errorf("%s loads %s", filepath.Base(sheet), m[1])
			}
		}
	}
}
