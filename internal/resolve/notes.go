package resolve

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// notes are what the parts of one resolution say of a claim, in the order of the parts. No part reads what another one noted, but for the parts that
// a VM keeps.
type notes struct {
	faults   field.ErrorList
	warnings []string
	kept     []machine.Kept
}

// warn notes that a field is valid and does not do what the person probably expects.
func (n *notes) warn(format string, args ...any) {
	n.warnings = append(n.warnings, fmt.Sprintf(format, args...))
}

func (n *notes) add(faults ...*field.Error) { n.faults = append(n.faults, faults...) }

// instead of what is said of the same fields already: of a node that goes to another cluster, it is no help that there is none of that name.
func (n *notes) instead(faults ...*field.Error) {
	for _, f := range faults {
		n.faults = slices.DeleteFunc(n.faults, func(said *field.Error) bool { return said.Field == f.Field })
	}

	n.add(faults...)
}

// keeps says whether the VM keeps a part of its own because of faults in the catalogue, and notes that. name is the claim's name
// of the entry, and applied finds the name in the claim that the VM was last ready with: a name that the claim did not have then is a
// mistake of the claim. A machine without a living VM keeps nothing; then the faults are the claim's, too.
func (n *notes) keeps(g *given, p machine.Part, faults field.ErrorList, name string, applied func(claim.Claim) string) bool {
	before := g.existing.Applied
	edited := name != "" && before != nil && applied(*before) != name

	if g.existing.Has == nil || edited {
		n.add(faults...)
		return false
	}

	n.kept = append(n.kept, machine.Kept{Part: p, Faults: faults})

	return true
}

// hasKept says whether the VM keeps a part of its own.
func (n *notes) hasKept(p machine.Part) bool {
	return slices.ContainsFunc(n.kept, func(k machine.Kept) bool { return k.Part == p })
}
