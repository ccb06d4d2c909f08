package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// axe finds what people who cannot see, or have no mouse, cannot use (https://github.com/dequelabs/axe-core).
func axe(ctx context.Context, t *testing.T, where string) {
	t.Helper()

	script, err := os.ReadFile(filepath.Join(root, "site", "node_modules", "axe-core", "axe.min.js"))
	if err != nil {
		skip(t, "axe-core is not installed: make test-site installs it")
	}

	eval[bool](ctx, t, "("+"(() => {"+string(script)+"})(), true)")

	type result struct {
		Checked int      `json:"checked"`
		Faults  []string `json:"faults"`
	}

	found := eval[result](ctx, t, `axe.run(document, { resultTypes: ["violations"] }).then(({ violations, passes }) => ({
		checked: passes.length,
		faults: violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary.replace(/\s+/g, " "))),
	}))`)

	if found.Checked == 0 {
		t.Errorf("%s: nothing was checked", where)
	}

	for _, fault := range found.Faults {
		t.Errorf("%s: %s", where, fault)
	}
}

// TestAccessible finds nothing that axe-core objects to, in both themes.
func TestAccessible(t *testing.T) {
	h := serve(t)

	for _, dark := range []bool{false, true} {
		d := desktop
		d.dark = dark
		ctx := h.open(t, d)
		theme := map[bool]string{false: "light", true: "dark"}[dark]

		for _, page := range []string{"index.html", "docs/day-two.html", "docs/index.html"} {
			do(ctx, t, chromedp.Navigate(h.page(page)), chromedp.WaitReady("main, .VPContent"))
			axe(ctx, t, theme+", "+page)
		}

		h.start(ctx, t, "")
		axe(ctx, t, theme+", playground")

		for _, tab := range []string{"picture", "manifests", "plan"} {
			look(ctx, t, tab)
			axe(ctx, t, theme+", "+tab)
		}

		do(ctx, t, chromedp.Click(`[data-editor=claim] .cm-content`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("  bogus: 1"))
		wait(ctx, t, `document.querySelector("[data-action=show]") !== null`)
		axe(ctx, t, theme+", a fault")
	}
}

// TestKeyboard goes through the tabs with the arrow keys, and out of the editor with Escape and then Tab.
func TestKeyboard(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")

	focused := func() string {
		return eval[string](ctx, t, `document.activeElement.id || document.activeElement.className`)
	}

	eval[bool](ctx, t, `(document.getElementById("part-summary-tab").focus(), true)`)

	for _, step := range []struct{ key, want string }{
		{kb.ArrowRight, "part-picture-tab"}, {kb.End, "part-rehearsal-tab"}, {kb.ArrowRight, "part-summary-tab"}, {kb.ArrowLeft, "part-rehearsal-tab"}, {kb.Home, "part-summary-tab"},
	} {
		do(ctx, t, chromedp.KeyEvent(step.key))
		wait(ctx, t, `document.activeElement.id === "`+step.want+`" && document.activeElement.getAttribute("aria-selected") === "true"`)
	}

	if panel := eval[string](ctx, t, `document.getElementById(document.activeElement.getAttribute("aria-controls"))?.getAttribute("role") ?? ""`); panel != "tabpanel" {
		t.Errorf("a tab controls %q, want a tabpanel", panel)
	}

	eval[bool](ctx, t, `(document.querySelector("[data-editor=claim] .cm-content").focus(), true)`)
	do(ctx, t, chromedp.KeyEvent(kb.Tab))

	if got := focused(); !strings.Contains(got, "cm-content") {
		t.Errorf("Tab leaves the editor for %q, want it to indent", got)
	}

	do(ctx, t, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Tab))

	if got := focused(); strings.Contains(got, "cm-") {
		t.Errorf("Escape and Tab stay in the editor, at %q", got)
	}
}
