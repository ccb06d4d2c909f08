package site

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/google/go-cmp/cmp"
)

// An example, as the playground has it.
type example struct {
	File string `json:"file"`
}

func examples(t *testing.T) []example {
	t.Helper()

	b, err := os.ReadFile(filepath.Join(folder(t), version, "examples.json"))
	if err != nil {
		t.Fatal(err)
	}

	var out []example
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}

	if len(out) == 0 {
		t.Fatal("there are no examples")
	}

	return out
}

const (
	shownText  = `document.querySelector(".result").textContent`
	shownError = `document.querySelector("pre.error")?.textContent ?? ""`
)

// start the playground at a fragment, and wait for its first answer.
func (h *host) start(ctx context.Context, t *testing.T, fragment string) {
	t.Helper()
	do(ctx, t, chromedp.Navigate(h.page("playground.html"+fragment)))
	settle(ctx, t, "summary")
}

// settle waits until the playground has answered for what its editors have, in a tab.
func settle(ctx context.Context, t *testing.T, tab string) {
	t.Helper()

	wait(ctx, t, fmt.Sprintf(`document.querySelector('.playground[data-state=ready][data-part=%q]') !== null`, tab))
}

// wait until an expression is true.
func wait(ctx context.Context, t *testing.T, expression string) {
	t.Helper()

	poll := chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(patience), chromedp.WithPollingInterval(20*time.Millisecond))
	if _, err := chromedp.Run(ctx, poll); err != nil {
		t.Fatalf("%s: %v; the page shows:\n%s", expression, err, eval[string](ctx, t, `document.querySelector(".playground")?.innerText ?? document.body.innerText`))
	}
}

// look at a tab: its text, and the error beside it.
func look(ctx context.Context, t *testing.T, tab string) (text, fault string) {
	t.Helper()
	do(ctx, t, chromedp.Click(fmt.Sprintf("[data-tab=%q]", tab)))
	settle(ctx, t, tab)

	return eval[string](ctx, t, shownText), eval[string](ctx, t, shownError)
}

// choose an example.
func choose(ctx context.Context, t *testing.T, file string) {
	t.Helper()
	eval[bool](ctx, t, fmt.Sprintf(`{
		const select = document.querySelector(".playground select")
		select.value = %q
		select.dispatchEvent(new Event("change"))
		true
	}`, file))
}

// inThePage is what the binary says in the words of the page, which has no options.
func inThePage(text string) string {
	return strings.NewReplacer("(not shown: --show-secrets)", "(not shown)", "to OBSERVED", "to What runs").Replace(text)
}

// binary prints what kubectl-machine renders of a file, and its error.
func binary(t *testing.T, file, output string) (text, fault string) {
	t.Helper()

	program, err := filepath.Abs(filepath.Join(root, "_output", "bin", "kubectl-machine"))
	if err != nil {
		t.Fatal(err)
	}

	cmd := exec.CommandContext(t.Context(), program, "render", "-f", file, "-o", output)
	cmd.Dir = root

	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr

	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}

	// The playground's text has a name of its own.
	named := func(text string) string { return inThePage(strings.ReplaceAll(text, file, "claim.yaml")) }

	return named(stdout.String()), named(stderr.String())
}

// aVM is how the line of a VM in a summary begins: that of a node of a cluster has its turn and its name before it.
var aVM = regexp.MustCompile(`(?m)^ +(?:turn \d+: )?(?:[a-z0-9-]+: )?VM `)

// TestEveryExample holds what the playground says of each example against what the binary says.
func TestEveryExample(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")

	for _, e := range examples(t) {
		choose(ctx, t, e.File)

		// A visitor should not begin with a fault of ours.
		look(ctx, t, "summary")

		if got := eval[string](ctx, t, `[...document.querySelectorAll(".count")].map((e) => e.closest("button").innerText + e.ariaLabel).join(" ")`); got != "" {
			t.Errorf("%s begins with marks: %s", e.File, got)
		}

		for tab, output := range map[string]string{"summary": "summary", "manifests": "yaml", "user-data": "user-data"} {
			text, fault := look(ctx, t, tab)
			wantText, wantFault := binary(t, e.File, output)

			if diff := cmp.Diff(wantText, text); diff != "" {
				t.Errorf("%s, %s: -binary, +playground\n%s", e.File, tab, diff)
			}

			if fault == "" && wantFault != "" || !strings.Contains(wantFault, fault) {
				t.Errorf("%s, %s: the playground's error is %q, the binary's %q", e.File, tab, fault, wantFault)
			}
		}

		look(ctx, t, "picture")

		summary, _ := binary(t, e.File, "summary")
		vms := len(aVM.FindAllString(summary, -1))
		containers := strings.Count(summary, "\n  container ")

		for class, want := range map[string]int{"vm": vms, "container": containers} {
			if boxes := eval[int](ctx, t, fmt.Sprintf(`document.querySelectorAll(".picture svg g.%s").length`, class)); boxes != want {
				t.Errorf("%s: the picture has %d of class %s, the summary %d", e.File, boxes, class, want)
			}
		}

		// Were no boxes looked for, none would be missing.
		if vms+containers == 0 && !strings.HasPrefix(summary, "ProxmoxSite ") {
			t.Errorf("%s: the summary has neither VM nor container:\n%s", e.File, summary)
		}

		look(ctx, t, "summary")
	}

	if !slices.Contains(h.asked(), "/"+version+"/playground.wasm.gz") {
		t.Error("the module was not asked for, so the test does not see what a page asks for")
	}
}

// TestTyping types a fault, sees it at its line, and takes it back.
func TestTyping(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")

	before, _ := look(ctx, t, "summary")

	const typed = "  bogus: 1"

	do(ctx, t, chromedp.Click(`[data-editor=claim] .cm-content`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent(typed), chromedp.KeyEvent(kb.Escape))
	wait(ctx, t, `document.querySelector(".cm-panel-lint")?.textContent.includes("spec.bogus") ?? false`)

	line := eval[string](ctx, t, `document.querySelector("[data-editor=claim] .cm-panel-lint li").textContent`)
	marked := eval[string](ctx, t, `document.querySelector("[data-editor=claim] .cm-lintRange-error")?.textContent ?? ""`)
	wait(ctx, t, `document.querySelector("[data-action=show]") !== null`)

	if times := eval[int](ctx, t, `document.querySelector(".playground").innerText.split("spec.bogus").length - 1`); times != 1 {
		t.Errorf("the fault stands %d times in the page, want it once", times)
	}

	if text := eval[string](ctx, t, shownText); text != "" {
		t.Errorf("beside the fault is an answer about another text:\n%s", text)
	}

	if marks := eval[int](ctx, t, `document.querySelectorAll("[data-editor=claim] .cm-lint-marker-error").length`); marks != 1 {
		t.Errorf("the gutter has %d marks, want 1", marks)
	}

	shot(ctx, t, "fault")

	claim, err := os.ReadFile(filepath.Join(root, "example/k3s-cluster/server-2.yaml"))
	if err != nil {
		t.Fatal(err)
	}

	if want := fmt.Sprintf("%d: spec.bogus: ", strings.Count(string(claim), "\n")+1); !strings.HasPrefix(line, want) {
		t.Errorf("the fault is %q, want it in %q", line, want)
	}

	if !strings.HasPrefix(marked, "bogus") {
		t.Errorf("%q is marked, want bogus", marked)
	}

	for range typed {
		do(ctx, t, chromedp.KeyEvent(kb.Backspace))
	}

	wait(ctx, t, `document.querySelector("[data-editor=claim] .cm-panel-lint") === null && document.querySelector(".refused") === null`)
	settle(ctx, t, "summary")

	if after, _ := look(ctx, t, "summary"); after != before {
		t.Errorf("the summary is another one after the fault was taken back:\n%s", cmp.Diff(before, after))
	}
}

// TestCompletion completes a field of the schema, and shows what a field is under the pointer.
func TestCompletion(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")

	do(ctx, t, chromedp.Click(`[data-editor=claim] .cm-content`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("  deletionPro"))
	wait(ctx, t, `[...document.querySelectorAll(".cm-completionLabel")].some((e) => e.textContent === "deletionProtection")`)
	shot(ctx, t, "completion")
	// The list ignores its reader for its first 75 ms, so that nobody accepts what they did not see.
	wait(ctx, t, `(window.listShown ??= performance.now(), performance.now() - window.listShown > 150)`)
	do(ctx, t, chromedp.Click(".cm-tooltip-autocomplete li[aria-selected]"))
	wait(ctx, t, `document.querySelector("[data-editor=claim]").textContent.includes("deletionProtection: ")`)
	do(ctx, t, chromedp.KeyEvent("nope"))
	wait(ctx, t, `document.querySelector("[data-editor=claim] .cm-panel-lint")?.textContent.includes("spec.deletionProtection") ?? false`)

	place := eval[struct{ X, Y float64 }](ctx, t, `(() => {
		const key = [...document.querySelectorAll("[data-editor=claim] .cm-line span")].find((e) => e.textContent.trim() === "class").getBoundingClientRect();
		return { X: key.x + key.width / 2, Y: key.y + key.height / 2 }
	})()`)

	do(ctx, t, chromedp.MouseEvent("mouseMoved", place.X, place.Y))
	wait(ctx, t, `document.querySelector(".playground-hover")?.textContent.startsWith("spec.class: string") ?? false`)
	shot(ctx, t, "hover")

	eval[bool](ctx, t, `[...document.querySelectorAll("[role=tab]")].find((e) => e.textContent.trim() === "Catalogue").click(), true`)
	eval[bool](ctx, t, `document.querySelector("[data-editor=catalogue] .cm-content").focus(), true`) // Its middle, where a click goes, is out of view.
	do(ctx, t, chromedp.KeyEvent("a", chromedp.KeyModifiers(chromedp.ModifierCtrl)))

	if _, err := chromedp.Call(ctx, input.InsertText, input.InsertTextParams{Text: "kind: EnvironmentConfig\ndata:\n  "}); err != nil {
		t.Fatal(err)
	}

	do(ctx, t, chromedp.KeyEvent("clas"))
	wait(ctx, t, `[...document.querySelectorAll(".cm-completionLabel")].some((e) => e.textContent === "classes")`)
}

// TestPlan has the machine of an example run and edits it: the plan has the edit.
func TestPlan(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")
	choose(ctx, t, "example/nixos/dns01.yaml")
	look(ctx, t, "summary")

	do(ctx, t, chromedp.Click("[data-action=suppose]"))
	wait(ctx, t, shownText+`.includes("Plan: 1 kept.")`)
	settle(ctx, t, "plan")
	do(ctx, t, chromedp.Click(`[data-editor=claim] .cm-content`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("  onBoot: false"))
	wait(ctx, t, shownText+`.includes("spec.onBoot")`)
	shot(ctx, t, "plan")

	choose(ctx, t, "example/day-two/git01.yaml")
	settle(ctx, t, "plan")

	cmd := exec.CommandContext(t.Context(), "_output/bin/kubectl-machine", "plan", "-f", "example/day-two/git01.yaml", "--observed", "example/day-two/cluster/observed.yaml")
	cmd.Dir = root

	want, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}

	got, _ := look(ctx, t, "plan")
	if diff := cmp.Diff(inThePage(string(want)), got); diff != "" {
		t.Errorf("the plan of day-two: -binary, +playground\n%s", diff)
	}
}

// TestLink carries a claim from one browser to another one in the link, and sends it to nobody.
func TestLink(t *testing.T) {
	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")
	choose(ctx, t, "example/cluster/home.yaml")
	do(ctx, t, chromedp.Click(`[data-editor=claim] .cm-content`), chromedp.KeyEvent(kb.End, chromedp.KeyModifiers(chromedp.ModifierCtrl)), chromedp.KeyEvent("# carried by a link, äöü"))

	want, _ := look(ctx, t, "summary")

	const editor = `document.querySelector("[data-editor=claim] .cm-content").innerText`

	claim := eval[string](ctx, t, editor)

	do(ctx, t, chromedp.Click("[data-action=share]"))
	wait(ctx, t, `location.hash.startsWith("#claim=")`)

	fragment := eval[string](ctx, t, `location.hash`)

	other := h.open(t, desktop)
	h.start(other, t, fragment)

	got, _ := look(other, t, "summary")
	restored := eval[string](other, t, editor)

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the summary of what the link carries: -sent, +restored\n%s", diff)
	}

	if !strings.Contains(claim, "carried by a link, äöü") || restored != claim {
		t.Errorf("the link restores another claim: %s", cmp.Diff(claim, restored))
	}

	// A fragment that nobody can read is none.
	h.start(other, t, "#claim=nonsense")

	if text, _ := look(other, t, "summary"); !strings.Contains(text, "VM") {
		t.Errorf("a broken link shows %q", text)
	}
}

// TestLatency reports how long it takes after a key until the faults are shown, and until what is looked at is. A busy machine must not fail a change, so no time is asserted.
func TestLatency(t *testing.T) {
	const (
		cluster = "example/cluster/home.yaml"
		rounds  = 20
	)

	h := serve(t)
	ctx := h.open(t, desktop)
	h.start(ctx, t, "")

	for _, edit := range []struct {
		file, line string // The line that has this text is edited, at its end or before the brace there.
		what       string
	}{
		{"example/nixos/dns01.yaml", "ip:", "its address"},
		{"example/k3s-cluster/server-2.yaml", "ip:", "its address"},
		{cluster, "address and settings", "a comment"},
		{cluster, "192.168.4.213", "the address of the third of five nodes"},
		{cluster, "192.168.4.211", "the address of the first of five nodes"},
		{cluster, "version:", "the release of all nodes"},
	} {
		choose(ctx, t, edit.file)
		look(ctx, t, "summary")
		do(ctx, t,
			chromedp.Click(fmt.Sprintf(`//div[@data-editor="claim"]//div[contains(concat(@class, " "), "cm-line ")][contains(., %q)]`, edit.line)),
			chromedp.KeyEvent(kb.End),
		)

		if strings.Contains(edit.line, "192") {
			do(ctx, t, chromedp.KeyEvent(kb.ArrowLeft))
		}

		var took, faults, all []float64

		for round := range rounds {
			// The last letter is replaced by another one.
			do(ctx, t, chromedp.KeyEvent(kb.ArrowLeft, chromedp.KeyModifiers(chromedp.ModifierShift)))
			eval[bool](ctx, t, `
				window.answered = new Promise((resolve) => addEventListener("keydown", () => {
					const began = performance.now()
					const playground = document.querySelector(".playground")
					let working = false, faults = 0
					new MutationObserver((_, observer) => {
						working ||= playground.dataset.state === "working"
						if (working && !faults && playground.dataset.state === "rendering") faults = performance.now() - began
						if (faults && playground.dataset.state === "ready") { observer.disconnect(); resolve([faults, performance.now() - began]) }
					}).observe(playground, { attributes: true })
				}, { once: true, capture: true })); true`)
			do(ctx, t, chromedp.KeyEvent(strconv.Itoa(5+round%4))) //nolint:mnd // Digits that no other address of the claim ends with.

			times := eval[[]float64](ctx, t, `window.answered`)
			function := eval[float64](ctx, t, `Number(document.querySelector(".playground").dataset.took)`)
			took, faults, all = append(took, function), append(faults, times[0]), append(all, times[1])
		}

		if fault := eval[string](ctx, t, `document.querySelector(".refused")?.innerText ?? ""`); fault != "" {
			t.Errorf("%s, %s: the edit is refused: %s; the claim is now\n%s", edit.file, edit.what, fault, eval[string](ctx, t, `document.querySelector("[data-editor=claim] .cm-content").innerText`))
		}

		for _, times := range [][]float64{took, faults, all} {
			slices.Sort(times)
		}

		t.Logf("%s, %s: after a key, the faults are there in %.0f ms (median; fastest %.0f ms), the summary in %.0f ms (fastest %.0f ms), of which the function takes %.0f ms (fastest %.0f ms)",
			edit.file, edit.what, faults[len(faults)/2], faults[0], all[len(all)/2], all[0], took[len(took)/2], took[0])
	}
}
