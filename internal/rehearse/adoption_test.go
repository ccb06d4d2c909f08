package rehearse

import (
	"cmp"
	"context"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/world"
)

// TestAdoption: what somebody made by hand is adopted as the provider has read it, with its power as it was; where nobody has read it, that is said.
func TestAdoption(t *testing.T) {
	const (
		vm = `{apiVersion: homelab.io/v1alpha1, kind: Machine, metadata: {name: web, namespace: infra-machines},
			spec: {class: server, network: {ip: 192.168.4.91}, lifecycle: {rebootPolicy: POLICY}, adopt: {vmId: 153}}}`
		container = `{apiVersion: homelab.io/v1alpha1, kind: Container, metadata: {name: web, namespace: infra-machines},
			spec: {size: {cores: 2, memory: 512Mi, disk: 8Gi}, proxmox: {node: pve1}, adopt: {vmId: 153}}}`
		approval = `adopt: {vmId: 153, approve: "PLAN"}`
	)

	cases := map[string]struct {
		reason, claim string
		made          map[string]any // In Proxmox, by hand; nil: nobody has read it.
		policy        string
		done          []string
		waits, todo   string
	}{
		"Unread": {
			reason: "No file and no cluster says what the VM is.", claim: vm,
			waits: "web AdoptionTargetMissing: A rehearsal asks no Proxmox, and nothing that was observed says what VM 153 is: its adoption is not played.",
			todo:  "commit the claim without spec.adopt.approve:",
		},
		"UnreadContainer": {
			reason: "Nor what the container is.", claim: container,
			waits: "web AdoptionTargetMissing: A rehearsal asks no Proxmox, and nothing that was observed says what container 153 is: its adoption is not played.",
			todo:  "commit the claim without spec.adopt.approve:",
		},
		"Runs": {
			reason: "It runs on, and neither boots nor restarts.", claim: vm, made: world.FromYAML(t, `{name: oldweb, nodeName: pve1, started: true, cpu: [{cores: 1}], memory: [{dedicated: 2048}], disk: [{interface: scsi0, datastoreId: local-zfs, size: 40}], networkDevice: [{bridge: vmbr0}]}`),
			done: []string{"VM 153 (web, pve1) is adopted", "VM 153 (web, pve1) is changed: cpu, description, memory, name, operatingSystem, scsiHardware"},
		},
		"Restarts": {
			reason: "Once, where the claim says so.", claim: vm, policy: "WhenNeeded",
			made: world.FromYAML(t, `{name: oldweb, nodeName: pve1, started: true, cpu: [{cores: 1}], memory: [{dedicated: 2048}], disk: [{interface: scsi0, datastoreId: local-zfs, size: 40}], networkDevice: [{bridge: vmbr0}]}`),
			done: []string{
				"VM 153 (web, pve1) is adopted", "VM 153 (web, pve1) is changed: cpu, description, memory, name, operatingSystem, scsiHardware",
				"VM 153 (web, pve1) is stopped", "VM 153 (web, pve1) is started",
			},
		},
		"Container": {
			reason: "A container runs on, too.", claim: container,
			made: world.FromYAML(t, `{nodeName: pve1, vmId: 153, started: true, unprivileged: true, cpu: [{cores: 1}], memory: [{dedicated: 512}], disk: [{datastoreId: local-zfs, size: 8}], initialization: [{hostname: oldweb}]}`),
			done: []string{"container 153 (web, pve1) is adopted", "container 153 (web, pve1) is changed: cpu"},
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			claim := strings.ReplaceAll(tc.claim, "POLICY", cmp.Or(tc.policy, "OnRequest"))
			in := edited(t, claim, nil)

			if tc.made == nil {
				in.Machines[0].Was = nil

				r := rehearsed(t, in)
				if w := r.Verdict.Waits; len(w) != 1 || w[0].Machine+" "+w[0].Reason+": "+w[0].Message != tc.waits || !strings.HasPrefix(w[0].Todo, tc.todo) {
					t.Errorf("%s want %s %s, got %+v", tc.reason, tc.waits, tc.todo, w)
				}

				return
			}

			p, err := begin(context.Background(), in)
			if err != nil {
				t.Fatal(err)
			}

			proxmox := p.cluster.Machines[0].Proxmox
			if tc.claim == vm {
				proxmox.ByHand(153, tc.made)
			} else {
				proxmox.Containers[153] = &world.Container{Config: tc.made}
			}

			p.settle()

			plan, _ := world.Object(world.Object(p.cluster.Machines[0].Composite["status"])["adoption"])["plan"].(string)
			is := sceneOf(t, strings.ReplaceAll(claim, "adopt: {vmId: 153}", strings.ReplaceAll(approval, "PLAN", plan)), preview.WorldWith(observedOf(p)))

			asObserved(in, is)

			r := rehearsed(t, in)

			var done []string
			for _, s := range r.Steps {
				done = append(done, s.Done...)
			}

			if diff := gocmp.Diff(tc.done, done); diff != "" {
				t.Errorf("%s -want, +got:\n%s\n%+v", tc.reason, diff, r)
			}
		})
	}
}
