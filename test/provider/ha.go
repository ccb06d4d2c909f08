package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// An HAManager is Proxmox's HA manager, in front of a simulator that has none. It has the API of pve-ha-manager, src/PVE/API2/HA/Resources.pm, and what
// qemu-server, src/PVE/API2/Qemu.pm, does with a VM that it manages: to start and to stop it becomes a request to the HA manager, and to destroy it
// takes the parameter purge.
type HAManager struct {
	simulator *Simulator
	server    *httptest.Server
	proxy     http.Handler

	mu sync.Mutex
	// entries by name, as vm:160, with their options.
	entries map[string]map[string]string
	// requests that it got: the method, the path, and what was sent.
	requests []Request
	// fought are calls that stop a VM which the HA manager keeps running.
	fought []string
}

// ServeHA puts an HA manager in front of the simulator. Call it before anything connects.
func (b *Bench) ServeHA() (*HAManager, error) {
	proxy, err := proxyTo(b.Simulator.Endpoint)
	if err != nil {
		return nil, err
	}

	h := &HAManager{simulator: b.Simulator, proxy: proxy, entries: map[string]map[string]string{}}
	h.server = httptest.NewTLSServer(h)
	b.conn.Endpoint = h.server.URL + "/"

	return h, nil
}

// Close ends it, and says which of the plugin's calls to it the table of privileges lacks.
func (h *HAManager) Close() error {
	h.server.Close()

	return haveRows(h.requests, nil)
}

// Entry of a VM; nil where there is none.
func (h *HAManager) Entry(id int) map[string]string {
	h.mu.Lock()
	defer h.mu.Unlock()

	return maps.Clone(h.entries[fmt.Sprintf("vm:%d", id)])
}

// Add an entry by hand.
func (h *HAManager) Add(id int, options map[string]string) {
	h.mu.Lock()
	defer h.mu.Unlock()

	h.entries[fmt.Sprintf("vm:%d", id)] = options
}

// Remove an entry by hand.
func (h *HAManager) Remove(id int) {
	h.mu.Lock()
	defer h.mu.Unlock()

	delete(h.entries, fmt.Sprintf("vm:%d", id))
}

// Writes are the requests that were not reads, one in a line, and forgets them.
func (h *HAManager) Writes() string {
	h.mu.Lock()
	defer h.mu.Unlock()

	var out []string

	for _, q := range h.requests {
		if q.Method != http.MethodGet {
			out = append(out, q.Method+" "+q.Path+" "+url.Values(q.Params).Encode())
		}
	}

	h.requests = nil

	return strings.Join(out, "\n")
}

// Fought are the calls that stopped a VM which the HA manager keeps running.
func (h *HAManager) Fought() []string {
	h.mu.Lock()
	defer h.mu.Unlock()

	return h.fought
}

const haPath = "/cluster/ha/resources"

var vmPath = regexp.MustCompile(`^/nodes/[^/]+/qemu/(\d+)(/status/(start|stop|shutdown))?$`)

// ServeHTTP answers what is about HA, and passes on the rest.
func (h *HAManager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api2/json")

	params, err := paramsOf(r)
	if err != nil {
		fails(w, err.Error())
		return
	}

	if sid, ok := strings.CutPrefix(path, haPath); ok && !strings.HasSuffix(path, "/migrate") {
		h.serve(w, r, strings.TrimPrefix(sid, "/"), params)
		return
	}

	if m := vmPath.FindStringSubmatch(path); m != nil && r.Method != http.MethodGet && !h.letsPass(w, r.Method, "vm:"+m[1], m[3], params) {
		return
	}

	h.proxy.ServeHTTP(w, r)
}

// letsPass says whether a call about a VM goes on to the node.
func (h *HAManager) letsPass(w http.ResponseWriter, method, sid, command string, params url.Values) bool {
	h.mu.Lock()
	defer h.mu.Unlock()

	entry, managed := h.entries[sid]

	switch {
	case !managed:
	case method == http.MethodDelete && params.Get("purge") != "1":
		fails(w, fmt.Sprintf("unable to remove VM %s - used in HA resources and purge parameter not set.", strings.TrimPrefix(sid, "vm:")))
		return false
	case method == http.MethodDelete:
		delete(h.entries, sid)
	case entry["state"] == "ignored":
	case command == "start":
		entry["state"] = "started"
	case command != "":
		h.fought = append(h.fought, command+" "+sid)
		entry["state"] = "stopped"
	}

	return true
}

func (h *HAManager) serve(w http.ResponseWriter, r *http.Request, sid string, params url.Values) {
	h.mu.Lock()
	defer h.mu.Unlock()

	path := strings.TrimSuffix(haPath+"/"+sid, "/")
	h.requests = append(h.requests, Request{Method: r.Method, Path: path, Params: params})

	if sid == "" {
		sid = params.Get("sid")
	}

	entry, there := h.entries[sid]

	switch {
	case r.Method == http.MethodPost && there:
		fails(w, fmt.Sprintf("create resource failed: resource ID '%s' already defined", sid))
		return
	case r.Method == http.MethodPost:
		if vm := strings.TrimPrefix(sid, "vm:"); !h.exists(r, vm) {
			fails(w, fmt.Sprintf("no such VM '%s'", vm))
			return
		}

		h.entries[sid] = options(params)
		answer(w, nil)

		return
	case !there && r.Method == http.MethodDelete:
		fails(w, fmt.Sprintf("cannot delete service '%s', not HA managed!", sid))
		return
	case !there:
		fails(w, fmt.Sprintf("no such resource '%s'", sid))
		return
	}

	switch r.Method {
	case http.MethodPut:
		maps.Copy(entry, options(params))

		for k := range strings.SplitSeq(params.Get("delete"), ",") {
			delete(entry, k)
		}

		answer(w, nil)
	case http.MethodDelete:
		delete(h.entries, sid)
		answer(w, nil)
	default:
		answer(w, shown(sid, entry))
	}
}

// exists says whether the cluster has a VM.
func (h *HAManager) exists(r *http.Request, id string) bool {
	s, err := h.simulator.State(r.Context())
	_, ok := s.VMs[id]

	return err == nil && ok
}

// options of an entry, as they are sent.
func options(params url.Values) map[string]string {
	out := map[string]string{}

	for _, k := range []string{"state", "max_restart", "max_relocate", "group", "comment", "failback"} {
		if params.Has(k) {
			out[k] = params.Get(k)
		}
	}

	return out
}

// shown is an entry as it is read.
func shown(sid string, entry map[string]string) map[string]any {
	out := map[string]any{"sid": sid, "type": "vm", "digest": "0123456789abcdef0123456789abcdef01234567"}

	for k, v := range entry {
		out[k] = v

		if n, err := strconv.Atoi(v); err == nil && strings.HasPrefix(k, "max_") {
			out[k] = n
		}
	}

	return out
}

func answer(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

// paramsOf a request are those of its address and of its body, which stays to be read.
func paramsOf(r *http.Request) (url.Values, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}

	r.Body = io.NopCloser(bytes.NewReader(body))
	params := r.URL.Query()

	if form, err := url.ParseQuery(string(body)); err == nil && strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		for k, v := range form {
			params[k] = append(params[k], v...)
		}
	}

	return params, nil
}

// fails as Proxmox does: what is wrong is the reason phrase of the answer.
func fails(w http.ResponseWriter, reason string) {
	const body = `{"data":null}`

	hijacker, ok := w.(http.Hijacker)
	if !ok {
		http.Error(w, reason, http.StatusInternalServerError)
		return
	}

	c, buffer, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer c.Close() //nolint:errcheck // The answer is written.

	_, _ = fmt.Fprintf(buffer, "HTTP/1.1 500 %s\r\nContent-Type: application/json;charset=UTF-8\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s", reason, len(body), body)
	_ = buffer.Flush()
}
