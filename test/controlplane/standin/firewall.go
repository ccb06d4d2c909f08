package standin

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// A Firewall of a VM or a container, as Proxmox has it.
type Firewall struct {
	// Options as they were written; nil for Proxmox's defaults, with which the firewall is off.
	Options values
	Rules   []any
}

// Drops says whether the firewall drops what no rule accepts.
func (f Firewall) Drops() bool {
	return flag(f.Options["enabled"]) && text(f.Options["inputPolicy"]) != "ACCEPT"
}

// A walled guest is the VM or the container that a firewall is of.
type walled struct {
	id     int
	exists bool
	// field of the managed resource that has the id, word for people and in ids, and folder of its configuration in Proxmox.
	field, word, folder string
}

// guest of a firewall.
func (r request) guest() walled {
	if id := number(r.fields["containerId"]); id != 0 {
		return walled{id: id, exists: r.world.containers[id] != nil, field: "containerId", word: "container", folder: "lxc"}
	}

	id := number(r.fields["vmId"])

	return walled{id: id, exists: r.world.vms[id] != nil, field: "vmId", word: "VM", folder: "qemu-server"}
}

// firewallID is the external name of options or rules.
func (g walled) firewallID() string { return fmt.Sprintf("%s-%d", strings.ToLower(g.word), g.id) }

// A firewallPart is what the options and the rules of a guest's firewall have in common. What the plugin does is in proxmoxtf/resource/firewall of
// bpg/terraform-provider-proxmox v0.111.1, and is observed on the simulator of test/provider.
type firewallPart struct{}

// of the guest that is asked for; nil if there is no such guest.
func (firewallPart) of(r request) *Firewall {
	g := r.guest()
	if !g.exists {
		return nil
	}

	if r.world.firewalls[g.id] == nil {
		r.world.firewalls[g.id] = &Firewall{}
	}

	return r.world.firewalls[g.id]
}

func (firewallPart) hangs(request) bool { return false }

func (p firewallPart) begin(r request) (string, error) {
	g := r.guest()
	if p.of(r) == nil {
		return "", fmt.Errorf("received an HTTP 500 response - Reason: Configuration file 'nodes/%s/%s/%d.conf' does not exist",
			text(r.fields["nodeName"]), g.folder, g.id)
	}

	return g.firewallID(), nil
}

func (firewallPart) replaced(request) string { return "" }

// write is noted, and with it that a firewall locks everybody out, which no order in which the provider works may do.
func (firewallPart) write(r request, f *Firewall, what string) {
	g := r.guest()
	r.world.note("write %s %d firewall: %s", g.word, g.id, what)

	if f.Drops() && len(f.Rules) == 0 {
		r.world.note("lock everybody out of %s %d", g.word, g.id)
	}
}

// firewallOptions are EnvironmentFirewallOptions.
type firewallOptions struct{ firewallPart }

func (o firewallOptions) look(r request) values {
	f := o.of(r)
	if f == nil || f.Options == nil {
		return nil
	}

	out := f.Options.clone()
	out["id"] = r.id

	return out
}

func (o firewallOptions) current(r request) bool {
	f := o.of(r)

	return f != nil && covers(map[string]any(f.Options), map[string]any(r.fields))
}

func (o firewallOptions) finish(r request) error { return o.change(r) }

func (o firewallOptions) change(r request) error {
	if f := o.of(r); f != nil && !o.current(r) {
		f.Options = r.fields.clone()
		o.write(r, f, "options")
	}

	return nil
}

// destroy changes nothing in Proxmox (optionsDelete).
func (firewallOptions) destroy(request) error { return nil }

// firewallRules are EnvironmentFirewallRules.
type firewallRules struct{ firewallPart }

func (l firewallRules) look(r request) values {
	f := l.of(r)
	// An import finds a firewall without rules, too.
	if imports := r.node != ""; f == nil || len(f.Rules) == 0 && !imports {
		return nil
	}

	rules := items(values{"rule": f.Rules}.clone()["rule"])
	for i, rule := range rules {
		object(rule)["pos"] = int64(i)
	}

	g := r.guest()

	return values{"id": g.firewallID(), "nodeName": r.fields["nodeName"], g.field: r.fields[g.field], "rule": rules}
}

// begin only where there are no rules: somebody else may have made them.
func (l firewallRules) begin(r request) (string, error) {
	if f := l.of(r); f != nil && len(f.Rules) > 0 {
		return "", errors.New("failed to create the resource: [{0 Existing rules detected. Aborting...  []}]")
	}

	return l.firewallPart.begin(r)
}

// current: all rules that there are belong to the managed resource.
func (l firewallRules) current(r request) bool {
	f := l.of(r)

	return f != nil && reflect.DeepEqual(plain(f.Rules), plain(items(r.fields["rule"])))
}

func (l firewallRules) finish(r request) error { return l.change(r) }

func (l firewallRules) change(r request) error {
	if f := l.of(r); f != nil && !l.current(r) {
		f.Rules = items(values{"rule": r.fields["rule"]}.clone()["rule"])
		l.write(r, f, "rules "+ports(f.Rules))
	}

	return nil
}

func (l firewallRules) destroy(r request) error {
	if f := l.of(r); f != nil && len(f.Rules) > 0 {
		f.Rules = nil
		l.write(r, f, "rules none")
	}

	return nil
}

// ports that rules let through, or their macros.
func ports(rules []any) string {
	var out []string

	for _, r := range rules {
		if port := text(object(r)["dport"]); port != "" {
			out = append(out, port)
		} else {
			out = append(out, strings.ToLower(text(object(r)["macro"])))
		}
	}

	return strings.Join(out, " ")
}

// SetFirewall of a VM or a container by hand, as an administrator does in Proxmox.
func SetFirewall(w *World, id int, options map[string]any, rules ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()

	w.firewalls[id] = &Firewall{Options: options, Rules: rules}
}

// Firewall of a VM or a container. It is a copy.
func (w *World) Firewall(id int) Firewall {
	w.mu.Lock()
	defer w.mu.Unlock()

	f := w.firewalls[id]
	if f == nil {
		return Firewall{}
	}

	return Firewall{Options: f.Options.clone(), Rules: items(values{"rule": f.Rules}.clone()["rule"])}
}
