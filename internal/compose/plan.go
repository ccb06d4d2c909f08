package compose

import (
	"fmt"
	"maps"
	"slices"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/render"
)

// effects in the words of a plan.
var effects = map[change.Effect]string{ //nolint:gochecknoglobals // A constant table.
	change.InPlace: "change in place",
	change.Reboot:  "needs reboot",
	change.Refused: "refused",
}

// explain says what this call does to each composed resource, one result a resource and one a change, in the order of the
// names.
func explain(rsp *fnv1.RunFunctionResponse, rendered render.Result) {
	say := func(format string, args ...any) {
		reason := "Plan"
		rsp.Results = append(rsp.Results, &fnv1.Result{
			Severity: fnv1.Severity_SEVERITY_NORMAL, Message: fmt.Sprintf(format, args...), Reason: &reason,
			Target: fnv1.Target_TARGET_COMPOSITE.Enum(),
		})
	}

	for _, name := range slices.Sorted(maps.Keys(rendered.Plan)) {
		step := rendered.Plan[name]
		say("%s: %s", name, step.Action)

		for _, c := range step.Changes {
			say("%s: %s: %s", name, effects[c.Effect], c)
		}
	}

	for _, c := range rendered.Pending {
		if !slices.Contains(rendered.Plan[rendered.VM].Changes, c) {
			say("%s: waits for a reboot: %s", rendered.VM, c)
		}
	}
}
