package standin

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A Container is an LXC container as Proxmox has it.
type Container struct {
	ID   int
	Node string
	// Config has the fields of an EnvironmentContainer as the provider reads them, with plain texts.
	Config  values
	Started bool
}

// containers are EnvironmentContainers. What the plugin does is in proxmoxtf/resource/container/container.go of bpg/terraform-provider-proxmox
// v0.111.1; the fields of the status are those that it has on the simulator of test/provider.
type containers struct{}

// The defaults of the plugin's schema, for the elements of each list. What it reads itself, where nobody said it, is not among them.
var containerDefaults = map[string]values{
	"console": {"enabled": true, "ttyCount": int64(2), "type": "tty"},
	"cpu":     {"architecture": "amd64", "cores": int64(1), "limit": int64(0)},
	"devicePassthrough": {
		"denyWrite": false, "gid": int64(0), "mode": "0660", "uid": int64(0),
	},
	"disk":           {"acl": false, "datastoreId": "local", "quota": false, "replicate": false, "size": int64(4)},
	"features":       {"fuse": false, "keyctl": false, "mknod": false, "nesting": false},
	"initialization": {"entrypoint": "", "hostname": ""},
	"memory":         {"dedicated": int64(512), "swap": int64(0)},
	"mountPoint": {
		"acl": false, "backup": false, "quota": false, "readOnly": false, "replicate": true, "shared": false, "size": "",
	},
	"networkInterface": {
		"bridge": "vmbr0", "enabled": true, "firewall": false, "hostManaged": false, "mtu": int64(0), "rateLimit": int64(0), "vlanId": int64(0),
	},
	"operatingSystem": {"type": "unmanaged"},
	"startup":         {"downDelay": int64(-1), "order": int64(-1), "upDelay": int64(-1)},
}

// restarts are the fields after whose change the plugin restarts a container that is to run.
var restarts = []string{
	"console", "devicePassthrough", "environmentVariables", "idmap", "initialization", "memory", "mountPoint", "networkInterface", "operatingSystem",
}

// wanted is the configuration that is asked for, with the plugin's defaults. A list that is left out is to be empty, but for those that the plugin
// leaves as they are.
func (containers) wanted(r request) values {
	out := values{
		"description": "", "hookScriptFileId": "", "protection": false, "startOnBoot": true, "template": false, "unprivileged": false,
		"devicePassthrough": []any{}, "idmap": []any{}, "mountPoint": []any{}, "networkInterface": []any{}, "startup": []any{},
	}
	maps.Copy(out, r.fields.clone())
	maps.DeleteFunc(out, func(name string, _ any) bool {
		return slices.Contains([]string{"vmId", "nodeName", "started", "poolId", "clone", "waitForIp"}, name) || strings.HasPrefix(name, "timeout")
	})

	for name, defaults := range containerDefaults {
		for _, e := range items(out[name]) {
			fill(object(e), defaults)
		}
	}

	for _, c := range items(block(out["initialization"])["ipConfig"]) {
		for _, family := range []string{"ipv4", "ipv6"} {
			for _, e := range items(object(c)[family]) {
				fill(object(e), values{"address": "", "gateway": ""})
			}
		}
	}

	if d := strings.TrimSpace(text(out["description"])); d != "" {
		out["description"] = d + "\n"
	}

	if tags := items(out["tags"]); tags != nil {
		slices.SortFunc(tags, func(a, b any) int { return strings.Compare(text(a), text(b)) })
	}

	return out
}

// fill what is missing of an object.
func fill(to map[string]any, defaults values) {
	for name, v := range defaults {
		if _, ok := to[name]; !ok && to != nil {
			to[name] = v
		}
	}
}

// find a container. The plugin asks the node of the claim, so that a container on another node is not there for it.
func (containers) find(r request) *Container {
	id, err := strconv.Atoi(r.id)
	if err != nil {
		return nil
	}

	node := text(r.fields["nodeName"])
	if r.anywhere {
		node = r.node
	}

	if c := r.world.containers[id]; c != nil && c.Node == node {
		return c
	}

	return nil
}

func (ct containers) look(r request) values {
	c := ct.find(r)
	if c == nil {
		return nil
	}

	out := c.Config.clone()
	out["id"], out["nodeName"], out["started"] = strconv.Itoa(c.ID), c.Node, c.Started

	v4 := map[string]any{}

	for i, n := range items(c.Config["networkInterface"]) {
		if c.Started {
			v4[text(object(n)["name"])] = c.address(i)
		}
	}

	out["ipv4"], out["ipv6"] = v4, map[string]any{}

	if r.anywhere {
		// An import knows nothing but what Proxmox says.
		if os := block(out["operatingSystem"]); os != nil {
			os["templateFileId"] = ""
		}

		return out
	}

	state := ct.state(r)
	out["vmId"], out["timeoutCreate"], out["timeoutDelete"] = int64(c.ID), int64(1800), int64(60)

	if state.pool != "" {
		out["poolId"] = state.pool
	}

	if os := block(out["operatingSystem"]); os != nil {
		os["templateFileId"] = state.template
	}

	if init := block(out["initialization"]); init != nil && state.accounts != nil {
		init["userAccount"] = state.accounts
	}

	return out
}

// An unreadState is what Terraform remembers of a container, because the plugin does not read it.
type unreadState struct {
	template, pool string
	accounts       []any
}

func asksFor(r request) unreadState {
	return unreadState{
		template: text(block(r.fields["operatingSystem"])["templateFileId"]), pool: text(r.fields["poolId"]),
		accounts: items(block(r.fields["initialization"])["userAccount"]),
	}
}

// state of Terraform: what was asked for first.
func (containers) state(r request) unreadState {
	if _, ok := r.world.unread[r.uid]; !ok {
		r.world.unread[r.uid] = asksFor(r)
	}

	return r.world.unread[r.uid]
}

// address of an interface: the one that Proxmox configures, or one that a DHCP server made up.
func (c *Container) address(i int) string {
	if configs := items(block(c.Config["initialization"])["ipConfig"]); i < len(configs) {
		if ip, _, ok := strings.Cut(text(block(object(configs[i])["ipv4"])["address"]), "/"); ok {
			return ip
		}
	}

	return fmt.Sprintf("192.0.2.%d", c.ID%250+1)
}

// hangs: no look at a container waits longer than ten seconds.
func (containers) hangs(request) bool { return false }

// begin to create. Proxmox refuses a VMID that is taken with HTTP 500, the plugin asks once more, and takes "already exists" for its own success. Then
// it waits for the container, on the node of the claim: one that is there is taken over, and anything else is waited for in vain.
func (ct containers) begin(r request) (string, error) {
	w, node, id := r.world, text(r.fields["nodeName"]), number(r.fields["vmId"])
	if err := w.reachable(node); err != nil {
		return "", err
	}

	name := strconv.Itoa(id)
	other, taken := w.containers[id]

	switch {
	case taken && other.Node == node:
		w.note("take over container %d", id)

		return name, nil
	case taken, w.vms[id] != nil:
		return "", endedError{fmt.Errorf("timeout while waiting for container %d configuration to become unlocked", id)}
	}

	template := text(block(r.fields["operatingSystem"])["templateFileId"])
	if w.volumes[node+" "+template] == nil {
		return "", fmt.Errorf("Container create: All attempts fail:\n#1: error creating container: the requested resource does not exist\n"+ //nolint:revive,staticcheck // Its words.
			"received an HTTP 500 response - Reason: unable to create CT %d - volume '%s' does not exist", id, template)
	}

	c := &Container{ID: id, Node: node, Config: ct.wanted(r)}
	c.allocate()
	w.containers[id] = c
	w.note("create container %d on %s", id, node)

	return name, nil
}

// allocate what nobody asked for: volumes, and MAC addresses.
func (c *Container) allocate() {
	delete(block(c.Config["initialization"]), "userAccount")

	if cpu := block(c.Config["cpu"]); cpu != nil {
		fill(cpu, values{"units": int64(0)})
	}

	volume := func(of map[string]any, datastore string, i int) string {
		of["pathInDatastore"] = fmt.Sprintf("%s:vm-%d-disk-%d", datastore, c.ID, i)

		return text(of["pathInDatastore"])
	}

	if d := block(c.Config["disk"]); d != nil {
		volume(d, text(d["datastoreId"]), 0)
	}

	for i, m := range items(c.Config["mountPoint"]) {
		// Others are volumes that exist, and folders and devices of the node.
		if at := object(m); !strings.ContainsAny(text(at["volume"]), ":/") {
			at["volume"] = volume(at, text(at["volume"]), i+1)
		}
	}

	for i, n := range items(c.Config["networkInterface"]) {
		if text(object(n)["macAddress"]) == "" {
			object(n)["macAddress"] = fmt.Sprintf("BC:24:11:%02X:%02X:%02X", c.ID>>8&0xff, c.ID&0xff, i)
		}
	}
}

// finish: it is started if it is to run. What was taken over stays as it is.
func (ct containers) finish(r request) error {
	c := ct.find(r)
	if c != nil && flag(r.fields["started"]) {
		r.world.powerOf(c, true)
	}

	return nil
}

// powerOf a container, on or off.
func (w *World) powerOf(c *Container, on bool) {
	if on == c.Started {
		return
	}

	c.Started = on

	if on {
		w.note("start container %d", c.ID)
	} else {
		w.note("stop container %d", c.ID)
	}
}

func (ct containers) replaced(r request) string {
	c := ct.find(r)
	if c == nil {
		return ""
	}

	want, state, asks := ct.wanted(r), ct.state(r), asksFor(r)

	for _, f := range []struct {
		name string
		same bool
	}{
		{"vm_id", r.fields["vmId"] == nil || number(r.fields["vmId"]) == c.ID},
		{"operating_system.0.template_file_id", state.template == asks.template},
		{"operating_system.0.type", text(block(want["operatingSystem"])["type"]) == text(block(c.Config["operatingSystem"])["type"])},
		{"pool_id", state.pool == asks.pool},
		{"initialization.0.user_account", reflect.DeepEqual(state.accounts, asks.accounts)},
		{"unprivileged", flag(want["unprivileged"]) == flag(c.Config["unprivileged"])},
		{"template", flag(want["template"]) == flag(c.Config["template"])},
		{"disk", sameDisk(block(c.Config["disk"]), block(want["disk"]))},
		{"mount_point", sameVolumes(items(c.Config["mountPoint"]), items(want["mountPoint"]))},
		{"clone", r.fields["clone"] == nil},
	} {
		if !f.same {
			return f.name
		}
	}

	return ""
}

// sameDisk says whether a root file system stays where it is, and does not shrink.
func sameDisk(has, wants map[string]any) bool {
	return wants == nil || text(has["datastoreId"]) == text(wants["datastoreId"]) && number(has["size"]) <= number(wants["size"])
}

// sameVolumes says whether there are the same mount points, of the same sizes, on the same datastores.
func sameVolumes(has, wants []any) bool {
	return slices.EqualFunc(has, wants, func(h, w any) bool {
		return text(object(h)["size"]) == text(object(w)["size"]) && sameVolume(text(object(h)["volume"]), text(object(w)["volume"]))
	})
}

// sameVolume as the plugin sees it: of a volume that exists, the datastore is enough.
func sameVolume(has, wants string) bool {
	datastore, _, _ := strings.Cut(wants, ":")

	return has == wants || strings.HasPrefix(has, datastore+":")
}

// differences are the fields that are not as asked for, sorted, and what they are to be.
func (ct containers) differences(c *Container, r request) (fields []string, want values) {
	want = ct.wanted(r)

	// What the plugin does not compare with what it has read.
	delete(block(want["operatingSystem"]), "templateFileId")

	if init := block(want["initialization"]); init != nil {
		delete(init, "userAccount")

		if len(items(init["dns"])) == 0 {
			delete(init, "dns")
		}
	}

	for _, n := range items(want["networkInterface"]) {
		if text(object(n)["macAddress"]) == "" {
			delete(object(n), "macAddress")
		}
	}

	had := items(c.Config["mountPoint"])
	for i, m := range items(want["mountPoint"]) {
		if i < len(had) && sameVolume(text(object(had[i])["volume"]), text(object(m)["volume"])) {
			object(m)["volume"] = object(had[i])["volume"]
		}
	}

	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !covers(c.Config[name], want[name]) {
			fields = append(fields, name)
		}
	}

	return fields, want
}

func (ct containers) current(r request) bool {
	c := ct.find(r)
	if c == nil {
		return false
	}

	fields, _ := ct.differences(c, r)

	return len(fields) == 0 && (r.fields["started"] == nil || flag(r.fields["started"]) == c.Started)
}

// change it: what is written comes first, then its power, or a restart.
func (ct containers) change(r request) error {
	c := ct.find(r)
	if c == nil {
		return nil
	}

	fields, want := ct.differences(c, r)
	restart := false

	for _, name := range fields {
		c.Config[name] = over(c.Config[name], want[name])
		restart = restart || slices.Contains(restarts, name)
	}

	if len(fields) > 0 {
		c.allocate()
		r.world.note("change container %d: %s", c.ID, strings.Join(fields, ", "))
	}

	switch started := flag(r.fields["started"]); {
	case started != c.Started:
		// The plugin restarts what it has just started, too: it stops the container before it only.
		r.world.powerOf(c, started)

		if started && restart {
			r.world.note("restart container %d", c.ID)
		}
	case started && restart:
		r.world.note("restart container %d", c.ID)
	}

	return nil
}

// over is what Proxmox has after something was written: fields that were not written stay.
func over(has, wants any) any {
	switch w := wants.(type) {
	case map[string]any:
		out := maps.Clone(object(has))
		if out == nil {
			out = map[string]any{}
		}

		for k := range w {
			out[k] = over(out[k], w[k])
		}

		return out
	case []any:
		h, out := items(has), make([]any, len(w))
		for i := range w {
			if i < len(h) {
				out[i] = over(h[i], w[i])
			} else {
				out[i] = w[i]
			}
		}

		return out
	}

	return wants
}

func (ct containers) destroy(r request) error {
	c := ct.find(r)
	if c == nil {
		return nil
	}

	r.world.powerOf(c, false)

	if flag(c.Config["protection"]) {
		return fmt.Errorf("Container delete: All attempts fail:\n#1: error deleting container: received an HTTP 500 response - Reason: can't remove CT %d - protection mode enabled", c.ID) //nolint:revive,staticcheck // Its words.
	}

	// Proxmox deletes the firewall with it (pve-container: destroy_vm).
	delete(r.world.firewalls, c.ID)
	delete(r.world.containers, c.ID)
	r.world.note("destroy container %d", c.ID)

	return nil
}

// EditContainers by hand, as an administrator does in Proxmox. The provider sees it when it looks the next time.
func (w *World) EditContainers(edit func(containers map[int]*Container)) {
	w.mu.Lock()
	defer w.mu.Unlock()

	edit(w.containers)
}

// AddContainer by hand.
func (w *World) AddContainer(c Container) {
	w.EditContainers(func(containers map[int]*Container) { containers[c.ID] = &c })
}

// RemoveContainers by hand, and with each its firewall.
func (w *World) RemoveContainers(ids ...int) {
	w.EditContainers(func(containers map[int]*Container) {
		for _, id := range ids {
			if containers[id] != nil {
				delete(w.firewalls, id)
			}

			delete(containers, id)
		}
	})
}

// Container by number, nil if there is none. It is a copy.
func (w *World) Container(id int) *Container {
	w.mu.Lock()
	defer w.mu.Unlock()

	c, ok := w.containers[id]
	if !ok {
		return nil
	}

	out := *c
	out.Config = c.Config.clone()

	return &out
}

// Containers are the numbers of all containers, sorted.
func (w *World) Containers() []int {
	w.mu.Lock()
	defer w.mu.Unlock()

	return slices.Sorted(maps.Keys(w.containers))
}
