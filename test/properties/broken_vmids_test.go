package properties

// brokenVMIDs are rules of which VM a managed resource is about that are broken on purpose.
func brokenVMIDs() []broken {
	const (
		lifecycle = "internal/lifecycle/"
		resources = "internal/proxmox/"
	)

	return []broken{
		{
			rule: "Two new machines get two VMIDs of a range.", name: "advance", file: lifecycle + "vmid.go", world: "TwoClaimsRange", steps: 1,
			text: "checked == 0 || !c.Outcome.PassedOver()", by: "checked == 0 || isBroken(\"advance\") || !c.Outcome.PassedOver()",
		},
		{
			rule: "An answer is one about what is written now.", name: "older", file: resources + "existence.go", world: "VMIDEdited", steps: 12,
			text: "return o.FoundNone() && o.Fresh(ConditionSynced)", by: "return o.FoundNone() && (isBroken(\"older\") || o.Fresh(ConditionSynced))",
		},
		{
			rule: "A VM of one's own that is half made is not disowned.", name: "half-made", file: resources + "creation.go", world: "MadeInParts", steps: 7,
			text: "case Unread(vm):\n\t\treturn CreationUnseen", by: "case Unread(vm) && !isBroken(\"half-made\"):\n\t\treturn CreationUnseen",
		},
		{
			rule: "With deletionPolicy: Orphan, the VM that was replaced stays.", name: "replaced-stays", file: lifecycle + "retirement.go", world: "ReplacedStays", steps: 13,
			text: "return m.DeletionPolicy == v1alpha1.DeletionDelete || vm", by: "return m.DeletionPolicy == v1alpha1.DeletionDelete || isBroken(\"replaced-stays\") || vm",
		},
	}
}
