package provider

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
)

// networkDeviceKeys are the keys of a network_device object. It is an attribute, not a block, in the plugin since 0.98.1:
// Terraform's JSON syntax wants every key, and Upjet writes those that are absent as null.
// Source: bpg/terraform-provider-proxmox v0.111.1, proxmoxtf/resource/vm/network/schema.go.
func networkDeviceKeys() []string {
	return []string{
		"bridge", "disconnected", "enabled", "firewall", "mac_address", "model", "mtu", "queues", "rate_limit", "trunks", "vlan_id",
	}
}

// snakeCase turns a field name of a CRD into the argument name of the plugin: vmId to vm_id. Digits start no word.
func snakeCase(camel string) string {
	var b strings.Builder
	for i, r := range camel {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// arguments turns forProvider into the arguments of a Terraform resource, as Upjet does: names in snake case, every
// block a list, values as they are, strings unescaped. Unlike the API server it drops nothing, so that a field that no
// CRD knows fails in terraform validate.
func arguments(forProvider map[string]any) map[string]any {
	out, ok := convert(forProvider).(map[string]any)
	if !ok || out == nil {
		return map[string]any{}
	}
	if devices, ok := out["network_device"].([]any); ok {
		for _, d := range devices {
			if m, ok := d.(map[string]any); ok {
				for _, k := range networkDeviceKeys() {
					if _, ok := m[k]; !ok {
						m[k] = nil
					}
				}
			}
		}
		// The outer key has omitempty in Upjet's types: an empty list is no list.
		if len(devices) == 0 {
			delete(out, "network_device")
		}
	}
	return out
}

func convert(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[snakeCase(k)] = convert(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = convert(e)
		}
		return out
	default:
		return v
	}
}

// pluginVersion is the plugin that provider-proxmox-bpg v1.18.0 ships. It must match tools/terraform/plugin/go.mod.
const pluginVersion = "0.111.1"

// Connection is the provider block: where the API and the SSH daemons of the nodes are.
type Connection struct {
	Endpoint   string
	APIToken   string
	SSHUser    string
	SSHKey     string // A private key in PEM.
	SSHAddress string
	SSHPort    int
	Nodes      []string
}

func (c Connection) block() map[string]any {
	nodes := make([]any, len(c.Nodes))
	for i, n := range c.Nodes {
		nodes[i] = map[string]any{"name": n, "address": c.SSHAddress, "port": c.SSHPort}
	}
	return map[string]any{
		"endpoint": c.Endpoint, "api_token": c.APIToken, "insecure": true,
		"ssh": []any{map[string]any{"agent": false, "username": c.SSHUser, "private_key": c.SSHKey, "node": nodes}},
	}
}

// MainTF is the main.tf.json that Upjet writes for r, which may be destroyed only while it is being deleted.
// Source: crossplane/upjet v2.2.0, pkg/terraform/files.go, BuildMainTF.
func MainTF(r Resource, c Connection, deleting bool) ([]byte, error) {
	args := arguments(r.Spec.ForProvider)
	args["lifecycle"] = map[string]any{"prevent_destroy": !deleting}
	b, err := json.MarshalIndent(map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{
			"proxmox": map[string]any{"source": "bpg/proxmox", "version": pluginVersion},
		}},
		"provider": map[string]any{"proxmox": c.block()},
		"resource": map[string]any{r.TerraformType(): map[string]any{r.Metadata.Name: args}},
	}, "", " ")
	if err != nil {
		return nil, fmt.Errorf("cannot marshal main.tf.json of %s: %w", r.Metadata.Name, err)
	}
	return b, nil
}
