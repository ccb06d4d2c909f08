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
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/homelab-io/function-proxmox-machine/internal/privilege"
)

// Grants are the privileges of a token by paths of access control, which have those of everything below them up to a nearer path (pve-access-control 5ccd07d:
// src/PVE/AccessControl.pm, roles).
type Grants map[string][]string

// at are the privileges at a path.
func (g Grants) at(path string) []string {
	for path != "" {
		if p, ok := g[path]; ok {
			return p
		}

		path = path[:strings.LastIndexByte(path, '/')]
	}

	return g["/"]
}

// Without a privilege at a path.
func (g Grants) Without(path, name string) Grants {
	out := maps.Clone(g)
	out[path] = slices.DeleteFunc(slices.Clone(g[path]), func(p string) bool { return p == name })

	return out
}

// An Access is what a token may do, and which VMs are in which pool: a VM has the privileges of its pool beside its own (src/PVE/RPCEnvironment.pm,
// compile_acl_path).
type Access struct {
	Grants Grants
	pools  map[int]string
}

func (a Access) has(path, name string) bool {
	if slices.Contains(a.Grants.at(path), name) {
		return true
	}

	id, isVM := strings.CutPrefix(path, "/vms/")
	pool := a.pools[number(id)]

	return isVM && pool != "" && slices.Contains(a.Grants.at("/pool/"+pool), name)
}

// Refuses a request, with Proxmox's words; empty where it does not. It takes what the table of privileges says of the call, at the paths, and for the options,
// that the request names.
func (a Access) Refuses(r Request) string {
	call, _ := privilege.Find(r.Method, r.Path)

	for _, n := range call.Needs {
		if n.Before != 0 || !slices.Contains([]privilege.Use{privilege.UseAlways, privilege.UseVolumes, privilege.UseSnippets, privilege.UsePools}, n.Use) {
			continue
		}

		for _, name := range n.Privileges {
			for _, paths := range pathsOf(n.Place, r, name) {
				if !slices.ContainsFunc(paths, func(path string) bool { return a.has(path, name) }) {
					return fmt.Sprintf("Permission check failed (%s, %s)", paths[0], name)
				}
			}
		}
	}

	return ""
}

// done says what a request that went through changed.
func (a Access) done(r Request) {
	form := url.Values(r.Params)

	switch {
	case r.Method == http.MethodPost && createPath.MatchString(r.Path):
		a.pools[number(form.Get("vmid"))] = form.Get("pool")
	case r.Method == http.MethodPut && r.Path == "/pools":
		a.pools[number(form.Get("vms"))] = form.Get("poolid")
		if form.Get("delete") == "1" {
			delete(a.pools, number(form.Get("vms")))
		}
	case r.Method == http.MethodDelete && destroyPath.MatchString("/api2/json"+r.Path):
		delete(a.pools, number(destroyPath.FindStringSubmatch("/api2/json" + r.Path)[1]))
	}
}

var (
	createPath  = regexp.MustCompile(`^/nodes/[^/]+/qemu$`)
	idPath      = regexp.MustCompile(`/qemu/([0-9]+)|vm-([0-9]+)-`)
	storagePath = regexp.MustCompile(`/storage/([^/]+)`)
	newDisk     = regexp.MustCompile(`^(?:file=)?([^/:,]+):[0-9.]+(?:,|$)`)
	importFrom  = regexp.MustCompile(`import-from=([^/:,]+):`)
	bridgeOf    = regexp.MustCompile(`bridge=([^,]+)`)
	tagOf       = regexp.MustCompile(`(?:^|,)tag=([0-9]+)`)
	ofOption    = regexp.MustCompile(`^([a-z]+)([0-9]*)$`)
)

// optionsOf are the options that take a privilege, without the numbers of devices (qemu-server: src/PVE/API2/Qemu.pm, check_vm_modify_config_perm).
var optionsOf = map[string][]string{
	"VM.Config.CPU":       {"cores", "cpu", "cpulimit", "cpuunits", "numa", "sockets"},
	"VM.Config.Memory":    {"memory", "balloon", "shares"},
	"VM.Config.HWType":    {"machine", "scsihw", "smbios", "vga", "hotplug", "tablet", "acpi", "rng", "serial"},
	"VM.Config.Options":   {"name", "description", "tags", "agent", "bios", "onboot", "ostype", "protection", "startup", "keyboard", "kvm"},
	"VM.Config.Disk":      {"boot", "scsi", "virtio", "sata", "efidisk", "tpmstate"},
	"VM.Config.CDROM":     {"ide"},
	"VM.Config.Cloudinit": {"cicustom", "ciuser", "cipassword", "citype", "ciupgrade", "sshkeys", "nameserver", "searchdomain", "ipconfig"},
	"VM.Config.Network":   {"net"},
}

// takes says whether a request writes an option that takes a privilege; those of other calls are the call's.
func takes(r Request, name string) bool {
	options, ok := optionsOf[name]
	if !ok || !createPath.MatchString(r.Path) && !strings.HasSuffix(r.Path, "/config") {
		return true
	}

	written := slices.AppendSeq(strings.Split(url.Values(r.Params).Get("delete"), ","), maps.Keys(r.Params))

	return slices.ContainsFunc(written, func(key string) bool {
		m := ofOption.FindStringSubmatch(key)
		return m != nil && slices.Contains(options, m[1])
	})
}

// pathsOf a place that a request names: of each list, the privilege has to be at one of the paths.
func pathsOf(place privilege.Place, r Request, name string) (out [][]string) {
	form := url.Values(r.Params)

	switch place {
	case privilege.PlaceVMs:
		id := form.Get("vmid") + form.Get("vms")
		if m := idPath.FindStringSubmatch(r.Path); m != nil {
			id = m[1] + m[2]
		}

		if id == "" || !takes(r, name) {
			return nil
		}

		paths := []string{"/vms/" + id}
		if pool := form.Get("pool"); pool != "" {
			paths = append(paths, "/pool/"+pool)
		}

		return [][]string{paths}
	case privilege.PlacePool:
		if pool := form.Get("poolid"); pool != "" {
			return [][]string{{"/pool/" + pool}}
		}
	case privilege.PlaceDisks, privilege.PlaceFiles:
		if m := storagePath.FindStringSubmatch(r.Path); m != nil {
			return [][]string{{"/storage/" + m[1]}}
		}

		of := newDisk
		if place == privilege.PlaceFiles {
			of = importFrom
		}

		for _, m := range inValues(form, of) {
			out = append(out, []string{"/storage/" + m[1]})
		}
	case privilege.PlaceNetwork:
		for _, m := range inValues(form, bridgeOf) {
			path := "/sdn/zones/localnetwork/" + m[1]
			if tag := tagOf.FindStringSubmatch(m[0]); tag != nil {
				path += "/" + tag[1]
			}

			out = append(out, []string{path})
		}
	case privilege.PlaceNodes, privilege.PlaceMapping, privilege.PlaceRoot:
	}

	return out
}

// inValues finds a pattern in the values of a form, in the order of its keys; the first part of a match is the whole value.
func inValues(form url.Values, of *regexp.Regexp) (out [][]string) {
	for _, key := range slices.Sorted(maps.Keys(form)) {
		if m := of.FindStringSubmatch(form.Get(key)); m != nil {
			out = append(out, append([]string{form.Get(key)}, m[1:]...))
		}
	}

	return out
}

// ACLs are the access control of a token, in front of a simulator whose token may do everything.
type ACLs struct {
	server *httptest.Server
	proxy  http.Handler

	mu       sync.Mutex
	access   Access
	requests []Request
	refused  []string
}

// ServeACLs puts access control in front of the simulator. Call it before anything connects.
func (b *Bench) ServeACLs(g Grants) (*ACLs, error) {
	proxy, err := proxyTo(b.Simulator.Endpoint)
	if err != nil {
		return nil, err
	}

	a := &ACLs{proxy: proxy, access: Access{Grants: g, pools: map[int]string{}}}
	a.server = httptest.NewTLSServer(a)
	b.conn.Endpoint = a.server.URL + "/"

	return a, nil
}

// Requests are those that the token made so far, and what of them was refused.
func (a *ACLs) Requests() (made []Request, refused []string) {
	a.mu.Lock()
	defer a.mu.Unlock()

	return slices.Clone(a.requests), slices.Clone(a.refused)
}

// Put a VM into a pool by hand, as far as access is concerned.
func (a *ACLs) Put(id int, pool string) {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.access.pools[id] = pool
}

// ServeHTTP refuses a call, or passes it on.
func (a *ACLs) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // What is cut off is no form.
	r.Body = io.NopCloser(bytes.NewReader(body))

	form, _ := url.ParseQuery(string(body))
	maps.Copy(form, r.URL.Query())

	q := Request{Method: r.Method, Path: strings.TrimSuffix(strings.TrimPrefix(r.URL.Path, "/api2/json"), "/"), Params: form}

	a.mu.Lock()
	defer a.mu.Unlock()

	a.requests = append(a.requests, q)

	if why := a.access.Refuses(q); why != "" {
		a.refused = append(a.refused, q.Method+" "+q.Path+": "+why)

		w.WriteHeader(http.StatusForbidden)
		_ = json.NewEncoder(w).Encode(map[string]any{"data": nil, "message": why + "\n"}) // Whoever asked is gone.

		return
	}

	answer := httptest.NewRecorder()
	a.proxy.ServeHTTP(answer, r)

	if answer.Code < http.StatusBadRequest {
		a.access.done(q)
	}

	out := answer.Body.Bytes()
	if q.Method == http.MethodGet && (q.Path == "/cluster/resources" || q.Path == "/pools") {
		out = a.access.visible(out)
	}

	maps.Copy(w.Header(), answer.Header())
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.WriteHeader(answer.Code)
	_, _ = w.Write(out) // Whoever asked is gone.
}

// visible is a list of VMs or pools without those that the token may not see (pve-manager: PVE/API2/Cluster.pm, PVE/API2/Pool.pm).
func (a Access) visible(list []byte) []byte {
	answer := struct {
		Data []map[string]any `json:"data"`
	}{}
	if err := json.Unmarshal(list, &answer); err != nil {
		return list
	}

	answer.Data = slices.DeleteFunc(answer.Data, func(e map[string]any) bool {
		if id, isVM := e["vmid"].(float64); isVM {
			return !a.has("/vms/"+strconv.Itoa(int(id)), "VM.Audit")
		}

		pool, isPool := e["poolid"].(string)

		return isPool && !a.has("/pool/"+pool, "Pool.Audit")
	})

	out, err := json.Marshal(answer)
	if err != nil {
		return list
	}

	return out
}

// Close ends it, and says which of the plugin's calls to it the table of privileges lacks.
func (a *ACLs) Close() error {
	a.server.Close()

	return haveRows(a.requests, nil)
}
