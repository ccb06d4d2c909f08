package provider

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMainTF(t *testing.T) {
	r := Resource{
		APIVersion: "virtualenvironmentvm.crossplane.io/v1alpha1", Kind: KindVM, Metadata: Metadata{Name: "dns01-x7f2k"},
		Spec: Spec{ForProvider: map[string]any{
			"vmId": float64(153), "description": "$${HOME}", "usb": []any{map[string]any{"usb3": true}},
			"timeoutShutdownVm": float64(30),
			"initialization":    []any{map[string]any{"ipConfig": []any{map[string]any{"ipv4": []any{map[string]any{"address": "dhcp"}}}, map[string]any{}}}},
			"networkDevice":     []any{map[string]any{"bridge": "vmbr0", "vlanId": float64(20)}},
		}},
	}

	b, err := MainTF(r, Connection{Endpoint: "https://pve/", APIToken: "t", SSHUser: "root", SSHKey: "k", SSHAddress: "127.0.0.1", SSHPort: 2222, Nodes: []string{"pve"}}, false)
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]any{}
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}

	want := map[string]any{
		"terraform": map[string]any{"required_providers": map[string]any{"proxmox": map[string]any{"source": "bpg/proxmox", "version": pluginVersion}}},
		"provider": map[string]any{"proxmox": map[string]any{
			"endpoint": "https://pve/", "api_token": "t", "insecure": true,
			"ssh": []any{map[string]any{
				"agent": false, "username": "root", "private_key": "k",
				"node": []any{map[string]any{"name": "pve", "address": "127.0.0.1", "port": float64(2222)}},
			}},
		}},
		"resource": map[string]any{"proxmox_virtual_environment_vm": map[string]any{"dns01-x7f2k": map[string]any{
			"lifecycle": map[string]any{"prevent_destroy": true},
			"vm_id":     float64(153), "description": "$${HOME}", "usb": []any{map[string]any{"usb3": true}}, "timeout_shutdown_vm": float64(30),
			"initialization": []any{map[string]any{"ip_config": []any{map[string]any{"ipv4": []any{map[string]any{"address": "dhcp"}}}, map[string]any{}}}},
			"network_device": []any{map[string]any{
				"bridge": "vmbr0", "vlan_id": float64(20), "disconnected": nil, "enabled": nil, "firewall": nil, "mac_address": nil, "model": nil,
				"mtu": nil, "queues": nil, "rate_limit": nil, "trunks": nil,
			}},
		}}},
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("MainTF(): -want, +got:\n%s", diff)
	}
}

func TestArgumentsOfNoInterface(t *testing.T) {
	got := arguments(map[string]any{"networkDevice": []any{}, "disk": []any{}})

	// An attribute that is an empty list would remove the interfaces of a template; Upjet never writes one.
	if diff := cmp.Diff(map[string]any{"disk": []any{}}, got); diff != "" {
		t.Errorf("arguments(): -want, +got:\n%s", diff)
	}
}

func TestCamelCase(t *testing.T) {
	got := camelCase(map[string]any{
		"vm_id": 1, "ipv4_addresses": []any{[]any{"127.0.0.1"}}, "disk": []any{map[string]any{"path_in_datastore": "x", "speed": nil}}, "timeout_shutdown_vm": 2,
	})
	want := map[string]any{
		"vmId": 1, "ipv4Addresses": []any{[]any{"127.0.0.1"}}, "disk": []any{map[string]any{"pathInDatastore": "x"}}, "timeoutShutdownVm": 2,
	}

	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("camelCase(): -want, +got:\n%s", diff)
	}
}

func TestReplay(t *testing.T) {
	vm := func(name, group, description string) Resource {
		return Resource{
			APIVersion: "virtualenvironmentvm." + group + "/v1alpha1", Kind: KindVM, Metadata: Metadata{Name: name},
			Spec: Spec{ForProvider: map[string]any{"description": description}},
		}
	}

	p := &Replay{}
	if err := p.add(vm("a", "crossplane.io", "one"), Outcome{Applied: true}); err != nil {
		t.Fatal(err)
	}

	if _, ok := p.find(vm("b", "proxmoxbpg.m.crossplane.io", "one")); !ok {
		t.Error("the same text in another flavour was not found")
	}

	if _, ok := p.find(vm("a", "crossplane.io", "two")); ok {
		t.Error("another text was found")
	}

	if _, ok := (*Replay)(nil).find(vm("a", "crossplane.io", "one")); ok {
		t.Error("found something in nothing")
	}
}
