package standin

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asked is a VM as it is asked for, with some other fields; nil takes one out.
func asked(other values) values {
	out := values{
		"nodeName": "pve", "vmId": int64(100), "started": true, "name": "a",
		"disk": []any{map[string]any{"interface": "scsi0", "size": int64(20)}},
	}
	maps.Copy(out, other)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })

	return out
}

func TestMakeVM(t *testing.T) {
	cases := map[string]struct {
		reason  string
		fields  values
		err     string // Part of the message; empty if there is none.
		taint   bool
		journal []string
	}{
		"Free": {
			reason: "A number that is free becomes a VM that runs.",
			fields: asked(nil), journal: []string{"create VM 100 on pve", "start VM 100"},
		},
		"Stopped": {
			reason: "A VM that is to be off is not started.",
			fields: asked(values{"started": false}), journal: []string{"create VM 100 on pve"},
		},
		"Taken": {
			reason: "A VM that has the number is taken over.",
			fields: asked(values{"vmId": int64(500)}), journal: []string{"take over VM 500", "start VM 500"},
		},
		"TakenByClone": {
			reason: "A clone does not take over.",
			fields: asked(values{"vmId": int64(500), "clone": []any{map[string]any{"vmId": int64(500)}}}),
			err:    "error cloning VM: the requested resource already exists",
		},
		"NoTemplate": {
			reason: "A template that is not there cannot be cloned.",
			fields: asked(values{"clone": []any{map[string]any{"vmId": int64(9999)}}}),
			err:    "error cloning VM: the requested resource does not exist",
		},
		"NoNode": {
			reason: "Proxmox does not know every name.",
			fields: asked(values{"nodeName": "pve9"}), err: "hostname lookup 'pve9' failed",
		},
		"NoImage": {
			reason: "Without its image a VM is not made, and it is tried again.",
			fields: asked(values{"disk": []any{map[string]any{"interface": "scsi0", "importFrom": "local:import/a.qcow2"}}}),
			err:    "cannot import from 'local:import/a.qcow2'",
		},
		"NoSnippet": {
			reason: "Without its snippet a VM is made and does not start, which taints it.",
			fields: asked(values{"initialization": []any{map[string]any{"userDataFileId": "local:snippets/a.yaml"}}}),
			err:    "VM start: task", taint: true, journal: []string{"create VM 100 on pve"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWorld("pve")
			w.AddVM(VM{ID: 500, Node: "pve", Config: values{}})

			r := request{world: w, fields: tc.fields}

			var err error
			if r.id, err = (vms{}).begin(r); err == nil {
				err = vms{}.finish(r)
			}

			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s\nerror: got %v, want %q", tc.reason, err, tc.err)
			}

			if isTaint(err) != tc.taint {
				t.Errorf("%s\ntainted: got %t", tc.reason, isTaint(err))
			}

			if diff := cmp.Diff(tc.journal, w.Journal()); diff != "" {
				t.Errorf("%s\njournal: -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}

func TestChangeVM(t *testing.T) {
	made := func(w *World) request {
		r := request{world: w, fields: asked(nil)}
		r.id, _ = vms{}.begin(r)
		_ = vms{}.finish(r)

		return r
	}

	cases := map[string]struct {
		reason   string
		edit     func(vm *VM) // By hand.
		fields   values
		current  bool
		replaced string
		err      string
	}{
		"Same":    {reason: "A VM as asked for is left alone.", fields: asked(nil), current: true},
		"Name":    {reason: "Another name is written.", fields: asked(values{"name": "b"})},
		"Number":  {reason: "A number is for ever.", fields: asked(values{"vmId": int64(101)}), current: true, replaced: "vm_id"},
		"Moved":   {reason: "A VM that was moved would be replaced.", fields: asked(nil), edit: func(vm *VM) { vm.Node = "pve2" }, replaced: "node_name"},
		"MayMove": {reason: "It is moved back where that is allowed.", fields: asked(values{"migrate": true}), edit: func(vm *VM) { vm.Node = "pve2" }},
		"HeldByDevice": {
			reason: "A device is of its node.", fields: asked(values{"migrate": true}), err: "local devices",
			edit: func(vm *VM) { vm.Node, vm.Config["usb"] = "pve2", []any{map[string]any{"mapping": "coral"}} },
		},
		"Snippet":  {reason: "A file is for ever.", fields: asked(values{"initialization": []any{map[string]any{"userDataFileId": "x"}}}), replaced: "initialization.userDataFileId"},
		"Shutdown": {reason: "A VM that somebody stopped is started.", fields: asked(nil), edit: func(vm *VM) { vm.stop() }},
		"Shrink": {
			reason: "A disk does not shrink.", err: "Cannot shrink",
			fields: asked(values{"disk": []any{map[string]any{"interface": "scsi0", "size": int64(10)}}}),
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := NewWorld("pve", "pve2")
			r := made(w)

			if tc.edit != nil {
				tc.edit(w.vms[100])
			}

			r.fields = tc.fields

			if got := (vms{}).current(r); got != tc.current {
				t.Errorf("%s\ncurrent(): got %t", tc.reason, got)
			}

			if got := (vms{}).replaced(r); got != tc.replaced {
				t.Errorf("%s\nreplaced(): got %q, want %q", tc.reason, got, tc.replaced)
			}

			if tc.replaced != "" {
				return
			}

			err := vms{}.change(r)
			if (err == nil) != (tc.err == "") || err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s\nchange(): got %v, want %q", tc.reason, err, tc.err)
			}

			if err == nil && !(vms{}).current(r) {
				t.Errorf("%s\nis not as asked for after the change", tc.reason)
			}
		})
	}
}

// TestAddresses of a guest are those that cloud-init was told, of both families, and one that a DHCP server made up.
func TestAddresses(t *testing.T) {
	config := func(v4, v6 string) any {
		return map[string]any{"ipv4": []any{map[string]any{"address": v4}}, "ipv6": []any{map[string]any{"address": v6}}}
	}

	vm := &VM{
		ID: 100, Started: true, Agent: true, Config: values{"networkDevice": []any{map[string]any{}, map[string]any{}}},
		Running: values{
			"agent":          []any{map[string]any{"enabled": true}},
			"initialization": []any{map[string]any{"ipConfig": []any{config("192.168.4.60/24", "fd00::60/64"), config("dhcp", "auto")}}},
		},
	}

	got := values{}
	vm.addresses(got)

	want := values{
		"networkInterfaceNames": []any{"lo", "eth0", "eth1"}, "macAddresses": []any{"00:00:00:00:00:00", "", ""},
		"ipv4Addresses": []any{[]any{"127.0.0.1"}, []any{"192.168.4.60"}, []any{"192.0.2.101"}},
		"ipv6Addresses": []any{[]any{"::1"}, []any{"fd00::60"}, []any{}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
