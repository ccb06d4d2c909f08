package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictured are pages of every make: the front, tables, long commands, pictures, and the playground. All pages would take half an hour.
var pictured = []string{"index.html", "docs/start.html", "docs/day-two.html", "docs/kubectl-machine.html", "docs/why-not.html", "playground.html"}

// TestPictures takes a picture of pages in the light and the dark theme, at three widths, for people to look at: _output/site-shots/pages. A page must have
// a heading, and neither page nor table is wider than its place.
func TestPictures(t *testing.T) {
	for name, d := range devices() {
		h := serve(t)
		ctx := h.open(t, d)

		for _, path := range pictured {
			if _, err := os.Stat(filepath.Join(folder(t), version, filepath.FromSlash(path))); err != nil {
				t.Fatalf("the site has no such page: %v", err) // What is answered instead has no heading, and would be waited for.
			}

			t.Log(name, path) // Of a page that does not load, the name is the last one.
			do(ctx, t, chromedp.Navigate(h.page(path)), chromedp.WaitReady("h1"))

			if path == "playground.html" {
				settle(ctx, t, "summary")
			}

			if width := eval[int64](ctx, t, `document.documentElement.scrollWidth`); width > d.width {
				t.Errorf("%s, %s: the page is %d pixels wide", name, path, width)
			}

			// Who does not know that a table scrolls does not see its last column.
			if cut := eval[string](ctx, t, `[...document.querySelectorAll(".vp-doc table")].filter((table) => table.scrollWidth > table.clientWidth + 1)
				.map((table) => (table.scrollWidth - table.clientWidth) + " pixels of that with " + table.innerText.slice(0, 60)).join("\n")`); cut != "" {
				t.Errorf("%s, %s: tables are cut:\n%s", name, path, cut)
			}

			shot(ctx, t, "pages/"+strings.NewReplacer("/", "-", ".html", "").Replace(path)+"-"+name)
		}
	}
}

// TestHome shows the claim on the left of what the function makes of it, each of its examples, and leads to the playground with one of them.
func TestHome(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	do(ctx, t, chromedp.Navigate(h.page("index.html")), chromedp.WaitReady("h1"))

	tabs := eval[[]string](ctx, t, `[...document.querySelectorAll(".home [role=tab]")].map((tab) => tab.id)`)
	if len(tabs) == 0 {
		t.Fatal("there is no example")
	}

	for _, tab := range tabs {
		do(ctx, t, chromedp.Click("#"+tab), chromedp.WaitVisible(".home .picture svg"))

		if apart := eval[float64](ctx, t, `document.querySelector(".home .picture").getBoundingClientRect().left - document.querySelector(".home .code").getBoundingClientRect().right`); apart <= 0 {
			t.Errorf("%s: the machine is not on the right of the claim: %.0f pixels", tab, apart)
		}

		if boxes := eval[int](ctx, t, `document.querySelectorAll(".home .picture svg :is(g.vm, g.container)").length`); boxes == 0 {
			t.Errorf("%s: the picture has neither VM nor container", tab)
		}

		shot(ctx, t, tab)
	}

	claim := eval[string](ctx, t, `document.querySelector(".home .code").textContent`)

	do(ctx, t, chromedp.Click(`.home a[href*="#example="]`))
	settle(ctx, t, "summary")

	head, _, _ := strings.Cut(claim, "spec:")
	if text := eval[string](ctx, t, `document.querySelector("[data-editor=claim] .cm-content").innerText`); !strings.Contains(text, head) {
		t.Errorf("the playground begins with\n%s\nwant\n%s", text, claim)
	}
}
