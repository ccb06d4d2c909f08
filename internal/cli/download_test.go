package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// TestURL: lint, render and plan read a file from a web server with https, and call it by its URL.
func TestURL(t *testing.T) {
	const claim = "apiVersion: homelab.io/v1alpha1\nkind: Machine\nmetadata: {name: web, namespace: infra}\nspec: {network: {dhcp: true}, proxmox: {node: pve}}\n"

	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/web.yaml":
			_, _ = io.WriteString(w, claim)
		case "/bad.yaml":
			_, _ = io.WriteString(w, strings.Replace(claim, "dhcp:", "dhpc:", 1))
		case "/page":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = io.WriteString(w, "<html>")
		case "/plain":
			http.Redirect(w, r, "http://"+r.Host+"/web.yaml", http.StatusFound)
		case "/large":
			_, _ = w.Write(make([]byte, maxDownload+1))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)

	observed := writeTree(t, map[string]string{"observed.yaml": "kind: List\nitems: []\n"}) + "/observed.yaml"

	for name, tc := range map[string]struct {
		reason string
		args   []string
		code   ExitCode
		says   string
	}{
		"Render":   {"a claim is rendered", []string{"render", "-f", server.URL + "/web.yaml"}, ExitOK, "Machine web in " + server.URL + "/web.yaml\n"},
		"Plan":     {"a claim is planned", []string{"plan", "-f", server.URL + "/web.yaml", "--observed", observed}, ExitOK, "Plan: 1 new."},
		"Lint":     {"a fault has the URL", []string{"lint", "-f", server.URL + "/bad.yaml"}, ExitFound, server.URL + "/bad.yaml:4:18: spec.network.dhpc: "},
		"Missing":  {"the server has no such file", []string{"lint", "-f", server.URL + "/none.yaml"}, ExitFailed, "/none.yaml: the server answers 404 Not Found"},
		"Page":     {"who copies the address of a page of GitHub gets no claim", []string{"render", "-f", server.URL + "/page"}, ExitFailed, "it is a web page, and not the file itself"},
		"Plain":    {"nobody proves what http brings", []string{"render", "-f", "http://localhost/web.yaml"}, ExitUsage, "only https:// URLs are read"},
		"Redirect": {"also where https leads to it", []string{"render", "-f", server.URL + "/plain"}, ExitFailed, "it redirects to http://"},
		"Large":    {"memory has an end", []string{"render", "-f", server.URL + "/large"}, ExitFailed, "it has more than 10 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, said strings.Builder

			code := Run(t.Context(), tc.args, Streams{Out: &out, Err: &said, Now: observedNow, transport: server.Client().Transport})
			if code != tc.code || !strings.Contains(out.String()+said.String(), tc.says) {
				t.Errorf("%s: want exit code %d and %q, got %d and\n%s%s", tc.reason, tc.code, tc.says, code, out.String(), said.String())
			}

			if strings.Contains(out.String()+said.String(), os.TempDir()+"/kubectl-machine-") {
				t.Errorf("%s: the name of a temporary file is shown:\n%s%s", tc.reason, out.String(), said.String())
			}
		})
	}
}
