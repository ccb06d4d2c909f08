package site

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// devices by the name that their pictures have: both themes at three widths.
func devices() map[string]device {
	out := map[string]device{"light": desktop, "tablet": tablet, "phone": phone}

	for name, d := range map[string]device{"dark": desktop, "tablet-dark": tablet, "phone-dark": phone} {
		d.dark = true
		out[name] = d
	}

	return out
}

// A scene is what the playground shows a person who does something with it, and the element that is then looked at.
type scene struct {
	name, at string
	play     func(ctx context.Context, t *testing.T)
}

func scenes() []scene {
	return []scene{
		{"machine", ".answers", func(ctx context.Context, t *testing.T) {
			choose(ctx, t, "example/plain-debian/files01.yaml")
			look(ctx, t, "picture")
		}},
		{"cluster", ".answers", func(ctx context.Context, t *testing.T) {
			choose(ctx, t, "example/cluster/home.yaml")
			look(ctx, t, "picture")
		}},
		{"fault", "[data-editor=claim]", func(ctx context.Context, t *testing.T) {
			look(ctx, t, "summary")
			edit(ctx, t, strings.Replace(read(t, "example/cluster/home.yaml"), "count: 3", "count: 2", 1)+"  bogus: 1\n")
			wait(ctx, t, `document.querySelector("[data-action=show]") !== null`)

			if !eval[bool](ctx, t, `(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector(".cm-panel-lint ul"))`) {
				t.Error("the second of two faults is cut")
			}
		}},
		{"refused", ".answers", func(ctx context.Context, t *testing.T) {
			choose(ctx, t, "example/day-two/git01.yaml")

			if text, _ := look(ctx, t, "plan"); eval[int](ctx, t, `document.querySelectorAll(".result > span").length`) != strings.Count(text, "\n") {
				t.Errorf("a line of the plan does not go on below its own beginning:\n%s", text)
			}
		}},
		{"rehearsal", ".rehearsal", func(ctx context.Context, t *testing.T) {
			choose(ctx, t, "example/cluster/home.yaml")
			do(ctx, t, chromedp.Click("[data-tab=rehearsal]"))
			rehearsed(ctx, t, "The edit does nothing.")
			edit(ctx, t, theEdit(t))
			rehearsed(ctx, t, "Sums: 3 restarts")
		}},
	}
}

func read(t *testing.T, file string) string {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// outside are the elements of the playground whose text ends outside of the window, and that nobody can scroll to.
const outside = `[...document.querySelectorAll(".playground *")].filter((e) => {
	if (!e.checkVisibility() || ![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim())) return false
	for (let p = e; p; p = p.parentElement) if (/auto|scroll/.test(getComputedStyle(p).overflowX)) return false
	const box = e.getBoundingClientRect()
	return box.width > 1 && (box.right > innerWidth + 1 || box.left < -1)
}).map((e) => e.tagName + "." + e.className + ": " + e.textContent.slice(0, 60)).join("\n")`

// TestScenes takes pictures of the playground with a machine, a cluster, a fault, a refused edit and a rehearsal, in both themes, at three widths:
// _output/site-shots/scenes. In none is text outside of the window, and axe-core has no objection to any.
func TestScenes(t *testing.T) {
	for name, d := range devices() {
		h := serve(t)
		ctx := h.open(t, d)
		h.start(ctx, t, "")

		for _, s := range scenes() {
			s.play(ctx, t)

			if got := eval[string](ctx, t, outside); got != "" {
				t.Errorf("%s, %s: outside of the window is\n%s", name, s.name, got)
			}

			axe(ctx, t, name+", "+s.name)
			eval[bool](ctx, t, `(document.querySelector("`+s.at+`")?.scrollIntoView({ block: "start" }), true)`)
			shot(ctx, t, "scenes/"+s.name+"-"+name)
		}
	}
}
