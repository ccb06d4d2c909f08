package provider

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Networks are the network configurations of nodes, and the resource pools of their cluster, in front of a simulator that does not change them. They
// have the API of pve-manager, PVE/API2/Network.pm and PVE/API2/Pool.pm, as far as the plugin calls it, and what pve-common, src/PVE/INotify.pm, does
// with a configuration: what is written is staged, every read shows it, and a reload of the network applies all of it.
type Networks struct {
	server *httptest.Server
	proxy  *httputil.ReverseProxy

	mu       sync.Mutex
	nodes    map[string]*nodeNetwork
	pools    map[string]string // Comments by name.
	members  map[string]bool   // Pools that are not empty.
	requests []Request
	// refuse is what a write of an interface is answered with; empty where it goes through.
	refuse string
	// breaks is how a reload ends; empty where it goes through.
	breaks string
	// hides the bridges of a node, as Proxmox does where the token has neither SDN.Audit nor SDN.Use.
	hides bool
}

// A nodeNetwork is /etc/network/interfaces of a node, and interfaces.new.
type nodeNetwork struct {
	active, staged map[string]Interface
	reloads        int
}

// An Interface is one interface in /etc/network/interfaces, by the keys of the API.
type Interface map[string]string

// ServeNetworks puts network configurations in front of the simulator. Every node has the NICs eno1, enp2s0 and enp3s0, and bridge vmbr0 on the first.
// Call it before anything connects.
func (b *Bench) ServeNetworks(nodes ...string) (*Networks, error) {
	to, err := url.Parse(b.Simulator.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("cannot read the simulator's address: %w", err)
	}

	n := &Networks{proxy: httputil.NewSingleHostReverseProxy(to), nodes: map[string]*nodeNetwork{}, pools: map[string]string{}, members: map[string]bool{}}
	n.proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // The simulator's own certificate.

	for _, name := range nodes {
		n.nodes[name] = &nodeNetwork{active: map[string]Interface{
			"eno1": {"type": "eth", "method": "manual"}, "enp2s0": {"type": "eth", "method": "manual"}, "enp3s0": {"type": "eth", "method": "manual"},
			"vmbr0": {"type": "bridge", "method": "static", "autostart": "1", "bridge_ports": "eno1", "cidr": "192.168.4.2/24", "gateway": "192.168.4.1"},
		}}
	}

	n.server = httptest.NewTLSServer(n)
	b.conn.Endpoint = n.server.URL + "/"

	return n, nil
}

// Close ends it, and says which of the plugin's calls to it the table of privileges lacks.
func (n *Networks) Close() error {
	n.server.Close()

	if unknown := withoutRow(n.requests, nil); len(unknown) > 0 {
		return fmt.Errorf("the plugin made calls that internal/privilege/calls.go has no row for:\n%s", strings.Join(unknown, "\n"))
	}

	return nil
}

// Get a copy of an interface, as the running node has it; nil where there is none.
func (n *Networks) Get(node, name string) Interface {
	n.mu.Lock()
	defer n.mu.Unlock()

	return maps.Clone(n.nodes[node].active[name])
}

// Touch the configuration of a node by hand, and apply it.
func (n *Networks) Touch(node string, how func(map[string]Interface)) {
	n.mu.Lock()
	defer n.mu.Unlock()

	how(n.nodes[node].active)
}

// Stage a change of a node's configuration by hand, and do not apply it.
func (n *Networks) Stage(node string, how func(map[string]Interface)) {
	n.mu.Lock()
	defer n.mu.Unlock()

	how(n.nodes[node].stage())
}

// Pool is the comment of a pool, and whether there is one.
func (n *Networks) Pool(name string) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()

	c, ok := n.pools[name]

	return c, ok
}

// SetPool makes or changes a pool by hand.
func (n *Networks) SetPool(name, comment string, hasMembers bool) {
	n.mu.Lock()
	defer n.mu.Unlock()

	n.pools[name], n.members[name] = comment, hasMembers
}

// Fail lets writes of interfaces, and reloads, fail from now on; an empty text lets them through.
func (n *Networks) Fail(writes, reloads string) {
	n.mu.Lock()
	defer n.mu.Unlock()

	n.refuse, n.breaks = writes, reloads
}

// Hide the bridges from the token.
func (n *Networks) Hide(bridges bool) {
	n.mu.Lock()
	defer n.mu.Unlock()

	n.hides = bridges
}

// Writes are the requests that were not reads, one in a line, and forgets all requests but for the table of privileges.
func (n *Networks) Writes() string {
	n.mu.Lock()
	defer n.mu.Unlock()

	var out []string

	for i, q := range n.requests {
		if q.Method != http.MethodGet && q.Params != nil {
			out = append(out, strings.TrimSpace(q.Method+" "+q.Path+" "+url.Values(q.Params).Encode()))
		}

		n.requests[i].Params = nil
	}

	return strings.Join(out, "\n")
}

var (
	networkPath = regexp.MustCompile(`^/nodes/([^/]+)/network(?:/([^/]+))?$`)
	networkTask = regexp.MustCompile(`^/nodes/[^/]+/tasks/UPID:[^/]*:srvreload:[^/]*/(status|log)$`)
)

// ServeHTTP answers what is about networks and pools, and passes on the rest.
func (n *Networks) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/api2/json"))
	if err != nil {
		fails(w, err.Error())
		return
	}

	task, network := networkTask.FindStringSubmatch(path), networkPath.FindStringSubmatch(path)
	if task == nil && network == nil && path != "/pools" {
		n.proxy.ServeHTTP(w, r)
		return
	}

	params, err := paramsOf(r)
	if err != nil {
		fails(w, err.Error())
		return
	}

	n.mu.Lock()
	defer n.mu.Unlock()

	if task != nil {
		n.task(w, task[1])
		return
	}

	n.requests = append(n.requests, Request{Method: r.Method, Path: path, Params: params})

	if path == "/pools" {
		n.pool(w, r.Method, params)
		return
	}

	has, ok := n.nodes[network[1]]
	if !ok {
		fails(w, "hostname lookup '"+network[1]+"' failed")
		return
	}

	n.serve(w, r.Method, network[1], has, network[2], params)
}

func (n *Networks) task(w http.ResponseWriter, what string) {
	switch {
	case what == "log":
		answer(w, []any{})
	case n.breaks != "":
		answer(w, map[string]any{"status": "stopped", "exitstatus": n.breaks})
	default:
		answer(w, map[string]any{"status": "stopped", "exitstatus": "OK"})
	}
}

func (n *Networks) serve(w http.ResponseWriter, method, node string, has *nodeNetwork, name string, params url.Values) {
	switch {
	case method == http.MethodGet && name == "":
		answer(w, n.list(has))
	case method == http.MethodPut && name == "":
		has.reloads++

		if has.staged != nil {
			has.active, has.staged = has.staged, nil
		}

		answer(w, "UPID:"+node+":00001234:0000ABCD:6790C000:srvreload:networking:test@pve!crossplane:")
	case n.refuse != "":
		fails(w, n.refuse)
	case method == http.MethodPost && name == "":
		name = params.Get("iface")
		if _, ok := has.now()[name]; ok {
			refuses(w, "iface", "interface already exists")
			return
		}

		write(w, has, name, Interface{}, params)
	case has.now()[name] == nil:
		refuses(w, "iface", "interface does not exist")
	case method == http.MethodPut:
		write(w, has, name, maps.Clone(has.now()[name]), params)
	case method == http.MethodDelete:
		delete(has.stage(), name)
		answer(w, nil)
	default:
		fails(w, "Method '"+method+"' not implemented")
	}
}

// now is the configuration as every call sees it: what is staged, if anything is.
func (n *nodeNetwork) now() map[string]Interface {
	if n.staged != nil {
		return n.staged
	}

	return n.active
}

// stage is the configuration that a write changes.
func (n *nodeNetwork) stage() map[string]Interface {
	if n.staged == nil {
		n.staged = map[string]Interface{}
		for name, i := range n.active {
			n.staged[name] = maps.Clone(i)
		}
	}

	return n.staged
}

// write parameters over an interface. What is not among them stays, unless it is to be deleted.
func write(w http.ResponseWriter, has *nodeNetwork, name string, i Interface, params url.Values) {
	ports := strings.Fields(params.Get("bridge_ports"))

	for other, o := range has.now() {
		if p := strings.Fields(o["bridge_ports"] + " " + o["slaves"]); other != name && slices.ContainsFunc(ports, func(port string) bool { return slices.Contains(p, port) }) {
			refuses(w, "bridge_ports", ports[0]+" is already used on interface '"+other+"'.")
			return
		}

		if other != name && params.Get("gateway") != "" && o["gateway"] != "" {
			refuses(w, "gateway", "Default gateway already exists on interface '"+other+"'.")
			return
		}
	}

	for k := range strings.SplitSeq(params.Get("delete"), ",") {
		delete(i, k)
	}

	for k := range params {
		if k != "iface" && k != "delete" {
			i[k] = params.Get(k)
		}
	}

	i["method"] = "manual"
	if params.Get("cidr") != "" {
		i["method"] = "static"
	}

	if i["comments"] != "" {
		i["comments"] = strings.TrimRight(i["comments"], "\n") + "\n"
	}

	if i["bridge_vlan_aware"] == "1" && i["bridge_vids"] == "" {
		i["bridge_vids"] = "2-4094"
	}

	if device, tag, ok := strings.Cut(name, "."); ok && i["type"] == "vlan" {
		i["vlan-raw-device"], i["vlan-id"] = device, tag
	}

	has.stage()[name] = i

	answer(w, nil)
}

// list is the configuration as it is read.
func (n *Networks) list(has *nodeNetwork) []any {
	var out []any

	for priority, name := range slices.Sorted(maps.Keys(has.now())) {
		i := has.now()[name]
		if n.hides && i["type"] == "bridge" {
			continue
		}

		o := map[string]any{"iface": name, "priority": priority + 2}

		for k, v := range i {
			o[k] = v

			if k == "autostart" || k == "bridge_vlan_aware" {
				o[k] = 1
			}
		}

		if i["autostart"] == "0" {
			delete(o, "autostart")
		}

		if address, prefix, ok := strings.Cut(i["cidr"], "/"); ok {
			o["address"], o["netmask"] = address, prefix
		}

		out = append(out, o)
	}

	return out
}

// pool answers a call about pools.
func (n *Networks) pool(w http.ResponseWriter, method string, params url.Values) {
	name := params.Get("poolid")
	comment, ok := n.pools[name]

	switch {
	case method == http.MethodGet && name == "":
		out := []any{}
		for _, p := range slices.Sorted(maps.Keys(n.pools)) {
			out = append(out, map[string]any{"poolid": p, "comment": n.pools[p]})
		}

		answer(w, out)
	case method == http.MethodPost && ok:
		fails(w, "create pool failed: pool '"+name+"' already exists")
	case method == http.MethodPost:
		n.pools[name] = params.Get("comment")
		answer(w, nil)
	case !ok:
		fails(w, "pool '"+name+"' does not exist")
	case method == http.MethodGet:
		answer(w, []any{map[string]any{"poolid": name, "comment": comment, "members": []any{}}})
	case method == http.MethodPut:
		n.pools[name] = params.Get("comment")
		answer(w, nil)
	case n.members[name]:
		fails(w, "delete pool failed: pool '"+name+"' is not empty (contains VM 100)")
	default:
		delete(n.pools, name)
		answer(w, nil)
	}
}

// refuses a parameter as Proxmox does.
func refuses(w http.ResponseWriter, param, why string) {
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(http.StatusBadRequest)
	_ = json.NewEncoder(w).Encode(map[string]any{"data": nil, "message": "Parameter verification failed.\n", "errors": map[string]string{param: why}})
}
