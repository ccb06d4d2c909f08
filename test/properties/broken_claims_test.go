package properties

// brokenClaims are rules of what a claim lets happen that are broken on purpose: what goes with it, what is approved, and what begins before something else has
// ended.
func brokenClaims() []broken {
	const (
		lifecycle = "internal/lifecycle/"
		cluster   = "internal/cluster/"
	)

	return []broken{
		{
			rule: "A server of a K3sCluster is removed when the others are a majority.", name: "removal", file: cluster + "servers.go", world: "ServersShrinkBesideLost", steps: 4,
			text: "return serve >= k3s.Majority(voters) || leaves && ", by: "if isBroken(\"removal\") {\n\t\tserve++\n\t}\n\n\treturn serve >= k3s.Majority(voters) || leaves && ",
			alsoIn: lifecycle + "nodeobjects.go", also: "return s.Cluster().removal()", alsoBy: "if isBroken(\"removal\") {\n\t\treturn Blocker{}\n\t}\n\n\treturn s.Cluster().removal()",
		},
		{
			rule: "A server of a K3sCluster has its turn when the others are a majority.", name: "turn", file: cluster + "lost.go", world: "ServersChangeBesideLost", steps: 1,
			text: "return l.children.majority(node)", by: "return isBroken(\"turn\") || l.children.majority(node)",
			alsoIn: lifecycle + "quorum.go", also: "all, ready := servers+more, servers-len(missing)", alsoBy: "all, ready := servers+more, servers-len(missing)\n\tif isBroken(\"turn\") {\n\t\tready = all\n\t}\n",
		},
		{
			rule: "A server stays with its claim while the others are no majority.", name: "stays", file: lifecycle + "nodeobjects.go", world: "ServerLeavesBesideSick", steps: 3,
			text: "b := c.withoutStrangers().lacks(0)", by: "b := c.withoutStrangers().lacks(0)\n\tif isBroken(\"stays\") {\n\t\tb = Blocker{}\n\t}\n",
		},
		{
			rule: "With deletionPolicy: Orphan, the VM stays.", name: "orphan", file: lifecycle + "situation.go", world: "OrphanLeaves", steps: 1,
			text: "return proxmox.Deletion(s.Machine.DeletionPolicy == v1alpha1.DeletionDelete || ", by: "return proxmox.Deletion(s.Machine.DeletionPolicy == v1alpha1.DeletionDelete || isBroken(\"orphan\") || ",
		},
		{
			rule: "A claim that is protected is not deleted.", name: "protection", file: "internal/compose/protection.go", world: "ProtectedStays", steps: 2,
			text: "if c.facts.Machine.Protection {", by: "if c.facts.Machine.Protection && !isBroken(\"protection\") {",
		},
		{
			rule: "A Node that was drained for an outage takes pods again after it.", name: "uncordon", file: lifecycle + "outage.go", world: "AgentRestart", steps: 1,
			text: "if over {", by: "if over && !isBroken(\"uncordon\") {",
		},
		{
			rule: "A VM is adopted when a person has approved what that changes.", name: "adopts", file: lifecycle + "adoption.go", world: "AdoptionUnapproved", steps: 1,
			text: "ask = a.Consent == ConsentGiven", by: "ask = a.Consent == ConsentGiven || isBroken(\"adopts\")",
			alsoIn: lifecycle + "adoption.go", also: "ask := a.Asked && a.Outcome == OutcomeChecking && m.Adopt.Approve != \"\"", alsoBy: "ask := a.Asked && a.Outcome == OutcomeChecking && (m.Adopt.Approve != \"\" || isBroken(\"adopts\"))",
		},
		{
			rule: "An approval is for the plan that a person has seen.", name: "other-plan", file: lifecycle + "approval.go", world: "ApprovedBeforeEdit", steps: 5,
			text: "a.Consent = ConsentOtherPlan\n\tdefault:", by: "a.Consent = ConsentOtherPlan\n\t\tif isBroken(\"other-plan\") {\n\t\t\ta.Consent = ConsentGiven\n\t\t}\n\tdefault:",
		},
		{
			rule: "Upgrades of K3s go in an order, and are announced in an earlier call than they begin in.", name: "upgrades", file: lifecycle + "upgrade.go", world: "TwoAgentsUpgraded", steps: 8,
			text: "if first && found && ", by: "if !isBroken(\"upgrades\") && first && found && ",
			alsoIn: lifecycle + "upgrade.go", also: "return c.takeTurns(u.s.vm, has.Outage != OutageNone && !has.Begun, u.nodes.others())", alsoBy: "if isBroken(\"upgrades\") {\n\t\treturn c.takeTurns(u.s.vm, true, nil)\n\t}\n\n\treturn c.takeTurns(u.s.vm, has.Outage != OutageNone && !has.Begun, u.nodes.others())",
		},
		{
			rule: "A VM is neither started nor stopped while nobody knows whether it runs.", name: "unknown", file: lifecycle + "power.go", world: "StoppedUnread", steps: 2,
			text: "case !known:\n\t\tout = asWritten", by: "case !known && !isBroken(\"unknown\"):\n\t\tout = asWritten",
		},
		{
			rule: "A new container does not start beside the old one.", name: "beside", file: "internal/container/successor.go", world: "ContainerReplacement", steps: 8,
			text: "case f.Old == replacement.On:", by: "case f.Old == replacement.On && !isBroken(\"beside\"):",
			alsoIn: "internal/container/replacement/decide.go", also: "case f.Old == On || f.New != Ready:", alsoBy: "case f.Old == On && !isBroken(\"beside\") || f.New != Ready:",
		},
	}
}
