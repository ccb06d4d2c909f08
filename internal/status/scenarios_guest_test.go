package status

import (
	"testing"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

const (
	reportAge = " The report is at most as old as the provider's --poll, 10 minutes if that is not set."
	reportHow = " On the VM, `k3s-bootstrap status` has the details."
)

// reportingK3s is a K3s node whose Node nobody reads, with links of its guest.
func reportingK3s(t *testing.T, when v1alpha1.ReadyWhen, links ...string) Input {
	t.Helper()

	in := settled(t)
	in.Machine.K3s = &machine.K3s{Role: v1alpha1.K3sAgent, Version: "v1.33.6+k3s1", ReadyWhen: when}
	in.Previous = after(Machine(in))
	in = edit(in, func(vm *proxmox.ObservedVM) {
		at := &vm.Status.AtProvider

		for _, name := range links {
			at.NetworkInterfaceNames, at.MACAddresses = append(at.NetworkInterfaceNames, name), append(at.MACAddresses, "9e:00:00:00:00:01")
		}
	})
	in.Plan.Observed = in.State

	return in
}

// unreadVM is a machine whose VM the provider could not read the last time.
func unreadVM(in Input) Input {
	in = edit(in, func(vm *proxmox.ObservedVM) {
		vm.Status.Conditions = set(vm.Status.Conditions, proxmox.Condition{
			Type: "Synced", Status: "False", Reason: "ReconcileError", Message: "observe failed: cannot run refresh: refresh failed: received an HTTP 502 response",
		})
	})
	in.Plan.Observed = in.State

	return in
}

// unreadIs what becomes of that: nothing is known of what its guest reports, which a condition of the type says.
func unreadIs(change func(*v1alpha1.Status), typ string) Output {
	const what = "vm (EnvironmentVM): Proxmox, or a proxy in front of it, does not answer."

	why := what + " Run `systemctl status pveproxy pvedaemon` on the endpoint's node; check the proxy if there is one. The provider retries automatically. VM 153 on node pve ran when the provider last read it."

	return Output{
		Status: made(change), Ready: readiness(false, true, true),
		Conditions: conditions(
			Condition{"MachineReady", "False", "ProviderError", what + " Condition ProviderHealthy says what to do."}, Condition{"ProviderHealthy", "False", "NetworkError", why},
			Condition{Type: typ, Status: "Unknown", Reason: ReasonVMUnread, Message: guestUnread},
		),
		Events: []Event{{Warning: true, Reason: "NetworkError", Message: why}},
	}
}

// nodeReports are the words that a K3s node reports where nobody reads its Node. The machine's readiness does not change.
func nodeReports() map[string]scenario {
	says := func(reason, link string, want Condition, events ...Event) scenario {
		want.Type = TypeNodeJoined

		return scenario{
			reason: reason,
			in:     func(t *testing.T) Input { t.Helper(); return reportingK3s(t, v1alpha1.ReadyWhenVM, link) },
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" }), Ready: readiness(true, true, true),
				Conditions: append(conditions(), want), Events: events,
			},
		}
	}

	failed := Condition{
		Status: "False", Reason: ReasonFailed,
		Message: "The guest reports that the last run of its bootstrap failed, with outcome endpoint: the cluster's address does not answer from the guest: " +
			"check that a server runs, and what is between them. It tries again by itself." + reportHow + reportAge,
	}
	silent := Condition{
		Type: TypeNodeJoined, Status: "Unknown", Reason: ReasonNotReported, Message: "The guest reports nothing of its bootstrap: it is stopped or starts, its guest agent does " +
			"not answer, or it is older than this report. In the guest, `ip -brief link` shows the report, a link such as k3s-joined.",
	}

	return map[string]scenario{
		"NodeReported": says("K3s has served once.", "k3s-joined", Condition{
			Status: "True", Reason: ReasonReported, Message: "The guest reports that K3s has served once. Nobody reads the Nodes of its cluster." + reportAge,
		}),
		"NodeReportedWaiting": says("The bootstrap waits.", "k3s-waiting", Condition{
			Status: "False", Reason: ReasonNotYet,
			Message: "The guest reports that its bootstrap waits for the clock, packages, the token or the cluster's address." + reportHow + reportAge,
		}),
		"NodeReportedInstalling": says("The bootstrap works.", "k3s-installing", Condition{
			Status: "False", Reason: ReasonNotYet,
			Message: "The guest reports that its bootstrap installs K3s, or waits until K3s serves." + reportHow + reportAge,
		}),
		"NodeReportedFailed": says("A person has to look.", "k3s-bad-endpoin", failed, Event{Warning: true, Reason: ReasonFailed, Message: failed.Message}),
		"NodeReportedNothing": {
			reason: "The claim waits for a report that does not come.",
			in:     func(t *testing.T) Input { t.Helper(); return reportingK3s(t, v1alpha1.ReadyWhenJoined) },
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" }), Ready: readiness(false, true, true),
				Conditions: append(conditions(), silent),
			},
		},
		"NodeReportUnread": {
			reason: "The provider cannot read the VM for the moment: the guest is not said to be silent.",
			in: func(t *testing.T) Input {
				t.Helper()

				return unreadVM(reportingK3s(t, v1alpha1.ReadyWhenJoined, "k3s-joined"))
			},
			want: unreadIs(func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" }, TypeNodeJoined),
		},
		"NodeReportedNoMore": {
			reason: "The guest agent fell silent: a condition that was said stays as it was until something else is said.",
			in: func(t *testing.T) Input {
				t.Helper()

				in := reportingK3s(t, v1alpha1.ReadyWhenVM)
				in.Previous = after(Machine(reportingK3s(t, v1alpha1.ReadyWhenVM, "k3s-joined")))

				return in
			},
			want: Output{
				Status: made(func(s *v1alpha1.Status) { s.K3sVersion = "v1.33.6+k3s1" }), Ready: readiness(true, true, true),
				Conditions: append(conditions(), silent),
			},
		},
	}
}
