package provider

import (
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

// Containers are LXC containers, in front of a simulator that has none. They have the API of pve-container as far as the plugin calls it:
// src/PVE/API2/LXC.pm, src/PVE/API2/LXC/Config.pm and src/PVE/API2/LXC/Status.pm. What of a change a running container has at once, and what it has
// after a restart, is not told apart: GET of a configuration has what is pending, too.
type Containers struct {
	simulator *Simulator
	server    *httptest.Server
	proxy     http.Handler

	mu         sync.Mutex
	containers map[int]*LXC
	requests   []Request
	volumes    int
	// refuse is what a write of a configuration is answered with; empty where it goes through.
	refuse string
}

// An LXC is one container.
type LXC struct {
	Node    string
	Running bool
	// Config by key, as Proxmox stores it.
	Config map[string]string
	// Starts and stops so far; a restart is one of each.
	Starts, Stops int
}

// ServeContainers puts containers in front of the simulator. Call it before anything connects.
func (b *Bench) ServeContainers() (*Containers, error) {
	proxy, err := proxyTo(b.Simulator.Endpoint)
	if err != nil {
		return nil, err
	}

	c := &Containers{simulator: b.Simulator, proxy: proxy, containers: map[int]*LXC{}}
	c.server = httptest.NewTLSServer(c)
	b.conn.Endpoint = c.server.URL + "/"

	return c, nil
}

// Close ends it, and says which of the plugin's calls to it the table of privileges lacks.
func (c *Containers) Close() error {
	c.server.Close()

	return haveRows(c.requests, nil)
}

// Add a container by hand.
func (c *Containers) Add(id int, l LXC) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.containers[id] = &l
}

// Get a copy of a container; nil where there is none.
func (c *Containers) Get(id int) *LXC {
	c.mu.Lock()
	defer c.mu.Unlock()

	l, ok := c.containers[id]
	if !ok {
		return nil
	}

	out := *l
	out.Config = maps.Clone(l.Config)

	return &out
}

// Touch a container by hand.
func (c *Containers) Touch(id int, how func(*LXC)) {
	c.mu.Lock()
	defer c.mu.Unlock()

	how(c.containers[id])
}

// Refuse writes of configurations; an empty reason lets them through again.
func (c *Containers) Refuse(reason string) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.refuse = reason
}

// Remove a container by hand.
func (c *Containers) Remove(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()

	delete(c.containers, id)
}

// Writes are the requests that were not reads, one in a line, and forgets all requests but for the table of privileges.
func (c *Containers) Writes() string {
	c.mu.Lock()
	defer c.mu.Unlock()

	var out []string

	for i, q := range c.requests {
		if q.Method != http.MethodGet && q.Params != nil {
			out = append(out, q.Method+" "+q.Path+" "+url.Values(q.Params).Encode())
		}

		c.requests[i].Params = nil
	}

	return strings.Join(out, "\n")
}

var (
	vmsPath = regexp.MustCompile(`^/nodes/[^/]+/qemu$`)
	lxcPath = regexp.MustCompile(`^/nodes/([^/]+)/lxc(?:/(\d+)(/.*)?)?$`)
	lxcTask = regexp.MustCompile(`^/nodes/[^/]+/tasks/UPID:[^/]*:vz[a-z]+:[^/]*/(status|log)$`)
)

// ServeHTTP answers what is about containers, and passes on the rest.
func (c *Containers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/api2/json"))
	if err != nil {
		fails(w, err.Error())
		return
	}

	if m := lxcTask.FindStringSubmatch(path); m != nil {
		if m[1] == "log" {
			answer(w, []any{})
		} else {
			answer(w, map[string]any{"status": "stopped", "exitstatus": "OK"})
		}

		return
	}

	m := lxcPath.FindStringSubmatch(path)
	createsVM := r.Method == http.MethodPost && vmsPath.MatchString(path)

	// The firewalls behind these containers answer for them.
	if m == nil && !createsVM || firewallPath.MatchString("/api2/json"+path) {
		c.proxy.ServeHTTP(w, r)
		return
	}

	params, err := paramsOf(r)
	if err != nil {
		fails(w, err.Error())
		return
	}

	if createsVM {
		// PVE::API2::Qemu: VMs and containers share VMIDs.
		id, _ := strconv.Atoi(params.Get("vmid"))

		if l := c.Get(id); l != nil {
			fails(w, fmt.Sprintf("unable to create VM %d - CT %d already exists on node '%s'", id, id, l.Node))
			return
		}

		c.proxy.ServeHTTP(w, r)

		return
	}

	c.mu.Lock()
	defer c.mu.Unlock()

	c.requests = append(c.requests, Request{Method: r.Method, Path: path, Params: params})

	if m[2] == "" {
		c.create(w, r, m[1], params)
		return
	}

	id, _ := strconv.Atoi(m[2]) // They are digits.

	l, ok := c.containers[id]
	if !ok || l.Node != m[1] {
		fails(w, fmt.Sprintf("Configuration file 'nodes/%s/lxc/%d.conf' does not exist", m[1], id))
		return
	}

	c.serve(w, r.Method+" "+m[3], id, l, params)
}

func (c *Containers) serve(w http.ResponseWriter, call string, id int, l *LXC, params url.Values) {
	switch call {
	case "GET /config":
		answer(w, c.config(l))
	case "PUT /config":
		if c.refuse != "" {
			fails(w, c.refuse)
			return
		}

		c.write(id, l, params)
		answer(w, nil)
	case "PUT /resize":
		l.Config["rootfs"] = withOption(l.Config["rootfs"], "size", params.Get("size"))
		answer(w, upid(l.Node, "resize", id))
	case "GET /status/current":
		status := "stopped"
		if l.Running {
			status = "running"
		}

		answer(w, map[string]any{"status": status, "vmid": id, "name": l.Config["hostname"]})
	case "POST /status/start":
		l.Starts++
		l.Running = true
		answer(w, upid(l.Node, "start", id))
	case "POST /status/shutdown", "POST /status/stop":
		l.Stops++
		l.Running = false
		answer(w, upid(l.Node, "shutdown", id))
	case "POST /status/reboot":
		l.Stops++
		l.Starts++
		answer(w, upid(l.Node, "reboot", id))
	case "GET /interfaces":
		answer(w, interfaces(l))
	case "DELETE ":
		delete(c.containers, id)
		c.simulator.firewalls.drop(id)
		answer(w, upid(l.Node, "destroy", id))
	default:
		fails(w, "Method '"+call+"' not implemented")
	}
}

// create a container. VMs and containers share VMIDs.
func (c *Containers) create(w http.ResponseWriter, r *http.Request, node string, params url.Values) {
	if r.Method != http.MethodPost {
		fails(w, "Method not implemented")
		return
	}

	id, _ := strconv.Atoi(params.Get("vmid"))

	if l, ok := c.containers[id]; ok {
		fails(w, fmt.Sprintf("CT %d already exists on node '%s'", id, l.Node))
		return
	}

	s, err := c.simulator.State(r.Context())
	if vm, ok := s.VMs[strconv.Itoa(id)]; ok || err != nil {
		fails(w, fmt.Sprintf("VM %d already exists on node '%s'", id, vm.Node))
		return
	}

	if _, ok := s.Volumes[params.Get("ostemplate")]; !ok {
		t := params.Get("ostemplate")
		fails(w, fmt.Sprintf("unable to create CT %d - volume '%s' does not exist", id, t))
		return
	}

	l := &LXC{Node: node, Config: map[string]string{"ostype": "debian", "arch": "amd64"}}

	if params.Get("rootfs") == "" {
		params.Set("rootfs", params.Get("storage")+":4")
	}

	c.write(id, l, params)
	c.containers[id] = l

	if params.Get("start") == "1" {
		l.Running = true
		l.Starts++
	}

	answer(w, upid(node, "create", id))
}

// write parameters into a configuration.
func (c *Containers) write(id int, l *LXC, params url.Values) {
	for _, k := range slices.Sorted(maps.Keys(params)) {
		v := params.Get(k)

		switch {
		case slices.Contains([]string{"vmid", "ostemplate", "start", "storage", "pool", "ssh-public-keys", "delete", "password", "force"}, k):
			continue
		case k == "rootfs" || strings.HasPrefix(k, "mp"):
			v = c.volume(id, v)
		case strings.HasPrefix(k, "net"):
			v = network(v, l.Config[k], id, strings.TrimPrefix(k, "net"))
		case k == "description":
			v = strings.TrimSpace(v) + "\n"
		}

		l.Config[k] = v
	}

	for k := range strings.SplitSeq(params.Get("delete"), ",") {
		delete(l.Config, k)
	}
}

// volume allocates what is asked for as storage:GiB. As Proxmox stores it, the volume comes first, without its name.
func (c *Containers) volume(id int, v string) string {
	name, options := "", []string{}

	for o := range strings.SplitSeq(v, ",") {
		key, value, named := strings.Cut(o, "=")

		switch {
		case !named:
			name = o
		case key == "volume":
			name = value
		default:
			options = append(options, o)
		}
	}

	out := strings.Join(append([]string{name}, options...), ",")

	storage, gib, _ := strings.Cut(name, ":")
	if _, err := strconv.Atoi(gib); err != nil {
		return out
	}

	c.volumes++
	out = strings.Join(append([]string{fmt.Sprintf("%s:vm-%d-disk-%d", storage, id, c.volumes)}, options...), ",")

	return withOption(out, "size", gib+"G")
}

// network keeps the MAC address that an interface has, or makes one up.
func network(v, before string, id int, place string) string {
	if option(v, "hwaddr") == "" {
		mac := option(before, "hwaddr")
		if mac == "" {
			mac = fmt.Sprintf("BC:24:11:0%s:%02X:%02X", place, id/256%256, id%256)
		}

		v = withOption(v, "hwaddr", mac)
	}

	return withOption(v, "type", "veth")
}

// option of a property string.
func option(v, name string) string {
	for o := range strings.SplitSeq(v, ",") {
		if value, ok := strings.CutPrefix(o, name+"="); ok {
			return value
		}
	}

	return ""
}

// withOption sets an option of a property string.
func withOption(v, name, value string) string {
	options := slices.DeleteFunc(strings.Split(v, ","), func(o string) bool { return strings.HasPrefix(o, name+"=") })

	return strings.Join(append(options, name+"="+value), ",")
}

// config as it is read: whole numbers are numbers.
func (c *Containers) config(l *LXC) map[string]any {
	out := map[string]any{"digest": "0123456789abcdef0123456789abcdef01234567"}

	for k, v := range l.Config {
		out[k] = v

		if n, err := strconv.Atoi(v); err == nil && k != "description" && k != "hostname" && k != "tags" {
			out[k] = n
		}
	}

	return out
}

// interfaces of a container, with an address on each.
func interfaces(l *LXC) []any {
	out := []any{map[string]any{"name": "lo", "hardware-address": "00:00:00:00:00:00"}}

	for i, k := range slices.Sorted(maps.Keys(l.Config)) {
		if !strings.HasPrefix(k, "net") {
			continue
		}

		ip, _, _ := strings.Cut(option(l.Config[k], "ip"), "/")
		if ip == "" || ip == "dhcp" {
			ip = "192.168.4." + strconv.Itoa(100+i)
		}

		out = append(out, map[string]any{
			"name": option(l.Config[k], "name"), "hardware-address": option(l.Config[k], "hwaddr"),
			"ip-addresses": []any{map[string]any{"ip-address": ip, "prefix": 24, "ip-address-type": "inet"}},
		})
	}

	return out
}

func upid(node, what string, id int) string {
	return fmt.Sprintf("UPID:%s:00001234:0000ABCD:6790C000:vz%s:%d:test@pve!crossplane:", node, what, id)
}
