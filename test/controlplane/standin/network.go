package standin

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A NetworkInterface of a node, as Proxmox has it: a bridge, a VLAN interface, or a NIC.
type NetworkInterface struct {
	Node, Name string
	// Config has the fields of an EnvironmentNetworkLinuxBridge, or of an EnvironmentNetworkLinuxVlan, as the provider reads them.
	Config values
}

// networks are EnvironmentNetworkLinuxBridges or EnvironmentNetworkLinuxVlans. What the plugin does is in fwprovider/nodes/network/resource_linux_bridge.go
// and resource_linux_vlan.go of bpg/terraform-provider-proxmox v0.111.1. It finds an interface by its name, of whatever type it is.
type networks struct {
	title   string   // In the journal.
	missing string   // What the plugin says when it imports one that is not there.
	fields  []string // What it compares and writes, sorted.
}

var (
	bridges = networks{
		"bridge", "Linux Bridge interface not found", []string{"address", "address6", "autostart", "comment", "gateway", "gateway6", "mtu", "ports", "vlanAware"},
	}
	vlans = networks{
		"VLAN interface", "Linux VLAN interface not found", []string{"address", "address6", "autostart", "comment", "gateway", "gateway6", "mtu"},
	}
)

func (networks) find(r request) *NetworkInterface { return r.world.interfaces[r.id] }

func (n networks) look(r request) values {
	i := n.find(r)
	if i == nil {
		return nil
	}

	out := values{}
	maps.Copy(out, i.Config.clone())
	out["id"], out["nodeName"], out["name"] = i.Node+":"+i.Name, i.Node, i.Name

	if device, tag, ok := strings.Cut(i.Name, "."); ok && n.title == vlans.title {
		id, _ := strconv.ParseInt(tag, 10, 64)
		out["interface"], out["vlan"] = device, id
	}

	return out
}

// absent: the plugin's import fails in words of its own.
func (n networks) absent() error { return errors.New(n.missing) }

// hangs: a look lists the interfaces of the node.
func (networks) hangs(request) bool { return false }

func (n networks) begin(r request) (string, error) {
	w, node, name := r.world, text(r.fields["nodeName"]), text(r.fields["name"])
	if err := w.reachable(node); err != nil {
		return "", err
	}

	if w.interfaces[node+":"+name] != nil {
		return "", errors.New("Error creating interface: received an HTTP 400 response - Reason: Parameter verification failed. (iface: interface already exists)") //nolint:revive,staticcheck // Its words.
	}

	i := &NetworkInterface{Node: node, Name: name, Config: values{}}
	n.write(i, r)
	w.interfaces[node+":"+name] = i
	w.note("create %s %s/%s", n.title, node, name)

	return node + ":" + name, nil
}

func (networks) finish(request) error { return nil }

// replaced: name and node of an interface do not change.
func (networks) replaced(request) string { return "" }

// differences are the fields that are not as asked for.
func (n networks) differences(i *NetworkInterface, r request) []string {
	return slices.DeleteFunc(slices.Clone(n.fields), func(name string) bool { return said(i.Config[name]) == said(r.fields[name]) })
}

// said is a field in one text, the same for one that is absent and one that is empty. The order of ports is of no account.
func said(v any) string {
	l := slices.Clone(items(v))
	slices.SortFunc(l, func(a, b any) int { return strings.Compare(text(a), text(b)) })

	switch {
	case v == nil, v == false, len(l) == 0 && items(v) != nil:
		return ""
	case len(l) > 0:
		return fmt.Sprint(l)
	}

	return fmt.Sprint(v)
}

func (n networks) current(r request) bool {
	i := n.find(r)

	return i != nil && len(n.differences(i, r)) == 0
}

// write all of an interface, as the plugin does.
func (n networks) write(i *NetworkInterface, r request) {
	for _, name := range n.fields {
		delete(i.Config, name)

		if v := r.fields[name]; v != nil {
			i.Config[name] = v
		}
	}

	delete(i.Config, "vids")

	if flag(i.Config["vlanAware"]) {
		i.Config["vids"] = "2-4094"
	}
}

func (n networks) change(r request) error {
	i := n.find(r)
	if i == nil {
		return nil
	}

	if fields := n.differences(i, r); len(fields) > 0 {
		n.write(i, r)
		r.world.note("change %s %s/%s: %s", n.title, i.Node, i.Name, strings.Join(fields, ", "))
	}

	return nil
}

func (n networks) destroy(r request) error {
	if i := n.find(r); i != nil {
		delete(r.world.interfaces, r.id)
		r.world.note("delete %s %s/%s", n.title, i.Node, i.Name)
	}

	return nil
}

// pools are EnvironmentPools: proxmoxtf/resource/pool/pool.go of the plugin.
type pools struct{}

func (pools) look(r request) values {
	comment, ok := r.world.pools[r.id]
	if !ok {
		return nil
	}

	return values{"id": r.id, "poolId": r.id, "comment": comment}
}

func (pools) hangs(request) bool { return false }

func (pools) begin(r request) (string, error) {
	name := text(r.fields["poolId"])
	if _, ok := r.world.pools[name]; ok {
		return "", fmt.Errorf("error creating pool: received an HTTP 500 response - Reason: create pool failed: pool '%s' already exists", name)
	}

	r.world.pools[name] = text(r.fields["comment"])
	r.world.note("create pool %s", name)

	return name, nil
}

func (pools) finish(request) error { return nil }

func (pools) replaced(request) string { return "" }

func (pools) current(r request) bool { return r.world.pools[r.id] == text(r.fields["comment"]) }

func (p pools) change(r request) error {
	if !p.current(r) {
		r.world.pools[r.id] = text(r.fields["comment"])
		r.world.note("change pool %s: comment", r.id)
	}

	return nil
}

func (pools) destroy(r request) error {
	if _, ok := r.world.pools[r.id]; ok {
		delete(r.world.pools, r.id)
		r.world.note("delete pool %s", r.id)
	}

	return nil
}

// EditInterfaces by hand, as an administrator does in Proxmox: by node:name. The provider sees it when it looks the next time.
func (w *World) EditInterfaces(edit func(interfaces map[string]*NetworkInterface)) {
	w.mu.Lock()
	defer w.mu.Unlock()

	edit(w.interfaces)
}

// AddInterface by hand.
func (w *World) AddInterface(i NetworkInterface) {
	w.EditInterfaces(func(interfaces map[string]*NetworkInterface) { interfaces[i.Node+":"+i.Name] = &i })
}

// EditPools by hand: their comments by their names.
func (w *World) EditPools(edit func(pools map[string]string)) {
	w.mu.Lock()
	defer w.mu.Unlock()

	edit(w.pools)
}

// Network is all interfaces of all nodes, by node:name, and all pools with their comments. They are copies.
func (w *World) Network() (interfaces map[string]NetworkInterface, pools map[string]string) {
	w.mu.Lock()
	defer w.mu.Unlock()

	interfaces = map[string]NetworkInterface{}

	for name, i := range w.interfaces {
		c := *i
		c.Config = i.Config.clone()
		interfaces[name] = c
	}

	return interfaces, maps.Clone(w.pools)
}
