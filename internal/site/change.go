package site

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// Interruption is the effect of a change that may interrupt traffic, of the node or of VMs: it waits for the claim's word.
const Interruption change.Effect = "Interruption"

// described is a part as it would be created.
func described(p machine.SitePart, mark string) proxmox.SiteParameters {
	out := proxmox.SiteParameters{Comment: strings.TrimSpace(p.Comment + " " + mark)}

	if p.Kind == machine.SitePool {
		out.PoolID = p.Name
		return out
	}

	yes, aware := true, p.VLANAware
	out.NodeName, out.Name, out.Autostart, out.TimeoutReload = p.Node, p.Name, &yes, proxmox.ReloadTimeoutSeconds
	out.Address, out.Address6, out.MTU = p.Address, p.Address6, p.MTU

	if p.Kind == machine.SiteBridge {
		out.Ports, out.VLANAware = p.Ports, &aware
	}

	return out
}

// asFound is a part as the provider has read it, ready to be written.
func asFound(kind machine.SitePartKind, at proxmox.SiteObservation) proxmox.SiteParameters {
	out := at.SiteParameters

	if kind == machine.SitePool {
		return proxmox.SiteParameters{PoolID: at.ID, Comment: out.Comment}
	}

	out.TimeoutReload = proxmox.ReloadTimeoutSeconds

	if len(out.Ports) == 0 {
		out.Ports = nil
	}

	if out.Autostart == nil {
		no := false
		out.Autostart = &no
	}

	if kind == machine.SiteBridge && out.VLANAware == nil {
		no := false
		out.VLANAware = &no
	}

	// The name says both.
	if out.Name == out.Interface+"."+strconv.FormatInt(out.VLAN, 10) {
		out.Interface, out.VLAN = "", 0
	}

	return out
}

// A field that both a part that exists and its claim say.
type siteField struct {
	name   string
	text   func(proxmox.SiteParameters) string
	set    func(to *proxmox.SiteParameters, from proxmox.SiteParameters)
	effect func(has, wanted proxmox.SiteParameters) change.Effect
}

func interrupts(proxmox.SiteParameters, proxmox.SiteParameters) change.Effect { return Interruption }

// ports: Proxmox keeps the ports of a bridge for which the plugin names none, and the plugin fails.
func ports(_, wanted proxmox.SiteParameters) change.Effect {
	if len(wanted.Ports) == 0 {
		return change.Refused
	}

	return Interruption
}

// fields is the one table of what a change does to a part that exists.
var fields = []siteField{ //nolint:gochecknoglobals // A constant table.
	{
		"ports", func(p proxmox.SiteParameters) string {
			return strings.Join(slices.Sorted(slices.Values(p.Ports)), ", ")
		},
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) { to.Ports = from.Ports }, ports,
	},
	{
		"vlanAware", func(p proxmox.SiteParameters) string {
			if p.VLANAware == nil {
				return ""
			}

			return strconv.FormatBool(*p.VLANAware)
		},
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) {
			// Proxmox has VIDs of a VLAN-aware bridge alone, and sets its own.
			to.VLANAware, to.VIDs = from.VLANAware, ""
		}, interrupts,
	},
	{
		"address", func(p proxmox.SiteParameters) string { return sameAddress(p.Address) },
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) { to.Address = from.Address }, interrupts,
	},
	{
		"address6", func(p proxmox.SiteParameters) string { return sameAddress(p.Address6) },
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) { to.Address6 = from.Address6 }, interrupts,
	},
	{
		"mtu", func(p proxmox.SiteParameters) string { return number(p.MTU) },
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) { to.MTU = from.MTU }, interrupts,
	},
	{
		"comment", func(p proxmox.SiteParameters) string { return strings.TrimSpace(p.Comment) },
		func(to *proxmox.SiteParameters, from proxmox.SiteParameters) { to.Comment = from.Comment },
		func(proxmox.SiteParameters, proxmox.SiteParameters) change.Effect { return change.InPlace },
	},
}

// changes from what a part has to what its claim says.
func changes(path string, has, wanted proxmox.SiteParameters) []change.Change {
	var out []change.Change

	for _, f := range fields {
		if h, w := f.text(has), f.text(wanted); h != w {
			out = append(out, change.Change{Field: path + "." + f.name, Has: h, Wanted: w, Effect: f.effect(has, wanted)})
		}
	}

	return out
}

// with is what a part has, with the changes of some effects.
func with(has, wanted proxmox.SiteParameters, effects ...change.Effect) proxmox.SiteParameters {
	out, changed := has, false

	for _, f := range fields {
		if f.text(has) != f.text(wanted) && slices.Contains(effects, f.effect(has, wanted)) {
			f.set(&out, wanted)

			changed = true
		}
	}

	if len(out.Ports) == 0 {
		out.Ports = nil
	}

	// The plugin sorts them when it writes, and fails where they were not sorted before.
	if changed && len(out.Ports) > 0 {
		out.Ports = slices.Sorted(slices.Values(out.Ports))
	}

	return out
}

func of(e change.Effect, all []change.Change) []change.Change {
	return slices.DeleteFunc(slices.Clone(all), func(c change.Change) bool { return c.Effect != e })
}

// sameAddress is a prefix in its shortest form.
func sameAddress(text string) string {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.String()
	}

	return text
}

func number(n int64) string {
	if n == 0 {
		return ""
	}

	return strconv.FormatInt(n, 10)
}
