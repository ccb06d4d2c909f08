package world

import (
	"fmt"
	"strings"
)

// identitiesOf a VM that runs.
func identitiesOf(vm *VM) []string {
	out := []string{"name " + fmt.Sprint(vm.Running["name"])}

	for _, d := range List(vm.Running["networkDevice"]) {
		if mac, ok := Object(d)["macAddress"].(string); ok {
			out = append(out, "MAC address "+strings.ToUpper(mac))
		}
	}

	for _, i := range List(vm.Running["initialization"]) {
		for _, c := range List(Object(i)["ipConfig"]) {
			for _, v4 := range List(Object(c)["ipv4"]) {
				if a, ok := Object(v4)["address"].(string); ok && a != "dhcp" {
					out = append(out, "address "+a)
				}
			}
		}
	}

	return out
}

// sameIdentities tells of each address, MAC address or name with which two VMs run.
func (p *Proxmox) sameIdentities(tell func(one, other int, what string)) {
	has := map[string]int{}

	for id, vm := range p.VMs {
		if vm.Running == nil {
			continue
		}

		for _, what := range identitiesOf(vm) {
			if other, taken := has[what]; taken {
				tell(min(id, other), max(id, other), what)
			}

			has[what] = id
		}
	}
}
