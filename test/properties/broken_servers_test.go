package properties

// brokenServers are rules of K3s servers that are broken on purpose: who counts for a quorum, and who is away when.
func brokenServers() []broken {
	const lifecycle = "internal/lifecycle/"

	return []broken{
		{
			rule: "A server whose Node is not Ready has no vote.", name: "notready", file: lifecycle + "quorum.go", world: "ServerNotReady", steps: 5,
			text: "case n.Health() != node.HealthReady:\n\t\treturn MissingNotReady", by: "case n.Health() != node.HealthReady && !isBroken(\"notready\"):\n\t\treturn MissingNotReady",
			alsoIn: "internal/node/node.go", also: "return n.Health() == HealthReady && n.Membership()", alsoBy: "return (isBroken(\"notready\") || n.Health() == HealthReady) && n.Membership()",
		},
		{
			rule: "A server whose member of etcd does not vote has no vote.", name: "vote", file: lifecycle + "quorum.go", world: "ServerWithoutVote", steps: 5,
			text: "case !c.ExternalDatastore && !n.Votes():", by: "case !c.ExternalDatastore && !n.Votes() && !isBroken(\"vote\"):",
		},
		{
			rule: "A server whose VM is off has no vote, whatever its Node says.", name: "stopped", file: lifecycle + "quorum.go", world: "ServerOff", steps: 5,
			text: "case powerKnown(vm) && !vm.Status.AtProvider.Started:\n\t\treturn MissingStopped", by: "case powerKnown(vm) && !vm.Status.AtProvider.Started && !isBroken(\"stopped\"):\n\t\treturn MissingStopped",
		},
		{
			rule: "Of two servers that have announced an outage, the later one waits.", name: "later", file: lifecycle + "quorum.go", world: "TwoServersRestart", steps: 1,
			text: "case a.Begun, a.Outage != OutageNone && other.Before(vm):", by: "case a.Begun, a.Outage != OutageNone && other.Before(vm) && !isBroken(\"later\"):",
		},
		{
			rule: "The first one of two servers that have announced an outage waits until the other one has taken it back.", name: "takes-back", file: lifecycle + "quorum.go", world: "TwoServersRestart", steps: 11,
			text: "case a.Outage != OutageNone:\n\t\t\tout.Permission", by: "case a.Outage != OutageNone && !isBroken(\"takes-back\"):\n\t\t\tout.Permission",
		},
		{
			rule: "An outage is announced in an earlier call than it begins in.", name: "announces-first", file: lifecycle + "quorum.go", world: "TwoServersRestart", steps: 7,
			text: "if !announced {\n\t\tout.Permission = PermissionAwaited", by: "if !announced && !isBroken(\"announces-first\") {\n\t\tout.Permission = PermissionAwaited",
		},
		{
			rule: "A restart of a server waits for the others.", name: "waits", file: lifecycle + "power.go", world: "TwoServersRestart", steps: 4,
			text: "waits := away.outage.Waits() || ", by: "waits := !isBroken(\"waits\") && away.outage.Waits() || ",
		},
		{
			rule: "A replacement of a server waits for the others.", name: "replaces", file: lifecycle + "replacement.go", world: "TwoServersReplaced", steps: 9,
			alsoIn: lifecycle + "quorum.go", also: "case announcementOf(vm).Begun:\n\t\treturn MissingOutage", alsoBy: "case announcementOf(vm).Begun && !isBroken(\"replaces\"):\n\t\treturn MissingOutage",
			text: "return r.Cluster.permit(active, ", by: "if isBroken(\"replaces\") {\n\t\treturn Decision{Permission: PermissionAnnounced}\n\t}\n\n\treturn r.Cluster.permit(active, ",
		},
		{
			rule: "A server that was replaced has no vote before it has joined.", name: "joining", file: lifecycle + "quorum.go", world: "ServerJoinsLate", steps: 6,
			text: "case annotations[proxmox.JoiningAnnotation] != \"\":\n\t\treturn MissingJoining", by: "case annotations[proxmox.JoiningAnnotation] != \"\" && !isBroken(\"joining\"):\n\t\treturn MissingJoining",
		},
		{
			rule: "A VM of a node replaces another one when its Node serves.", name: "serves", file: lifecycle + "promotion.go", world: "ServerReplacedLate", steps: 5,
			text: "return s.Node.Name != \"\" && s.Machine", by: "return !isBroken(\"serves\") && s.Node.Name != \"\" && s.Machine",
		},
		{
			rule: "The only server of a cluster is never replaced.", name: "only", file: lifecycle + "replacement.go", world: "OnlyServerReplaced", steps: 1,
			text: "if r.Cluster.Name != \"\" && len(r.Cluster.OtherServers) == 0 {", by: "if r.Cluster.Name != \"\" && len(r.Cluster.OtherServers) == 0 && !isBroken(\"only\") {",
		},
		{
			rule: "An upgrade of K3s waits until the others are well.", name: "upgrade-away", file: lifecycle + "upgrade.go", world: "AgentUpgradedBesideSick", steps: 7,
			text: "return slices.Concat(u.before(), u.away())", by: "if isBroken(\"upgrade-away\") {\n\t\treturn u.before()\n\t}\n\n\treturn slices.Concat(u.before(), u.away())",
		},
		{
			rule: "The boot of a VM that is to run is the one that ends its restart, though the provider says that it is off.", name: "last-boot", file: lifecycle + "serving.go", world: "ServerToldLate", steps: 1,
			text: "|| s.vm.Spec.ForProvider.Started {", by: "|| s.vm.Spec.ForProvider.Started && !isBroken(\"last-boot\") {",
		},
		{
			rule: "A server that was off and starts is away until its Node has another boot ID.", name: "starts", file: lifecycle + "outage.go", world: "ServerStopped", steps: 10,
			text: "out.Announcement = starting(s)", by: "if !isBroken(\"starts\") {\n\t\t\tout.Announcement = starting(s)\n\t\t}",
		},
		{
			rule: "A move of a server waits for the others.", name: "moves", file: lifecycle + "outage.go", world: "ServersMoved", steps: 5,
			text: "if g.VM.Migrate && !(has", by: "if !isBroken(\"moves\") && g.VM.Migrate && !(has",
		},
	}
}
