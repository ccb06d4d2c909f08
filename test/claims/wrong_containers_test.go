package claims

import "github.com/homelab-io/function-proxmox-machine/internal/claim"

func wrongContainers() map[string]wrong {
	const place = `image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", proxmox: {node: pve, vmId: 150}`

	container := func(spec string) string {
		return document(claim.KindContainer, "{name: m, namespace: default}", "{"+spec+"}")
	}
	with := func(more string) string { return container(place + ", " + more) }

	return map[string]wrong{
		"ContainerFirewallServer": {reason: "A container is no node of K3s.", claim: with(`firewall: {preset: k3s-server}`), xrd: true, want: one("spec.firewall.preset", `"k3s-server": k3s-server and k3s-agent are for the VMs of a cluster: a container has the preset ssh or none`)},
		"ContainerFirewallAgent":  {reason: "Nor an agent.", claim: with(`firewall: {preset: k3s-agent}`), xrd: true, want: one("spec.firewall.preset", "a container has the preset ssh or none")},
		"ContainerFirewallPreset": {reason: "There are two.", claim: with(`firewall: {preset: web}`), xrd: true, want: one("spec.firewall.preset", `Unsupported value: "web": supported values: "ssh", "none"`)},
		"ContainerFirewallAll": {reason: "All faults at once, as with a VM.", claim: with(`firewall: {preset: k3s-agent, log: warn, allow: [{port: 22}, {port: 0, from: x}]}`), xrd: true, want: []fault{
			{"spec.firewall.allow[1].from", "must be an IP address"}, {"spec.firewall.allow[1].port", "must be a port"}, {"spec.firewall.log", "warn"}, {"spec.firewall.preset", "ssh or none"},
		}},
		"ContainerNICBridge":  {reason: "A further interface has no default bridge.", claim: with(`nics: [{dhcp: true}]`), xrd: true, want: one("spec.nics[0].bridge", "Required value")},
		"ContainerNICPrefix":  {reason: "Nor a prefix length of the site.", claim: with(`nics: [{bridge: vmbr1, ip: 10.30.0.5}]`), xrd: true, want: one("spec.nics[0].cidr", "the prefix length of the subnet is required with ip")},
		"ContainerNICBoth":    {reason: "An address is fixed or not.", claim: with(`nics: [{bridge: vmbr1, dhcp: true, ip: 10.30.0.5/24}]`), xrd: true, want: one("spec.nics[0]", "set at most one of dhcp: true and ip")},
		"ContainerNICMTU":     {reason: "A container takes the MTU of the bridge without a word for it.", claim: with(`nics: [{bridge: vmbr1, mtu: 1}]`), xrd: true, want: one("spec.nics[0].mtu", "from 576 to 65520")},
		"ContainerNICGateway": {reason: "The gateway is in the subnet.", claim: with(`nics: [{bridge: vmbr1, ip: 10.30.0.5/24, gateway: 10.31.0.1}]`), xrd: true, want: one("spec.nics[0].gateway", "inside the subnet")},
		"ContainerNICMany":    {reason: "There are at most eight with the first one.", claim: with(`nics: [{bridge: a}, {bridge: a}, {bridge: a}, {bridge: a}, {bridge: a}, {bridge: a}, {bridge: a}, {bridge: a}]`), xrd: true, want: one("spec.nics", "at most 7")},
		"ContainerNICSame":    {reason: "Two interfaces share neither address nor MAC address.", claim: with(`network: {ip: 10.0.0.5/24, mac: "BC:24:11:00:00:53"}, nics: [{bridge: vmbr1, ip: 10.0.0.5/24, mac: "bc:24:11:00:00:53"}]`), want: []fault{{"spec.nics[0].ip", "Duplicate"}, {"spec.nics[0].mac", "Duplicate"}}},
		"ContainerNICAll": {reason: "All faults at once, each at its interface.", claim: with(`nics: [{bridge: "a b", vlan: 5000}, {bridge: vmbr1, ip: 10.0.0.5/24, mac: x}]`), xrd: true, want: []fault{
			{"spec.nics[0].bridge", "must be the name of a bridge"}, {"spec.nics[0].vlan", "from 1 to 4094"}, {"spec.nics[1].mac", "must be a MAC address"},
		}},
		"ContainerAvoids":         {reason: "A node has a node's name.", claim: container(`image: "local:vztmpl/debian-12.tar.zst", proxmox: {node: pve, vmId: 150, avoid: [pve1, "p v"]}`), xrd: true, want: one("spec.proxmox.avoid[1]", `"p v": must be the name of a Proxmox node`)},
		"ContainerSpread":         {reason: "The group is a label's value.", claim: container(`image: "local:vztmpl/debian-12.tar.zst", proxmox: {node: pve, vmId: 150, spread: "a b"}`), xrd: true, want: one("spec.proxmox.spread", `"a b": must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen`)},
		"ContainerPoolAndIP":      {reason: "One way to an address.", claim: with(`network: {pool: true, ip: 10.0.0.5/24}`), xrd: true, want: one("spec.network", "set exactly one of dhcp: true, pool: true and ip")},
		"ContainerPoolAdopted":    {reason: "Its address was given by somebody.", claim: container(`proxmox: {node: pve}, adopt: {vmId: 101}, network: {pool: true}`), xrd: true, want: one("spec.network.pool", "an adopted container keeps its own address")},
		"ContainerAdoptedNowhere": {reason: "The provider finds a container on its own node only.", claim: container(`adopt: {vmId: 101}, proxmox: {site: home}`), xrd: true, want: one("spec.proxmox.node", "a container that is adopted needs its node")},
		"ContainerProtection":     {reason: "It is on or off.", claim: container(`image: "local:vztmpl/debian-12-standard_12.7-1_amd64.tar.zst", proxmox: {node: pve, vmId: 150, protection: "1"}`), xrd: true, want: one("spec.proxmox.protection", "must be true or false")},
		"ContainerHA":             {reason: "The HA manager moves what the provider finds on one node only.", claim: with(`ha: {enabled: true}`), xrd: true, want: one("spec.ha", "unknown field of a Container: a Machine has ha. The HA manager may move a container to another node")},
		"ContainerAvailability":   {reason: "By another word.", claim: with(`availability: High`), xrd: true, want: one("spec.availability", "The HA manager may move a container to another node")},
		"ContainerReplace":        {reason: "A truth value is no trigger.", claim: with(`lifecycle: {replace: "true"}`), xrd: true, want: one("spec.lifecycle.replace", "acts once for each new value")},
		"ContainerRetry":          {reason: "Nothing waits for one.", claim: with(`lifecycle: {retry: "2026-11-20"}`), xrd: true, want: one("spec.lifecycle.retry", "nothing of a container waits for a retry")},
		"ContainerRollout":        {reason: "A place in a group has a group and a wave from 1 on.", claim: with(`rollout: {group: Edge, wave: 0}`), xrd: true, want: []fault{{"spec.rollout.group", "must hold only lower case"}, {"spec.rollout.wave", "from 1 to 100"}}},
		"ContainerApproval":       {reason: "One of three words, and a hash.", claim: with(`lifecycle: {approval: Sometimes, approve: abc}`), xrd: true, want: []fault{{"spec.lifecycle.approval", "Sometimes"}, {"spec.lifecycle.approve", "must be the value of status.plan.hash"}}},
		"ContainerAllOfVMs": {reason: "All at once, each where it was typed.", claim: with(`availability: High, ha: {enabled: true}, lifecycle: {retry: a}, firewall: {preset: k3s-server}`), xrd: true, want: []fault{
			{"spec.availability", "HA manager"},
			{"spec.firewall.preset", "ssh or none"},
			{"spec.ha", "HA manager"},
			{"spec.lifecycle.retry", "waits for a retry"},
		}},
	}
}
