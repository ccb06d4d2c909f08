package provider

import (
	"net/http"
	"slices"
	"testing"
)

// TestFaultInTheMiddle of a creation, at each of the plugin's requests: the machine knows its half-made VM, never takes it for
// somebody else's, and finishes it once the fault is gone and the provider was restarted.
func TestFaultInTheMiddle(t *testing.T) {
	const taskRules = "/taskrules"

	kinds := map[string]string{
		"Image":    `{deletionPolicy: Delete, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}}`,
		"UserData": `{deletionPolicy: Delete, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, bootstrap: {userData: "#cloud-config\nruncmd: [date]\n"}}`,
		"Blank":    `{deletionPolicy: Delete, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, image: installer}`,
		"Clone":    `{deletionPolicy: Delete, proxmox: {node: pve, vmId: 160}, network: {dhcp: true}, image: nixos}`,
	}

	cases := map[string]struct {
		reason string
		fault  Fault
		task   map[string]any
		kinds  []string // Empty: all.
	}{
		"Create":       {reason: "Proxmox refuses to create the VM.", fault: Fault{Method: "POST", Path: "/nodes/pve/qemu$", Status: 500, Message: "got timeout"}},
		"CreateTask":   {reason: "The creation fails after the VM is there.", task: map[string]any{"type": "qmcreate", "exit": "got timeout", "after": true}},
		"CloneTask":    {reason: "The clone fails after the VM is there.", task: map[string]any{"type": "qmclone", "exit": "got timeout", "after": true}, kinds: []string{"Clone"}},
		"Configure":    {reason: "The clone is there, and keeps the template's settings.", fault: Fault{Method: "PUT|POST", Path: "/qemu/160/config$", Status: 500, Message: "got timeout"}},
		"Resize":       {reason: "The disk does not grow.", task: map[string]any{"type": "resize", "exit": "no space left"}},
		"ResizeAnswer": {reason: "The connection breaks when the disk should grow.", fault: Fault{Method: "PUT", Path: "/resize$", Status: 500, Message: "got timeout"}},
		"Start":        {reason: "The VM does not start.", task: map[string]any{"type": "qmstart", "exit": "no memory"}},
		"Read": {
			// The plugin waits half an hour for the lock of a clone that it cannot read.
			reason: "The VM cannot be read.", fault: Fault{Method: "GET", Path: "/qemu/160/", Status: 500, Message: "got timeout"}, kinds: []string{"Image", "UserData", "Blank"},
		},
	}

	for name, tc := range cases {
		for kind, spec := range kinds {
			if len(tc.kinds) > 0 && !slices.Contains(tc.kinds, kind) {
				continue
			}

			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()

				l := newLab(t)
				c := l.machine(t, "app01", spec)
				c.Hasty = true

				// Proxmox gives a clone a UUID of its own where its template has one.
				l.touch(t, 9000, Touch{Config: map[string]string{"smbios1": "uuid=0b0e1f6e-52a4-4d2c-9f3c-6f9a4b1c2d3e"}})

				if tc.fault.Status != 0 {
					if err := l.Simulator.AddFault(t.Context(), tc.fault); err != nil {
						t.Fatal(err)
					}
				}

				if tc.task != nil {
					if err := l.Simulator.post(t.Context(), taskRules, tc.task); err != nil {
						t.Fatal(err)
					}
				}

				for range 2 * takenRounds {
					if _, err := c.Round(t.Context()); err != nil {
						t.Fatal(err)
					}

					if got := c.Conditions["VMIDInUse"]; word(got.GetStatus()) == "True" {
						t.Fatalf("%s\nthe machine takes its own VM for somebody else's: %s", tc.reason, got.GetMessage())
					}
				}

				t.Logf("VM 160 is left as %+v, by:\n%s", l.vm(t, 160), l.writes(t, 0))

				if err := l.Simulator.ClearFaults(t.Context()); err != nil {
					t.Fatal(err)
				}

				if err := l.Simulator.call(t.Context(), http.MethodDelete, taskRules, nil, nil); err != nil {
					t.Fatal(err)
				}

				// Terraform remembers in its workspace that a creation failed half-way. A restart of the provider loses that.
				c.Forgetful = true

				for range 2 * takenRounds {
					if _, err := c.Round(t.Context()); err != nil {
						t.Fatal(err)
					}

					if _, err := c.Poll(t.Context()); err != nil {
						t.Fatal(err)
					}
				}

				if vm := l.vm(t, 160); vm.Config["name"] != "app01" || vm.Status != "running" {
					t.Errorf("%s\nwant VM 160 to run, got %+v\nwith conditions %v", tc.reason, vm, c.Conditions)
				}

				if p := c.composed["vm"].resource; !p.May("Update") {
					t.Errorf("%s\nwant the provider to be allowed to change the VM, got %v", tc.reason, p.Spec.ManagementPolicies)
				}

				// A clone that was begun is deleted with its claim, too.
				c.MayDrop = true
				if err := c.Delete(t.Context()); err != nil {
					t.Error(err)
				}

				if _, left := l.state(t).VMs["160"]; left {
					t.Errorf("%s\nVM 160 is left", tc.reason)
				}
			})
		}
	}
}
