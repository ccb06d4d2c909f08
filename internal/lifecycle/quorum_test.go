package lifecycle

import (
	"strings"
	"testing"

	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// server is another server's VM that is ready.
func server(name string) proxmox.ObservedVM {
	vm := proxmox.ObservedVM{}
	vm.Metadata.Namespace = "infra"
	vm.Metadata.Labels = map[string]string{proxmox.CompositeLabel: name, proxmox.ClusterLabel: "home"}
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: "101"}
	vm.Status.AtProvider.ID, vm.Status.AtProvider.Started = "101", true
	vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "True"}}

	return vm
}

func stopped(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Status.AtProvider.Started = false
	return vm
}

func failing(vm proxmox.ObservedVM) proxmox.ObservedVM {
	vm.Status.Conditions = []proxmox.Condition{{Type: "Ready", Status: "True"}, {Type: "Synced", Status: "False"}}
	return vm
}

// annotated is a VM with one annotation more.
func annotated(vm proxmox.ObservedVM, key, value string) proxmox.ObservedVM {
	vm.Metadata.Annotations = map[string]string{proxmox.ExternalNameAnnotation: vm.Metadata.ExternalName(), key: value}
	return vm
}

func TestBlocked(t *testing.T) {
	current := made()
	other := func(id int64) proxmox.ObservedVM {
		vm := made()
		vm.Spec.ForProvider.VMID = &id

		return vm
	}
	making := func(name string) proxmox.ObservedVM {
		return annotated(server(name), proxmox.CandidateAnnotation, "true")
	}
	leaving := func(name string) proxmox.ObservedVM {
		return annotated(server(name), proxmox.StoppedForAnnotation, "replacement")
	}

	cases := map[string]struct {
		reason  string
		current proxmox.ObservedVM
		facts   Facts
		want    string // A part of the answer; empty: it may begin.
	}{
		"Machine": {reason: "Nothing speaks against it.", current: current},
		"SameNumber": {
			reason: "Two VMs cannot have one number.", current: other(153), facts: Facts{VMID: 153}, want: "spec.proxmox.vmId gives the new one the number of the old one, 153",
		},
		"NumberOfProxmox": {
			reason: "The old one's number may be one that Proxmox chose.", current: current, facts: Facts{VMID: 153}, want: "153: choose another number",
		},
		"OtherNumber": {reason: "With another number they can be side by side.", current: other(153), facts: Facts{VMID: 154}},
		"NoCluster": {
			reason: "Nobody can count the servers of a cluster without a name.", current: current, facts: Facts{Server: true}, want: "name the cluster in spec.k3s.cluster",
		},
		"OneServer": {
			reason: "The only server holds the state.", current: current, facts: Facts{Server: true, Cluster: "home"}, want: "the only server of K3s cluster home",
		},
		"OneServerWithDatastore": {
			reason:  "Its state is elsewhere, but its cluster would stand still, and no server can join one that does.",
			current: current, facts: Facts{Server: true, Cluster: "home", Datastore: true}, want: "the only server of K3s cluster home",
		},
		"TwoServers": {
			reason: "An etcd of two stands still without one.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b")}}, want: "1 of the 2 that its etcd needs",
		},
		"TwoServersWithDatastore": {
			reason: "Without etcd one server is enough.", current: current,
			facts: Facts{Server: true, Cluster: "home", Datastore: true, Siblings: []proxmox.ObservedVM{server("b")}},
		},
		"TwoServersWithDatastoreUnready": {
			reason: "But it has to be there.", current: current,
			facts: Facts{Server: true, Cluster: "home", Datastore: true, Siblings: []proxmox.ObservedVM{stopped(server("b"))}}, want: "0 of the 1",
		},
		"ThreeServers": {
			reason: "Two of three are a quorum.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), server("c")}},
		},
		"ThreeServersOneStopped": {
			reason: "One of three is none.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), stopped(server("c"))}}, want: "1 of the 2",
		},
		"ThreeServersOneFailing": {
			reason: "Nobody knows how it is with a server that the provider cannot read.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), failing(server("c"))}}, want: "1 of the 2",
		},
		"ThreeServersOneReplaced": {
			reason: "A server that was just made has not joined yet, and the one before it is stopped.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), stopped(leaving("c")), making("c")}}, want: "1 of the 2",
		},
		"ThreeServersOneGoes": {
			reason: "A server that is about to stop counts no more.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), leaving("c")}}, want: "1 of the 2",
		},
		"ThreeServersOneHasTwoVMs": {
			reason: "A server with two VMs counts once.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), server("b"), stopped(server("c"))}}, want: "3 servers with this one",
		},
		"FourServersOneStopped": {
			reason: "Four need three.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), server("c"), stopped(server("d"))}}, want: "2 of the 3",
		},
		"FiveServers": {
			reason: "Five can do without one, and without another one.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), server("c"), server("d"), stopped(server("e"))}},
		},
		"FiveServersTwoStopped": {
			reason: "Not without a third.", current: current,
			facts: Facts{Server: true, Cluster: "home", Siblings: []proxmox.ObservedVM{server("b"), server("c"), stopped(server("d")), stopped(server("e"))}}, want: "2 of the 3",
		},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := Judge(tc.current, tc.facts).Blocked
			if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("%s\nJudge() blocked: want %q, got %q", tc.reason, tc.want, got)
			}
		})
	}
}
