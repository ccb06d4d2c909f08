package site

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEverybodyMayRead the files of the site: a web server is another user than who built it.
func TestEverybodyMayRead(t *testing.T) {
	err := filepath.WalkDir(folder(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		want := os.FileMode(0o004)
		if d.IsDir() {
			want = 0o005
		}

		info, err := d.Info()
		if err == nil && info.Mode()&want != want {
			t.Errorf("%s has mode %v", path, info.Mode())
		}

		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNotLoaded refuses each file that the playground asks for: the page names it, and answers once it is there.
func TestNotLoaded(t *testing.T) {
	for _, file := range []string{"playground.wasm.gz", "examples.json", "schemas/catalogue.json"} {
		t.Run(strings.ReplaceAll(file, "/", "-"), func(t *testing.T) {
			h := serve(t)
			ctx := h.open(t, desktop)

			h.refuses(file)
			do(ctx, t, chromedp.Navigate(h.page("playground.html")), chromedp.WaitVisible("[data-action=retry]"))

			if said := eval[string](ctx, t, `document.querySelector("[role=alert]").textContent`); !strings.Contains(said, "403") || !strings.Contains(said, file) {
				t.Errorf("the page says %q, want the status and %s", said, file)
			}

			shot(ctx, t, "not-loaded")
			h.refuses("")
			do(ctx, t, chromedp.Click("[data-action=retry]"))
			settle(ctx, t, "summary")
		})
	}
}

// TestProgress sees the bar at its end, of the bytes that the module has.
func TestProgress(t *testing.T) {
	info, err := os.Stat(filepath.Join(folder(t), version, "playground.wasm.gz"))
	if err != nil {
		t.Fatal(err)
	}

	h := serve(t)
	ctx := h.open(t, desktop)

	// What the bar showed last, as it is taken away when the function is there.
	do(ctx, t, chromedp.Navigate(h.page("index.html")), chromedp.WaitReady("body"))
	eval[bool](ctx, t, `(window.bars = [], new MutationObserver(() => {
		const bar = document.querySelector("progress")
		if (bar?.max > 1) window.bars.push([bar.value, bar.max])
	}).observe(document.body, { subtree: true, childList: true, attributes: true }), true)`)
	do(ctx, t, chromedp.Click(`.VPNavBarMenu a[href$="playground.html"]`))
	settle(ctx, t, "summary")

	bars := eval[[][]int64](ctx, t, `window.bars`)
	if len(bars) == 0 {
		t.Fatal("there was no bar")
	}

	if last := bars[len(bars)-1]; last[0] != info.Size() || last[1] != info.Size() {
		t.Errorf("the bar ends at %v, want %d of %[2]d", last, info.Size())
	}
}

// TestName ends where the sidebar below it ends, in every width that has one, and the page has an icon and leads to the source.
func TestName(t *testing.T) {
	h := serve(t)

	for _, width := range []int64{1024, 1440} {
		ctx := h.open(t, device{width: width, height: 800})
		do(ctx, t, chromedp.Navigate(h.page("docs/day-two.html")), chromedp.WaitVisible(".VPSidebar"))

		over := eval[float64](ctx, t, `document.querySelector(".VPNavBarTitle .title span").getBoundingClientRect().right - document.querySelector(".VPSidebar").getBoundingClientRect().right`)
		cut := eval[bool](ctx, t, `(e => e.scrollWidth > e.clientWidth)(document.querySelector(".VPNavBarTitle .title span"))`)

		if over > 0 || cut {
			t.Errorf("%d pixels: the name leaves the sidebar by %.0f pixels; cut: %v", width, over, cut)
		}

		shot(ctx, t, fmt.Sprintf("name-%d", width))

		if source := eval[int](ctx, t, `document.querySelectorAll('.VPNavBar a[href^="https://github.com/"][aria-label]').length`); source == 0 {
			t.Errorf("%d pixels: the bar has no link to the source", width)
		}

		if icon := eval[int](ctx, t, `fetch(document.querySelector("link[rel=icon]").href).then((r) => r.status)`); icon != 200 {
			t.Errorf("the icon answers %d", icon)
		}
	}
}
