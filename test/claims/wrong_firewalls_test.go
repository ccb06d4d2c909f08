package claims

func wrongFirewalls() map[string]wrong {
	firewall := func(f string) string { return aMachine(`{proxmox: {node: pve}, firewall: ` + f + `}`) }
	rule := func(r string) string { return firewall(`{allow: [` + r + `]}`) }
	node := func(role, f string) string {
		return aNode(`{proxmox: {node: pve}, firewall: ` + f + `, k3s: {role: ` + role + `, server: "https://192.168.4.210:6443", version: v1.33.6+k3s1, token: {file: /etc/rancher/k3s/token}}, bootstrap: {snippets: {vendorData: "local:snippets/token.yaml"}}}`)
	}

	const ports = "must be a port from 1 to 65535, such as 443, or a range of ports, such as 30000-32767"

	return map[string]wrong{
		"FirewallPreset":       {reason: "There are four.", claim: firewall(`{preset: k3s}`), xrd: true, want: one("spec.firewall.preset", `Unsupported value: "k3s"`)},
		"FirewallLog":          {reason: "A level of Proxmox.", claim: firewall(`{log: warn}`), xrd: true, want: one("spec.firewall.log", `Unsupported value: "warn"`)},
		"FirewallProtocol":     {reason: "Ports are of TCP or UDP.", claim: rule(`{port: 443, protocol: sctp}`), xrd: true, want: one("spec.firewall.allow[0].protocol", `"sctp": must be tcp or udp; other protocols are for a security group`)},
		"FirewallPing":         {reason: "Who writes icmp wants to ping the guest.", claim: rule(`{port: 443, protocol: icmp}`), xrd: true, want: one("spec.firewall.allow[0].protocol", `every preset but none opens ping`)},
		"FirewallPorts":        {reason: "Proxmox has lists of ports; a rule of the claim has one.", claim: rule(`{port: "80,443"}`), xrd: true, want: one("spec.firewall.allow[0].port", `write one rule for each`)},
		"FirewallNoPort":       {reason: "A rule without a port would let everything through.", claim: rule(`{from: 192.168.4.0/24}`), xrd: true, want: one("spec.firewall.allow[0].port", ports)},
		"FirewallPortZero":     {reason: "There is no such port.", claim: rule(`{port: 0}`), xrd: true, want: one("spec.firewall.allow[0].port", `"0": `+ports)},
		"FirewallPortHigh":     {reason: "A port has 16 bits.", claim: rule(`{port: 65536}`), xrd: true, want: one("spec.firewall.allow[0].port", `"65536": `+ports)},
		"FirewallPortName":     {reason: "A port is a number.", claim: rule(`{port: https}`), xrd: true, want: one("spec.firewall.allow[0].port", `"https": `+ports)},
		"FirewallRangeBack":    {reason: "A range goes up.", claim: rule(`{port: 32767-30000}`), xrd: true, want: one("spec.firewall.allow[0].port", `"32767-30000": `+ports)},
		"FirewallRangeHigh":    {reason: "A port has 16 bits.", claim: rule(`{port: 30000-70000}`), xrd: true, want: one("spec.firewall.allow[0].port", `"30000-70000": `+ports)},
		"FirewallRangeOfThree": {reason: "A range has two ends.", claim: rule(`{port: 1-2-3}`), xrd: true, want: one("spec.firewall.allow[0].port", `"1-2-3": `+ports)},
		"FirewallFromName":     {reason: "A firewall knows no names.", claim: rule(`{port: 22, from: laptop}`), xrd: true, want: one("spec.firewall.allow[0].from", `"laptop": must be an IP address such as 192.168.4.10, or a network such as 192.168.4.0/24`)},
		"FirewallFromHost":     {reason: "A host, or its network?", claim: rule(`{port: 22, from: 192.168.4.53/24}`), xrd: true, want: one("spec.firewall.allow[0].from", `"192.168.4.53/24": must be a network: write 192.168.4.0/24`)},
		"FirewallFromGuestSet": {reason: "An IP set of the VM goes with it.", claim: rule(`{port: 22, from: +guest/lan}`), xrd: true, want: one("spec.firewall.allow[0].from", `"+guest/lan": a rule of a claim names what the datacenter's firewall has, such as +dc/lan`)},
		"FirewallFromOwnAlias": {reason: "So does an alias.", claim: rule(`{port: 22, from: guest/nas}`), xrd: true, want: one("spec.firewall.allow[0].from", `"guest/nas": a rule of a claim names what the datacenter's firewall has`)},
		"FirewallFromZone":     {reason: "And what SDN makes of a zone.", claim: rule(`{port: 22, from: +sdn/lan-all}`), xrd: true, want: one("spec.firewall.allow[0].from", `"+sdn/lan-all": a rule of a claim names what the datacenter's firewall has`)},
		"FirewallFromLetter":   {reason: "Proxmox has no such short name.", claim: rule(`{port: 22, from: +l}`), xrd: true, want: one("spec.firewall.allow[0].from", `"+l": must be one name of the datacenter's firewall`)},
		"FirewallFromCapitals": {reason: "Proxmox would not find it.", claim: rule(`{port: 22, from: +dc/LAN}`), xrd: true, want: one("spec.firewall.allow[0].from", `"+dc/LAN": must be one name of the datacenter's firewall`)},
		"FirewallGroupName":    {reason: "Proxmox has no such name.", claim: rule(`{group: 1web}`), xrd: true, want: one("spec.firewall.allow[0].group", `"1web": must be the name of a security group`)},
		"FirewallGroupLong":    {reason: "Nor one of 19 characters.", claim: rule(`{group: abcdefghijklmnopqrs}`), xrd: true, want: one("spec.firewall.allow[0].group", `18`)},
		"FirewallGroupPort":    {reason: "A group has ports of its own.", claim: rule(`{group: web, port: 22}`), xrd: true, want: one("spec.firewall.allow[0].group", `"web": has ports and networks of its own in Proxmox`)},
		"FirewallGroupFrom":    {reason: "And networks.", claim: rule(`{group: web, from: 10.0.0.1}`), xrd: true, want: one("spec.firewall.allow[0].group", `remove port, protocol and from, or group`)},
		"FirewallFromList":     {reason: "Proxmox takes a list, and a claim a rule for each.", claim: rule(`{port: 22, from: "10.0.0.1,10.0.0.2"}`), xrd: true, want: one("spec.firewall.allow[0].from", `"10.0.0.1,10.0.0.2": must be one IP address, or one network`)},
		"FirewallComment":      {reason: "Proxmox trims it.", claim: rule(`{port: 22, comment: " ssh"}`), xrd: true, want: one("spec.firewall.allow[0].comment", "must be one line without blanks at its ends")},
		"FirewallCommentLines": {reason: "A rule is a line.", claim: rule(`{port: 22, comment: "a\nb"}`), xrd: true, want: one("spec.firewall.allow[0].comment", "must be one line without blanks at its ends")},
		"FirewallAllTogether": {reason: "All faults at once.", claim: firewall(`{preset: web, log: warn, allow: [{port: 22}, {port: 0, from: x}]}`), xrd: true, want: []fault{
			{"spec.firewall.allow[1].from", "must be an IP address"}, {"spec.firewall.allow[1].port", ports}, {"spec.firewall.log", "warn"}, {"spec.firewall.preset", "web"},
		}},
		"FirewallServerWithoutPreset": {reason: "A server without etcd's ports loses its cluster.", claim: node("server", `{allow: [{port: 22}]}`), xrd: true, want: one("spec.firewall.preset", "must be k3s-server")},
		"FirewallServerOfAgents":      {reason: "Nor with those of an agent.", claim: node("server", `{preset: k3s-agent}`), xrd: true, want: one("spec.firewall.preset", `"k3s-agent": must be k3s-server`)},
		"FirewallAgentSSH":            {reason: "An agent has ports of its own, too.", claim: node("agent", `{preset: ssh}`), xrd: true, want: one("spec.firewall.preset", `"ssh": must be k3s-agent`)},
		"FirewallServerNone":          {reason: "No preset, and rules all the same.", claim: node("server", `{preset: none, allow: [{port: 22}]}`), xrd: true, want: one("spec.firewall.preset", `"none": must be k3s-server`)},
	}
}
