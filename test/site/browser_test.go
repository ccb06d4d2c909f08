package site

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

const (
	root    = "../.."
	version = "test"

	// patience with a page: a busy machine takes its time.
	patience = time.Minute
)

// folder of the built site, as it is served.
func folder(t *testing.T) string {
	t.Helper()

	dir := filepath.Join(root, "_output", "test-site")
	if _, err := os.Stat(filepath.Join(dir, version, "playground.html")); err != nil {
		skip(t, "the site is not built: make test-site builds it")
	}

	return dir
}

// skip a test that lacks something, which is a failure in CI.
func skip(t *testing.T, reason string) {
	t.Helper()

	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}

	t.Skip(reason)
}

// policy of every page (https://www.w3.org/TR/CSP3/): the browser, with its workers, asks nobody else, and reports whatever tries to.
const policy = "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; report-uri /reports"

// A host serves the site. What a page asks of another host, or sends, is kept.
type host struct {
	url string

	mu      sync.Mutex
	foreign []string
	own     []string
	refuse  string // The end of paths that are answered with 403.
}

// refuses what ends so from now on; empty refuses nothing.
func (h *host) refuses(suffix string) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.refuse = suffix
}

func serve(t *testing.T) *host {
	t.Helper()

	h := &host{}
	files := http.FileServer(http.Dir(folder(t)))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		defer h.mu.Unlock()

		body, _ := io.ReadAll(r.Body)
		if len(body) > 0 || r.Method != http.MethodGet || r.URL.RawQuery != "" {
			h.foreign = append(h.foreign, r.Method+" "+r.URL.String()+" "+string(body))
		}

		h.own = append(h.own, r.URL.Path)
		w.Header().Set("Content-Security-Policy", policy)

		if h.refuse != "" && strings.HasSuffix(r.URL.Path, h.refuse) {
			http.Error(w, "may not be read", http.StatusForbidden)
			return
		}

		files.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)

	h.url = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)

	return h
}

// asked are the paths that were asked for so far.
func (h *host) asked() []string {
	h.mu.Lock()
	defer h.mu.Unlock()

	return append([]string(nil), h.own...)
}

// A device is what a page is looked at with.
type device struct {
	width, height int64
	dark          bool
	mobile        bool
}

var (
	desktop = device{width: 1400, height: 900}              //nolint:gochecknoglobals // A constant.
	tablet  = device{width: 820, height: 1180}              //nolint:gochecknoglobals // A constant.
	phone   = device{width: 375, height: 740, mobile: true} //nolint:gochecknoglobals // A constant.
)

// open Chromium with the device. Whatever was asked of another host fails the test when it ends.
func (h *host) open(t *testing.T, d device) context.Context {
	t.Helper()

	chromium, err := exec.LookPath("chromium")
	if err != nil {
		skip(t, "chromium is not installed")
	}

	scheme := "light"
	if d.dark {
		scheme = "dark"
	}

	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.WindowSize(int(d.width), int(d.height)),
	)

	allocated, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)

	ctx, cancel := chromedp.NewContext(allocated)
	t.Cleanup(cancel)

	t.Cleanup(func() {
		h.mu.Lock()
		defer h.mu.Unlock()

		for _, f := range h.foreign {
			t.Errorf("the page asks for, or sends: %s", f)
		}
	})

	viewport := chromedp.EmulateViewport(d.width, d.height)
	if d.mobile {
		viewport = chromedp.EmulateViewport(d.width, d.height, chromedp.EmulateMobile)
	}

	do(ctx, t, viewport)

	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
		t.Fatal(err)
	}

	return ctx
}

// do some steps in the browser.
func do(ctx context.Context, t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()

	// The first call starts the browser, which ends with its context.
	if _, err := chromedp.Run(ctx, chromedp.Location()); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()

	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// eval an expression in the page. A promise is awaited.
func eval[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()

	out, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAsValue, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}

	return out
}

// page of the site.
func (h *host) page(path string) string { return h.url + "/" + version + "/" + path }

// shot of what is seen, for people to look at.
func shot(ctx context.Context, t *testing.T, name string) {
	t.Helper()

	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}

	file := filepath.Join(root, "_output", "site-shots", filepath.FromSlash(name)+".png")
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(file, png, 0o600); err != nil {
		t.Fatal(err)
	}
}
