package properties

// brokenHA are rules of VMs in Proxmox's HA manager that are broken on purpose.
func brokenHA() []broken {
	const (
		file = "internal/lifecycle/availability.go"
		asks = "internal/lifecycle/hamanager.go"
	)

	return []broken{
		{
			rule: "The HA manager recovers a VM whose node is away.", name: "ha-away", file: file, world: "HANodeLost", steps: 1,
			text: "case !diagnose.NodeAway(p.vm):", by: "case isBroken(\"ha-away\") || !diagnose.NodeAway(p.vm):",
		},
		{
			rule: "A VM in HA that was restarted is in HA after it.", name: "ha-after", file: file, world: "HARestart", steps: 1,
			text: "case power.Started:\n\t\treturn proxmox.HAStarted", by: "case power.Started && isBroken(\"ha-after\") && p.resources[proxmox.HAResourceOf(p.name)].Spec.ForProvider.State == proxmox.HAIgnored:\n\t\treturn proxmox.HAIgnored\n\tcase power.Started:\n\t\treturn proxmox.HAStarted",
		},
		{
			rule: "The provider stops a VM when the HA manager ignores it.", name: "ha-stops", file: asks, world: "HARestart", steps: 4,
			text: "return !there && !k.unlooked(vm) || there && proxmox.LetsStop(o)\n",
			by:   "return isBroken(\"ha-stops\") || !there && !k.unlooked(vm) || there && proxmox.LetsStop(o)\n",
		},
		{
			rule: "A restart that its node's death breaks off begins once more.", name: "ha-again", file: file, world: "HARestart", steps: 9,
			text: "breaksOff := inHA && runs", by: "breaksOff := !isBroken(\"ha-again\") && inHA && runs",
		},
		{
			rule: "A VM that was replaced does not stay in HA.", name: "ha-stays", file: file, world: "HAReplacement", steps: 1,
			text: "as.State, as.MayDelete = proxmox.HAIgnored, proxmox.DeletionDestroys\n", by: "if isBroken(\"ha-stays\") {\n\t\t\treturn as, true\n\t\t}\n\n\t\tas.State, as.MayDelete = proxmox.HAIgnored, proxmox.DeletionDestroys\n",
		},
	}
}
