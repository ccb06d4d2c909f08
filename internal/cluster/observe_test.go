package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
)

func TestObserve(t *testing.T) {
	const spec = "spec: {crossplane: {}, class: medium, k3s: {role: server}}\n"

	about := "    - {type: SpecObserved, status: \"True\", message: \"" + claim.Intent(map[string]any{"spec": map[string]any{"class": "medium", "k3s": map[string]any{"role": "server"}}}) + "\"}\n"
	said := map[string]any{"class": "medium", "k3s": map[string]any{"role": "server"}}
	mark := "annotations: {homelab.io/cluster-template: abc}"
	node := func(edit func(*Child)) Child {
		c := Child{NodeName: "home-server-0", Machine: "home-server-0", Role: v1alpha1.K3sServer, Spec: said, Template: "abc"}
		edit(&c)

		return c
	}

	cases := map[string]struct {
		reason, composite string
		want              Child
	}{
		"New": {
			reason: "Crossplane has only created it.", composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec,
			want: node(func(*Child) {}),
		},
		"Ready": {
			reason: "It serves, and its Node is read.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 3}\n" + spec + `status:
  vmId: 4101
  node: pve1
  primaryAddress: 192.168.4.211
  k3sVersion: v1.33.6+k3s1
  kubernetes: {name: node-of-another-name, version: v1.34.2+k3s1}
  conditions:
    - {type: Synced, status: "True", observedGeneration: 3}
    - {type: Ready, status: "True"}
    - {type: NodeJoined, status: "True", reason: Joined}
    - {type: EtcdMember, status: "True", reason: Voter}
` + about,
			want: node(func(c *Child) {
				c.Answered, c.Joined, c.Ready, c.VMID, c.ProxmoxNode, c.Address = true, true, true, new(int64(4101)), "pve1", "192.168.4.211"
				c.Version, c.VersionSeen, c.NodeName = "v1.34.2+k3s1", true, "node-of-another-name"
			}),
		},
		"Behind": {
			reason: "Its conditions are about an earlier spec, although Crossplane says that it has reconciled this generation.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 4}\n" + spec + `status:
  appliedSpec: {class: small}
  conditions:
    - {type: Synced, status: "True", observedGeneration: 4}
    - {type: SpecObserved, status: "True", message: "0123456789"}
`,
			want: node(func(c *Child) { c.Joined = true }),
		},
		"Making": {
			reason: "That part of its spec is refused does not hide that its VM is being made.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: SpecValid, status: "False", reason: Invalid}
    - {type: MachineReady, status: "False", reason: Creating}
` + about,
			want: node(func(c *Child) { c.Answered, c.VM, c.Trouble = true, VMStateMaking, "SpecValid Invalid" }),
		},
		"NumberTaken": {
			reason: "Nobody but a person gives it another VMID.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\nspec: {class: medium, proxmox: {vmId: 4101}, k3s: {role: server}}\n" + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: VMIDInUse, status: "True", reason: NumberTaken, message: Choose another VMID.}
`,
			want: node(func(c *Child) {
				c.Held = Hold{"NumberTaken", "Choose another VMID."}
				c.Spec = map[string]any{"class": "medium", "proxmox": map[string]any{"vmId": 4101.0}, "k3s": map[string]any{"role": "server"}}
			}),
		},
		"NumberTakenOfRange": {
			reason: "The function goes on to the next one.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: VMIDInUse, status: "True", reason: NumberTaken, message: The provider checks VMID 4102 next.}
` + about,
			want: node(func(c *Child) { c.Answered = true }),
		},
		"Unmade": {
			reason: "Nothing was ever written for a node that is refused from its first call on.",
			composite: "metadata: {name: home-server-0, " + mark + "}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError}
    - {type: SpecValid, status: "False", reason: ConfigurationError, message: The quota has no room.}
`,
			want: node(func(c *Child) {
				c.Trouble, c.Refused = "SpecValid ConfigurationError", "The quota has no room."
				c.Unmade = true
			}),
		},
		"RefusedLater": {
			reason: "It was called without a fault before.",
			composite: "metadata: {name: home-server-0, " + mark + "}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError}
    - {type: SpecValid, status: "False", reason: ConfigurationError, message: The quota has no room.}
    - {type: SpecObserved, status: Unknown, reason: FatalError}
`,
			want: node(func(c *Child) {
				c.Trouble, c.Refused = "SpecValid ConfigurationError", "The quota has no room."
			}),
		},
		"RefusedWithVM": {
			reason: "It has a VMID.",
			composite: "metadata: {name: home-server-0, " + mark + "}\n" + spec + `status:
  vmId: 4101
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError}
    - {type: SpecValid, status: "False", reason: ConfigurationError, message: The quota has no room.}
`,
			want: node(func(c *Child) {
				c.Trouble, c.Refused = "SpecValid ConfigurationError", "The quota has no room."
				c.VMID = new(int64(4101))
			}),
		},
		"RefusedWithResources": {
			reason: "Its status is lost, and what it composed is not.",
			composite: "metadata: {name: home-server-0, " + mark + "}\nspec: {crossplane: {resourceRefs: [{name: vm}]}, class: medium, k3s: {role: server}}\n" + `status:
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError}
    - {type: SpecValid, status: "False", reason: ConfigurationError, message: The quota has no room.}
`,
			want: node(func(c *Child) {
				c.Trouble, c.Refused = "SpecValid ConfigurationError", "The quota has no room."
			}),
		},
		"RefusedAdoption": {
			reason: "The VM that it is to adopt is there.",
			composite: "metadata: {name: home-server-0, " + mark + "}\nspec: {class: medium, adopt: {vmId: 4101}, k3s: {role: server}}\n" + `status:
  conditions:
    - {type: Synced, status: "False", reason: ReconcileError}
    - {type: SpecValid, status: "False", reason: ConfigurationError, message: The quota has no room.}
`,
			want: node(func(c *Child) {
				c.Trouble, c.Refused = "SpecValid ConfigurationError", "The quota has no room."
				c.Spec = map[string]any{"class": "medium", "k3s": map[string]any{"role": "server"}, "adopt": map[string]any{"vmId": 4101.0}}
			}),
		},
		"NoCredentials": {
			reason: "What only a person can mend holds the node up, and is its trouble.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: MachineReady, status: "False", reason: Creating}
    - {type: ProviderHealthy, status: "False", reason: AuthenticationError, message: Proxmox refuses the token.}
` + about,
			want: node(func(c *Child) {
				c.Answered, c.VM, c.Trouble, c.Provider = true, VMStateMaking, "ProviderHealthy AuthenticationError", ProviderTroubled
				c.Held = Hold{Reason: "AuthenticationError", Message: "Proxmox refuses the token."}
			}),
		},
		"Busy": {
			reason: "What passes by itself holds nobody up.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: ProviderHealthy, status: "False", reason: Busy, message: Proxmox is busy.}
` + about,
			want: node(func(c *Child) { c.Answered, c.Trouble, c.Provider = true, "ProviderHealthy Busy", ProviderTroubled }),
		},
		"HostSilent": {
			reason: "What is on a Proxmox node that does not answer cannot be deleted: the cluster has to know.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: ProviderHealthy, status: "False", reason: NodeUnhealthy, message: pve2 does not answer.}
` + about,
			want: node(func(c *Child) {
				c.Answered, c.Trouble, c.Provider = true, "ProviderHealthy NodeUnhealthy", ProviderHostSilent
				c.Held = Hold{Reason: "NodeUnhealthy", Message: "pve2 does not answer."}
			}),
		},
		"Broken": {
			reason: "What it says of itself is in the cluster's message.",
			composite: "metadata: {name: home-server-0, " + mark + ", generation: 1}\n" + spec + `status:
  conditions:
    - {type: Synced, status: "True", observedGeneration: 1}
    - {type: MachineReady, status: "False", reason: WaitingForAddress}
    - {type: NodeReady, status: "Unknown", reason: NodeUnread}
` + about,
			want: node(func(c *Child) {
				c.Answered, c.Trouble, c.Silent = true, "MachineReady WaitingForAddress", []string{"NodeReady NodeUnread"}
			}),
		},
		"Replacing": {
			reason: "A new VM is on its way.",
			composite: "metadata: {name: home-server-0, annotations: {homelab.io/cluster-template: abc, homelab.io/cluster-turn: Replaced, homelab.io/cluster-joined: \"true\", " +
				"homelab.io/cluster-requested: '{\"drain\":\"a\"}', homelab.io/cluster-data-disks: \"true\"}}\n" + spec + `status:
  conditions:
    - {type: ReplacementRequired, status: "True", reason: Replacing}
    - {type: RebootPending, status: "True", reason: ChangesPending}
`,
			want: node(func(c *Child) {
				c.Template, c.Turn, c.Joined, c.Requested, c.DataDisks = "abc", TurnReplaced, true, map[string]any{"drain": "a"}, true
				c.Need, c.Restart = NeedReplacing, RestartPending
			}),
		},
		"Bootstrap": {
			reason: "Only a new VM gets what its first boot reads.",
			composite: "metadata: {name: home-server-0, " + mark + ", deletionTimestamp: \"2026-11-22T10:00:00Z\"}\n" + spec +
				"status: {conditions: [{type: BootstrapCurrent, status: \"False\", reason: BootstrapChanged}]}\n",
			want: node(func(c *Child) { c.Need, c.Deleting = NeedNewVM, true }),
		},
		"Founded": {
			reason: "Its VM started the cluster, and its spec says that the next one joins.",
			composite: "metadata: {name: home-server-0, " + mark + "}\n" + spec + "status: {conditions: [{type: BootstrapCurrent, status: \"False\", reason: BootstrapChanged, " +
				"message: \"other bootstrap data than the VM was created with: spec.k3s.init, spec.k3s.server. The VM\"}]}\n",
			want: node(func(c *Child) { c.Need, c.Founded = NeedNewVM, true }),
		},
		"HostName": {
			reason: "Its Node has the host name without the domain, also while nobody has read it.", composite: "metadata: {name: x-server-0, " + mark + "}\nspec: {hostname: home-server-0.home.arpa, k3s: {role: server}}\n",
			want: node(func(c *Child) {
				c.Machine, c.Spec = "x-server-0", map[string]any{"hostname": "home-server-0.home.arpa", "k3s": map[string]any{"role": "server"}}
			}),
		},
		"Version": {
			reason:    "Another release of K3s asks for nothing by itself.",
			composite: "metadata: {name: home-server-0, " + mark + "}\n" + spec + "status: {conditions: [{type: BootstrapCurrent, status: \"True\", reason: K3sVersionChanged}]}\n",
			want:      node(func(c *Child) { c.VersionChanged = true }),
		},
	}

	cases["ReferredTo"] = struct {
		reason, composite string
		want              Child
	}{
		reason: "Crossplane refers to a K3sNode that is adopted before it has written it.", composite: "metadata: {name: server-1}\n" + spec,
		want: node(func(c *Child) { c.Machine, c.NodeName, c.Template, c.Adopted = "server-1", "server-1", "", true }),
	}
	cases["HadAClaim"] = struct {
		reason, composite string
		want              Child
	}{
		reason: "A node that had a claim has the claim's name.", composite: "metadata: {name: a-x7k2p, " + mark + "}\nspec: {claimRef: {name: a}, class: medium, k3s: {role: server}}\n",
		want: node(func(c *Child) { c.Machine, c.NodeName = "a-x7k2p", "a" }),
	}
	cases["Adopted"] = struct {
		reason, composite string
		want              Child
	}{
		reason:    "It was adopted, and had turns since.",
		composite: "metadata: {name: server-1, annotations: {homelab.io/cluster-template: abc, homelab.io/cluster-adopted: \"true\"}}\n" + spec,
		want:      node(func(c *Child) { c.Machine, c.NodeName, c.Adopted = "server-1", "server-1", true }),
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			composite := map[string]any{}
			if err := yaml.Unmarshal([]byte(tc.composite), &composite); err != nil {
				t.Fatal(err)
			}

			got, err := Observe(composite)
			if err != nil {
				t.Fatal(err)
			}

			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%s\nObserve(...): -want, +got:\n%s", tc.reason, diff)
			}
		})
	}
}
