package world

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReturn: a Proxmox node that comes back starts what it starts when it boots, and nothing else.
func TestReturn(t *testing.T) {
	p := NewCluster(t, nil).NewProxmox()

	for id, config := range map[int]map[string]any{
		101: {"nodeName": "pve1", "onBoot": true, "started": true},
		102: {"nodeName": "pve1", "onBoot": false, "started": true},
		103: {"nodeName": "pve1", "onBoot": true, "started": false},
		104: {"nodeName": "pve2", "onBoot": false, "started": true},
	} {
		vm := &VM{Config: config}
		if config["started"] == true {
			vm.Running = Object(Copy(config))
		}

		p.VMs[id] = vm
	}

	for id, starts := range map[int]bool{201: true, 202: false} {
		p.Containers[id] = &Container{Config: map[string]any{"nodeName": "pve1", "startOnBoot": starts, "started": true}}
	}

	p.Die("pve1")
	p.Return("pve1")

	got := map[int]bool{}
	for id, vm := range p.VMs {
		got[id] = vm.Running != nil
	}

	for id, c := range p.Containers {
		got[id] = c.Config["started"] == true
	}

	if diff := cmp.Diff(map[int]bool{101: true, 102: false, 103: true, 104: true, 201: true, 202: false}, got); diff != "" || len(p.Dead) > 0 {
		t.Errorf("dead: %v; what runs -want, +got:\n%s", p.Dead, diff)
	}
}
