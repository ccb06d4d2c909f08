package site

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// of a rehearsal that is shown.
const (
	shownStep  = `document.querySelector(".rehearsal")?.dataset.step ?? ""`
	shownWords = `document.querySelector(".rehearsal .words")?.innerText ?? ""`
	boxes      = `[...document.querySelectorAll(".rehearsal .box")].map((b) => b.innerText.replace(/\s+/g, " ")).join("\n")`
	theSlider  = `#rehearsal-step`
)

// edit the claim of an editor wholly.
func edit(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	eval[bool](ctx, t, `document.querySelector("[data-editor=claim] .cm-content").focus(), true`)
	do(ctx, t, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))

	if _, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: text}); err != nil {
		t.Fatal(err)
	}
}

// rehearsed waits until a rehearsal is over whose words have something.
func rehearsed(ctx context.Context, t *testing.T, words string) {
	t.Helper()
	settle(ctx, t, "rehearsal")
	wait(ctx, t, fmt.Sprintf(`document.querySelector(".rehearsal[data-phase=over]") !== null && (%s).includes(%q)`, shownWords, words))
}

// theEdit of example/cluster: its servers are drained, and get more memory.
func theEdit(t *testing.T) string {
	t.Helper()

	claim, err := os.ReadFile(filepath.Join(root, "example/cluster/home.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	return strings.NewReplacer("    count: 3\n", "    count: 3\n    template: {size: {memory: 9Gi}}\n", "  servers:\n", "  rollout: {rebootPolicy: WhenNeeded}\n  servers:\n").Replace(string(claim))
}

// TestRehearsal plays an edit of a cluster: with keys from step to step, as the binary says it, and by a link at its step.
func TestRehearsal(t *testing.T) {
	for _, dark := range []bool{false, true} {
		h := serve(t)
		d := desktop
		d.dark = dark
		ctx := h.open(t, d)
		theme := map[bool]string{false: "light", true: "dark"}[dark]

		h.start(ctx, t, "#example=example/cluster/home.yaml")
		do(ctx, t, chromedp.Click("[data-tab=rehearsal]"))
		rehearsed(ctx, t, "The edit does nothing.")

		edit(ctx, t, theEdit(t))
		rehearsed(ctx, t, "Sums: 3 restarts")

		last := eval[string](ctx, t, `document.querySelector("#rehearsal-step").max`)

		eval[bool](ctx, t, fmt.Sprintf(`(document.querySelector(%q).focus(), true)`, theSlider))

		for _, step := range []struct{ key, want string }{{kb.End, last}, {kb.Home, "0"}, {kb.ArrowRight, "1"}, {kb.ArrowRight, "2"}, {kb.ArrowLeft, "1"}, {kb.ArrowRight, "2"}} {
			do(ctx, t, chromedp.KeyEvent(step.key))
			wait(ctx, t, fmt.Sprintf(`(%s) === %q`, shownStep, step.want))
		}

		if text := eval[string](ctx, t, boxes); strings.Count(text, "VMID ") != 5 || !strings.Contains(text, "out of service") || !strings.Contains(text, "runs") {
			t.Errorf("%s: the boxes are\n%s", theme, text)
		}

		if votes := eval[string](ctx, t, `document.querySelector(".rehearsal .votes").innerText`); !strings.Contains(votes, "2 of 3 vote") {
			t.Errorf("%s: the votes are %q", theme, votes)
		}

		for _, selector := range []string{".rehearsal h2", ".rehearsal h3", ".rehearsal .says", ".rehearsal .box .word", ".rehearsal .box .id", ".rehearsal .words p", ".rebase"} {
			if ratio := eval[float64](ctx, t, fmt.Sprintf("%s(%q)", contrast, selector)); ratio < leastContrast {
				t.Errorf("%s: %s has a contrast of %.1f, want %.1f", theme, selector, ratio, leastContrast)
			}
		}

		axe(ctx, t, theme+", rehearsal")
		eval[bool](ctx, t, `(document.querySelector(".rehearsal").scrollIntoView({ block: "center" }), true)`)
		shot(ctx, t, "rehearsal-"+theme)
		t.Logf("%s: the function took %.0f ms", theme, eval[float64](ctx, t, `Number(document.querySelector(".playground").dataset.took)`))

		if dark {
			continue
		}

		want := eval[string](ctx, t, `document.querySelector(".rehearsal").innerText`)

		do(ctx, t, chromedp.Click("[data-action=share]"))
		wait(ctx, t, `location.hash.startsWith("#claim=")`)

		other := h.open(t, desktop)
		do(other, t, chromedp.Navigate(h.page("playground.html"+eval[string](ctx, t, `location.hash`))))
		rehearsed(other, t, "Sums: 3 restarts")

		if diff := cmp.Diff(want, eval[string](other, t, `document.querySelector(".rehearsal").innerText`)); diff != "" {
			t.Errorf("the link shows something else: -shared, +opened\n%s", diff)
		}
	}
}

// TestRehearsalDoesNotBlock types a fault while a rehearsal is played, and sees it before that would be over.
func TestRehearsalDoesNotBlock(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, phone)

	h.start(ctx, t, "#example=example/cluster/home.yaml")
	do(ctx, t, chromedp.Click("[data-tab=rehearsal]"))
	wait(ctx, t, `document.querySelector(".rehearsal") !== null`)

	edit(ctx, t, theEdit(t)+"  bogus: 1\n")
	wait(ctx, t, `document.querySelector(".cm-panel-lint")?.textContent.includes("spec.bogus") ?? false`)

	if eval[bool](ctx, t, `document.querySelector(".rehearsal") !== null`) {
		t.Error("beside the fault is a rehearsal of another text")
	}

	edit(ctx, t, theEdit(t))
	wait(ctx, t, `document.querySelector(".rehearsal[data-phase=plays]") !== null`)
	rehearsed(ctx, t, "Sums: 3 restarts")

	if width := eval[int](ctx, t, `document.documentElement.scrollWidth`); width > int(phone.width) {
		t.Errorf("the rehearsal is %d pixels wide on a phone", width)
	}
}
