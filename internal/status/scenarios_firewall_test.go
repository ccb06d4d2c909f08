package status

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// firewalls are the stages of a VM's own firewall.
func firewalls() map[string]scenario {
	const (
		datacenter = " It has an effect only if the firewall of the datacenter is on, too (Datacenter, Firewall, Options), which the function cannot see."
		does       = "only ping from everywhere; SSH (TCP 22) from 192.168.4.0/24"
	)

	ssh := machine.Firewall{Enabled: true, Log: "nolog", Rules: []machine.FirewallRule{{Macro: "Ping"}, {Protocol: "tcp", Port: "22", From: "192.168.4.0/24"}}}

	at := func(reason string, stage lifecycle.FirewallStage, wall *machine.Firewall, want Condition, also ...func(*Input)) scenario {
		want.Type = TypeFirewallApplied

		return scenario{
			reason: reason,
			in: func(t *testing.T) Input {
				t.Helper()

				in := settled(t)
				in.Machine.Firewall = wall
				in.Plan.Firewall = lifecycle.FirewallPlan{Stage: stage, Does: does}
				in.Desired.Firewalls = proxmox.Firewalls{}

				for _, change := range also {
					change(&in)
				}

				return in
			},
			want: Output{Status: made(func(*v1alpha1.Status) {}), Ready: readiness(true, true, true), Conditions: conditions(want)},
		}
	}

	stands := at("An entry of the catalogue is missing.", lifecycle.FirewallStands, &ssh, Condition{
		Status: "False", Reason: "FirewallStands", Message: "The firewall of VM 153 stays as it is: the catalogue lacks what its rules depend on.",
	})
	off, open := ssh, ssh
	off.Enabled, open.Rules = false, nil

	return map[string]scenario{
		"FirewallFiltering": at("All of it is there.", lifecycle.FirewallApplied, &ssh, Condition{
			Status: "True", Reason: "Filtering", Message: "The firewall of VM 153 drops incoming connections that no rule accepts." + datacenter,
		}),
		"FirewallOpen": at("It is on, and has no rules.", lifecycle.FirewallApplied, &open, Condition{
			Status: "True", Reason: "Open", Message: "The firewall of VM 153 is on and has no rules, so everything reaches the guest: set spec.firewall.preset or spec.firewall.allow." +
				datacenter,
		}),
		"FirewallSwitchedOff": at("The claim says so.", lifecycle.FirewallApplied, &off, Condition{
			Status: "True", Reason: "SwitchedOff", Message: "The firewall of VM 153 is off: spec.firewall.enabled is false.",
		}),
		"FirewallWithoutInterface": at("The third switch is off.", lifecycle.FirewallApplied, &ssh, Condition{
			Status: "True", Reason: "Filtering", Message: "The firewall of VM 153 drops incoming connections that no rule accepts." + datacenter +
				" It does not filter interfaces whose own switch is off: spec.network.firewall, spec.nics[0].firewall.",
		}, func(in *Input) {
			in.Machine.NICs[0].Firewall = new(false)
			in.Machine.NICs = append(in.Machine.NICs, machine.NIC{Bridge: "vmbr1", Firewall: new(false)})
		}),
		"FirewallBeforeInterface": at("The interface goes behind it last.", lifecycle.FirewallApplied, &ssh, Condition{
			Status: "False", Reason: "FirewallPending", Message: "The firewall of VM 153 is written, and filters nothing yet. The provider switches it on for spec.network.firewall now.",
		}, func(in *Input) {
			in.Machine.NICs[0].Firewall = new(true)
			vm := in.State.VMs["vm"]
			vm.Spec.ForProvider.NetworkDevice = []proxmox.NetworkDevice{{Bridge: "vmbr0", Firewall: new(false)}}
			in.State.VMs["vm"] = vm
		}),
		"FirewallNone": at("Nothing is left of it, and nobody waits any more.", lifecycle.FirewallNone, nil, Condition{
			Status: "False", Reason: "NoFirewall", Message: "The claim has no firewall, and the provider manages none of VM 153.",
		}, func(in *Input) {
			in.Previous.Conditions = append(in.Previous.Conditions, metav1.Condition{Type: "FirewallApplied", Status: "False", Reason: "FirewallLeaving"})
		}),
		"FirewallAccepting": at("Rules come first.", lifecycle.FirewallAccepting, &ssh, Condition{
			Status: "False", Reason: "FirewallPending",
			Message: "The provider writes the rules of VM 153. Only when they are there, its firewall drops the rest: " + does + "." + datacenter,
		}),
		"FirewallSwitching": at("Then the options.", lifecycle.FirewallSwitching, &ssh, Condition{
			Status: "False", Reason: "FirewallPending", Message: "The provider writes the firewall of VM 153.",
		}),
		"FirewallDiffers": at("Somebody changed it in Proxmox.", lifecycle.FirewallApplied, &ssh, Condition{
			Status: "False", Reason: "FirewallDiffers",
			Message: "Proxmox has other options of the firewall of VM 153 than the provider wrote: inputPolicy is ACCEPT, and is to be DROP; macfilter is false, and is to be true. " +
				"Somebody changed them, or the provider has not read them since it wrote them. It sets them back at its next turn. If this stays, its managed resource is paused, or " +
				"ProviderHealthy has the error. What is to stay belongs in spec.firewall.",
		}, func(in *Input) {
			in.Plan.Firewall.Differs = []proxmox.FirewallDifference{{Option: "inputPolicy", Has: "ACCEPT", Written: "DROP"}, {Option: "macfilter", Has: "false", Written: "true"}}
		}),
		"FirewallUnwritten": at("The provider cannot set it back.", lifecycle.FirewallSwitching, &ssh, Condition{
			Status: "False", Reason: "FirewallDiffers",
			Message: "Proxmox has other options of the firewall of VM 153 than the provider wrote: enabled is false, and is to be true. " +
				"Somebody changed them, or the provider has not read them since it wrote them. It sets them back at its next turn. If this stays, its managed resource is paused, or " +
				"ProviderHealthy has the error. What is to stay belongs in spec.firewall.",
		}, func(in *Input) {
			in.Plan.Firewall.Differs = []proxmox.FirewallDifference{{Option: "enabled", Has: "false", Written: "true"}}
		}),
		"FirewallReadsRules": at("There are rules, and nobody knows whose.", lifecycle.FirewallAccepting, &ssh, Condition{
			Status: "False", Reason: "FirewallPending",
			Message: "VM 153 has rules in Proxmox already. The provider reads them: if the claim has each of them, as after a creation that broke off, it writes the others. " +
				"It replaces none that somebody made.",
		}, func(in *Input) { in.Plan.Firewall.Found = lifecycle.FoundRules{ImportName: "vm/pve/153"} }),
		"FirewallHasRules": at("They are somebody's.", lifecycle.FirewallAccepting, &ssh, Condition{
			Status: "False", Reason: "FirewallHasRules",
			Message: "VM 153 has rules in Proxmox that the claim does not have: 0: IN ACCEPT -p tcp -dport 8006 # GUI; 2: | GROUP web -i net0. The provider neither replaces nor " +
				"deletes them, and writes none of the claim's. Write those that are to stay into spec.firewall.allow, with their comments, and delete the others (VM, Firewall); " +
				"before the last one that accepts something goes, switch the firewall off, so that nobody is locked out. The provider reads the rules at its next poll, and " +
				"writes the rest then.",
		}, func(in *Input) {
			in.Plan.Firewall.Found = lifecycle.FoundRules{ImportName: "vm/pve/153", Foreign: []proxmox.FoundFirewallRule{
				{FirewallRule: proxmox.FirewallRule{Type: "in", Action: "ACCEPT", Proto: "tcp", DPort: "8006", Comment: "GUI", Enabled: true}},
				{FirewallRule: proxmox.FirewallRule{SecurityGroup: "web"}, Iface: "net0", Pos: 2},
			}}
		}),
		"FirewallAwaitsVM": at("There is no VM yet.", lifecycle.FirewallAwaitsVM, &ssh, Condition{
			Status: "False", Reason: "FirewallPending", Message: "The provider writes the firewall when the VM exists: " + does + "." + datacenter,
		}),
		"FirewallStands": stands,
		"FirewallLeaving": at("The claim has none any more.", lifecycle.FirewallLeaving, nil, Condition{
			Status: "False", Reason: "FirewallLeaving",
			Message: "The claim has no firewall any more: the provider switches the firewall of VM 153 off, and deletes its rules then.",
		}),
	}
}
