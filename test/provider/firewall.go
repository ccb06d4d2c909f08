package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A firewalls is the part of the Proxmox API that the simulator does not have: the own firewalls of VMs and containers. It stands before the simulator, and passes
// everything else on. As in Proxmox, a firewall belongs to a VMID, whichever node is asked for it; it goes with its VM, and a VMID without
// a VM has an empty one (pve-firewall: src/PVE/API2/Firewall/{VM,Rules}.pm, src/PVE/Firewall.pm, load_vmfw_conf).
type firewalls struct {
	server *httptest.Server
	proxy  http.Handler

	mu       sync.Mutex
	of       map[int]*vmFirewall
	requests []Request
	// cut breaks off the calls to firewalls for which it says so; nil: none.
	cut func(Request) bool
	// sources are the IP sets and aliases of the datacenter, as rules name them.
	sources []string
}

// A vmFirewall is the firewall of one VM. Values are as Proxmox keeps them, in its configuration file.
type vmFirewall struct {
	options map[string]string
	rules   []rule
	// lockedOut says whether it has dropped everything that comes in, at any moment.
	lockedOut bool
}

// A rule of a firewall.
type rule map[string]string

// copy what is written into a rule; an empty value removes one (PVE::Firewall, copy_rule_data).
func (r rule) copy(form url.Values) {
	for k := range form {
		switch v := form.Get(k); {
		case k == "delete" || k == "pos":
		case v == "" || v == "-":
			delete(r, k)
		default:
			r[k] = v
		}
	}
}

// A FirewallState is what the firewall of a VM does: its options, and its rules from the first to the last one.
type FirewallState struct {
	Options map[string]string
	Rules   []map[string]string
}

var (
	firewallPath = regexp.MustCompile(`^/api2/json/nodes/[^/]+/(?:qemu|lxc)/([0-9]+)/firewall/(options|rules)(?:/([0-9]+))?$`)
	destroyPath  = regexp.MustCompile(`^/api2/json/nodes/[^/]+/qemu/([0-9]+)/?$`)
)

// newFirewalls stand before an endpoint.
func newFirewalls(endpoint string) (*firewalls, error) {
	proxy, err := proxyTo(endpoint)
	if err != nil {
		return nil, err
	}

	f := &firewalls{proxy: proxy, of: map[int]*vmFirewall{}}
	f.server = httptest.NewTLSServer(f)

	return f, nil
}

// ServeHTTP answers a call, or passes it on.
func (f *firewalls) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m := firewallPath.FindStringSubmatch(r.URL.Path)
	if m == nil {
		f.proxy.ServeHTTP(w, r)

		if id := destroyPath.FindStringSubmatch(r.URL.Path); id != nil && r.Method == http.MethodDelete {
			f.drop(number(id[1]))
		}

		return
	}

	f.mu.Lock()
	defer f.mu.Unlock()

	_ = r.ParseForm() // A call without a form has none.
	f.requests = append(f.requests, Request{Method: r.Method, Path: strings.TrimPrefix(r.URL.Path, "/api2/json"), Params: r.Form})

	if f.cut != nil && f.cut(f.requests[len(f.requests)-1]) {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}

	if missing := f.missing(r.Form.Get("source")); missing != "" {
		w.WriteHeader(http.StatusBadRequest)

		_ = json.NewEncoder(w).Encode(map[string]any{"data": nil, "message": "Parameter verification failed.\n", "errors": map[string]string{"source": missing}})

		return
	}

	if f.of[number(m[1])] == nil {
		f.of[number(m[1])] = &vmFirewall{options: map[string]string{}}
	}

	data, err := f.of[number(m[1])].call(r.Method, m[2], m[3], r.Form)
	if err != nil {
		// The API server of Proxmox puts the reason into the status line, which Go's server cannot.
		w.WriteHeader(http.StatusInternalServerError)

		data = nil
	}

	v := f.of[number(m[1])]
	v.lockedOut = v.lockedOut || v.options["enable"] == "1" && v.options["policy_in"] != "ACCEPT" && len(v.rules) == 0

	answer := map[string]any{"data": data}
	if err != nil {
		answer["message"] = err.Error()
	}

	_ = json.NewEncoder(w).Encode(answer) // Whoever asked is gone.
}

// missing says why a rule with a source is refused; empty where it is not. A rule with a security group that there is not is taken (pve-firewall 6f1311f,
// src/PVE/Firewall.pm, verify_rule).
func (f *firewalls) missing(source string) string {
	switch name, isSet := strings.CutPrefix(source, "+"); {
	case slices.Contains(f.sources, source):
		return ""
	case isSet:
		return fmt.Sprintf("no such ipset '%s'", strings.TrimPrefix(name, "dc/"))
	case strings.HasPrefix(source, "dc/"):
		return fmt.Sprintf("no such alias '%s'", source)
	}

	return ""
}

// drop the firewall of a guest that is gone.
func (f *firewalls) drop(id int) {
	f.mu.Lock()
	defer f.mu.Unlock()

	delete(f.of, id)
}

// copy all firewalls.
func (f *firewalls) copy() map[int]*vmFirewall {
	f.mu.Lock()
	defer f.mu.Unlock()

	return copyOf(f.of)
}

// restore all firewalls.
func (f *firewalls) restore(to map[int]*vmFirewall) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.of = copyOf(to)
}

func copyOf(all map[int]*vmFirewall) map[int]*vmFirewall {
	out := map[int]*vmFirewall{}

	for id, v := range all {
		c := &vmFirewall{options: maps.Clone(v.options)}
		for _, r := range v.rules {
			c.rules = append(c.rules, maps.Clone(r))
		}

		out[id] = c
	}

	return out
}

func number(s string) int {
	n, _ := strconv.Atoi(s) // It matched a pattern.

	return n
}

// call the API of one firewall.
func (v *vmFirewall) call(method, what, pos string, form url.Values) (any, error) {
	switch {
	case what == "options" && method == http.MethodGet:
		return typed(v.options), nil
	case what == "options" && method == http.MethodPut:
		for k := range form {
			v.options[k] = form.Get(k)
		}

		return nil, nil
	case what == "rules" && pos == "" && method == http.MethodGet:
		out := make([]any, 0, len(v.rules))
		for i, r := range v.rules {
			out = append(out, with(typed(r), "pos", i))
		}

		return out, nil
	case what == "rules" && pos == "" && method == http.MethodPost:
		rule := rule{"enable": "0"}
		rule.copy(form)

		// A new rule comes first.
		v.rules = slices.Insert(v.rules, 0, rule)

		return nil, nil
	case what == "rules" && pos != "":
		return v.rule(method, number(pos), form)
	}

	return nil, fmt.Errorf("method %s is not implemented", method)
}

// rule answers a call about one rule.
func (v *vmFirewall) rule(method string, pos int, form url.Values) (any, error) {
	if pos >= len(v.rules) {
		return nil, fmt.Errorf("no rule at position %d", pos)
	}

	switch method {
	case http.MethodGet:
		return with(typed(v.rules[pos]), "pos", strconv.Itoa(pos)), nil
	case http.MethodDelete:
		v.rules = slices.Delete(v.rules, pos, pos+1)
	case http.MethodPut:
		v.change(pos, form)
	}

	return nil, nil
}

// change a rule, or move it; with moveto, everything else is ignored. A rule that moves stands before the one that has the position.
func (v *vmFirewall) change(pos int, form url.Values) {
	if form.Has("moveto") {
		to := number(form.Get("moveto"))

		var moved []rule

		for i, r := range v.rules {
			if i == pos {
				continue
			}

			if i == to {
				moved = append(moved, v.rules[pos])
			}

			moved = append(moved, r)
		}

		if to >= len(v.rules) {
			moved = append(moved, v.rules[pos])
		}

		if to != pos {
			v.rules = moved
		}

		return
	}

	v.rules[pos].copy(form)

	for k := range strings.SplitSeq(form.Get("delete"), ",") {
		delete(v.rules[pos], k)
	}
}

// typed are values as Proxmox sends them: switches as numbers.
func typed(values map[string]string) map[string]any {
	out := map[string]any{}

	for k, v := range values {
		if n, err := strconv.Atoi(v); err == nil && slices.Contains([]string{"enable", "dhcp", "ndp", "radv", "macfilter", "ipfilter"}, k) {
			out[k] = n
		} else {
			out[k] = v
		}
	}

	return out
}

func with(values map[string]any, key string, v any) map[string]any {
	values[key] = v

	return values
}

// Firewall of a VM, as Proxmox has it.
func (s *Simulator) Firewall(id int) FirewallState {
	s.firewalls.mu.Lock()
	defer s.firewalls.mu.Unlock()

	out := FirewallState{Options: map[string]string{}}

	if v := s.firewalls.of[id]; v != nil {
		maps.Copy(out.Options, v.options)

		for _, r := range v.rules {
			out.Rules = append(out.Rules, maps.Clone(r))
		}
	}

	return out
}

// CutFirewalls breaks off the calls to firewalls for which cut says so, as Proxmox does whose daemon ends; nil: none.
func (s *Simulator) CutFirewalls(cut func(Request) bool) {
	s.firewalls.mu.Lock()
	defer s.firewalls.mu.Unlock()

	s.firewalls.cut = cut
}

// SetSources sets which IP sets and aliases the datacenter has, as rules name them.
func (s *Simulator) SetSources(names ...string) {
	s.firewalls.mu.Lock()
	defer s.firewalls.mu.Unlock()

	s.firewalls.sources = names
}

// LockedOut says whether the firewall of a VM has dropped everything that comes in, at any moment.
func (s *Simulator) LockedOut(id int) bool {
	s.firewalls.mu.Lock()
	defer s.firewalls.mu.Unlock()

	v := s.firewalls.of[id]

	return v != nil && v.lockedOut
}

// AddFirewallRule adds a rule by hand.
func (s *Simulator) AddFirewallRule(ctx context.Context, node string, id int, rule url.Values) error {
	return s.api(ctx, http.MethodPost, fmt.Sprintf("nodes/%s/qemu/%d/firewall/rules", node, id), rule, nil)
}
