package cluster

import (
	"fmt"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
)

// identities are the fields by which a VM is known in its network and in Proxmox, and which no two VMs can have at once.
var identities = []string{"network.ip", "network.mac", "proxmox.vmId"} //nolint:gochecknoglobals // A constant list.

// identityOf a spec; empty where it leaves the field to somebody else. An address is without its prefix length.
func identityOf(spec map[string]any, field string) string {
	head, name, _ := strings.Cut(field, ".")

	v := group(spec, head)[name]

	switch field {
	case "network.ip":
		v = address(v)
	case "network.mac":
		v = upper(v)
	case "proxmox.vmId":
		v = number(v)
	}

	if v == nil {
		return ""
	}

	return fmt.Sprint(v)
}

// has says whether a node has an identity: by its spec, or as its VM is seen to be. A VM has what its spec had until it is another VM.
func (c Child) has(field, value string) bool {
	if slices.Contains(c.Had[field], value) {
		return true
	}

	seen := ""

	switch field {
	case "network.ip":
		seen = c.Address
	case "proxmox.vmId":
		if c.VMID != nil {
			seen = fmt.Sprint(*c.VMID)
		}
	}

	return value == identityOf(c.Spec, field) || value == seen
}

// hadOf are the identities that a node's VM may still run with, whatever its spec says by now, by field: those of the spec with which it was ready last, where
// the node has not answered to another one yet, and those that only a new VM gives up.
func hadOf(applied map[string]any, refused []string, answered bool) map[string][]string {
	var out map[string][]string

	add := func(field, value string) {
		if value == "" || slices.Contains(out[field], value) {
			return
		}

		if out == nil {
			out = map[string][]string{}
		}

		out[field] = append(out[field], value)
	}

	for _, field := range identities {
		if !answered {
			add(field, identityOf(applied, field))
		}

		for _, line := range refused {
			if c, ok := change.Parse(line); ok && c.Field == "spec."+field {
				has, _, _ := strings.Cut(c.Has, " ")
				add(field, identityOf(withValue(field, has), field))
			}
		}
	}

	return out
}

// withValue is a spec with one field.
func withValue(field, value string) map[string]any {
	head, name, _ := strings.Cut(field, ".")

	return map[string]any{head: map[string]any{name: value}}
}

// address without the length of its prefix.
func address(v any) any {
	s, ok := v.(string)
	if !ok || s == "" {
		return nil
	}

	s, _, _ = strings.Cut(s, "/")

	return s
}

func upper(v any) any {
	s, ok := v.(string)
	if !ok {
		return nil
	}

	return strings.ToUpper(s)
}

// number as a person writes it.
func number(v any) any {
	f, ok := v.(float64)
	if !ok {
		return v
	}

	return int64(f)
}
