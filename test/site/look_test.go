package site

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pages that a phone is held against: the widest ones, one of each sort.
func pages() []string {
	return []string{"index.html", "docs/index.html", "docs/api.html", "docs/day-two.html", "docs/privileges.html", "docs/performance.html", "example/flux/index.html", "playground.html"}
}

// TestPhone finds no page that is wider than a phone.
func TestPhone(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, phone)

	for _, page := range pages() {
		do(ctx, t, chromedp.Navigate(h.page(page)), chromedp.WaitReady("body"))

		if page == "playground.html" {
			settle(ctx, t, "summary")
		}

		width, client := eval[int](ctx, t, `document.documentElement.scrollWidth`), eval[int](ctx, t, `window.innerWidth`)

		if width > int(phone.width) || client > int(phone.width) {
			t.Errorf("%s is %d pixels wide in a window of %d", page, width, client)
		}

		if scrolls := eval[int](ctx, t, `[...document.querySelectorAll(".vp-doc table")].filter((table) => table.scrollWidth > table.clientWidth + 1).length`); scrolls > 0 {
			t.Errorf("%s: %d tables are wider than the phone", page, scrolls)
		}

		// A word of a command ends at a blank: an option that is broken behind its hyphens cannot be copied by eye.
		broken := eval[int](ctx, t, `[...document.querySelectorAll(".vp-doc td code")].filter((code) => code.offsetParent && code.getClientRects().length > 1).length`)
		if broken > 0 {
			t.Errorf("%s: %d commands in cells are broken", page, broken)
		}

		// Of a page with a table, the table is what a phone makes hard.
		eval[bool](ctx, t, `(document.querySelector(".vp-doc table")?.scrollIntoView(), true)`)
		shot(ctx, t, "phone-"+strings.NewReplacer("/", "-", ".html", "").Replace(page))
	}

	for _, tab := range []string{"picture", "manifests", "user-data", "plan"} {
		look(ctx, t, tab)

		if width := eval[int](ctx, t, `document.documentElement.scrollWidth`); width > int(phone.width) {
			t.Errorf("tab %s is %d pixels wide", tab, width)
		}
	}
}

// TestOutline finds no heading in "On this page" that is cut: the headings of a page are often the same up to their end.
func TestOutline(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)

	for _, page := range []string{"docs/day-two.html", "docs/privileges.html", "docs/bootstrap.html", "docs/performance.html"} {
		do(ctx, t, chromedp.Navigate(h.page(page)), chromedp.WaitVisible(".VPDocOutlineItem .outline-link"))

		cut := eval[string](ctx, t, `[...document.querySelectorAll(".VPDocOutlineItem .outline-link")].filter((link) => link.scrollWidth > link.clientWidth).map((link) => link.textContent).join("; ")`)
		if cut != "" {
			t.Errorf("%s: cut headings in the outline: %s", page, cut)
		}

		shot(ctx, t, "outline-"+strings.NewReplacer("docs/", "", ".html", "").Replace(page))
	}
}

// contrast of the text of an element with what is behind it (WCAG 2), by the browser's own colours.
const contrast = `((selector) => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true })
	const element = document.querySelector(selector)
	const layers = []
	for (let e = element; e; e = e.parentElement) layers.unshift(getComputedStyle(e).backgroundColor)
	const paint = (colours) => {
		canvas.clearRect(0, 0, 1, 1)
		for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1) }
		const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
		return 0.2126 * r + 0.7152 * g + 0.0722 * b
	}
	const [a, b] = [paint(layers), paint([...layers, getComputedStyle(element).color])].sort((x, y) => x - y)
	return (b + 0.05) / (a + 0.05)
})`

// leastContrast of text that people read: level AA of WCAG 2.
const leastContrast = 4.5

// TestThemes reads the site in both themes: text stands out, and the background is the theme's.
func TestThemes(t *testing.T) {
	for _, dark := range []bool{false, true} {
		h := serve(t)
		d := desktop
		d.dark = dark
		ctx := h.open(t, d)
		name := map[bool]string{false: "light", true: "dark"}[dark]

		h.start(ctx, t, "")

		if eval[bool](ctx, t, `document.documentElement.classList.contains("dark")`) != dark {
			t.Errorf("%s: the page does not follow the theme of the device", name)
		}

		selectors := []string{
			"h1", ".result", ".playground select", "[data-editor=claim] .cm-line", "[data-editor=claim] .cm-line span", ".tabs button[aria-selected=true]",
			".tabs button[aria-selected=false]",
		}
		read := func(where string, selectors []string) {
			for _, selector := range selectors {
				if ratio := eval[float64](ctx, t, fmt.Sprintf("%s(%q)", contrast, selector)); ratio < leastContrast {
					t.Errorf("%s, %s: %s has a contrast of %.1f, want %.1f", name, where, selector, ratio, leastContrast)
				}
			}
		}

		read("playground", selectors)
		shot(ctx, t, "playground-"+name)
		choose(ctx, t, "example/cluster/home.yaml")
		look(ctx, t, "picture")
		shot(ctx, t, "picture-"+name)
		do(ctx, t, chromedp.Navigate(h.page("docs/day-two.html")), chromedp.WaitVisible(".vp-doc h1"))
		read("docs", []string{".vp-doc h1", ".vp-doc p", ".vp-doc a", ".vp-doc td"})
		shot(ctx, t, "docs-"+name)
	}
}

// TestSearch finds a page by a word of its text, without another host.
func TestSearch(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)

	do(ctx, t,
		chromedp.Navigate(h.page("index.html")), chromedp.Click("button.DocSearch-Button"), chromedp.WaitVisible("#localsearch-input"),
		chromedp.SendKeys("#localsearch-input", "quorum"), chromedp.WaitVisible(".results .result"),
	)

	found := eval[string](ctx, t, `[...document.querySelectorAll(".results a")].map((a) => a.href).join(" ")`)

	shot(ctx, t, "search")

	if !strings.Contains(found, "/docs/day-two.html") {
		t.Errorf("the search for quorum finds %q, want day-two", found)
	}
}
