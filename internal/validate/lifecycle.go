package validate

import (
	"fmt"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

var (
	triggerPattern  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	truthPattern    = regexp.MustCompile(`^(?i)(true|false|yes|no|on|off)$`)
	planPattern     = regexp.MustCompile(`^[0-9a-f]{10}$`)
	revisionPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@+-]*$`)
)

const (
	maxTrigger = 63
	maxPlan    = 10
)

// Lifecycle checks the actions that are requested of a machine.
func Lifecycle(at *field.Path, l v1alpha1.Lifecycle) field.ErrorList {
	rule := textRule{maxTrigger, triggerPattern, "must hold only letters, digits, dots, _ and -, and start with a letter or a digit, such as \"2026-11-20\""}

	trigger := func(name, value string) field.ErrorList {
		// Most claims ask for nothing, and a path is garbage of every call.
		if value == "" {
			return nil
		}

		if truthPattern.MatchString(value) {
			return field.ErrorList{field.Invalid(at.Child(name), value, v1alpha1.TriggerRule)}
		}

		return rule.check(at.Child(name), value)
	}

	errs := trigger("replace", l.Replace)
	errs = append(errs, trigger("reboot", l.Reboot)...)
	errs = append(errs, rule.check(at.Child("joined"), l.Joined)...)
	errs = append(errs, trigger("force", l.Force)...)
	errs = append(errs, trigger("drain", l.Drain)...)
	errs = append(errs, NodeName(at.Child("lost"), l.Lost)...)
	errs = append(errs, OneOf(at.Child("rebootPolicy"), l.RebootPolicy, v1alpha1.RebootOnRequest, v1alpha1.RebootWhenNeeded)...)

	errs = append(errs, approval(at.Child("approval"), l.Approval)...)
	errs = append(errs, textRule{
		maxPlan, planPattern, "must be the value of status.plan.hash: ten digits and letters from a to f, such as \"d19a0c71d2\"",
	}.check(at.Child("approve"), l.Approve)...)

	return append(errs, trigger("retry", l.Retry)...)
}

func approval(at *field.Path, a v1alpha1.Approval) field.ErrorList {
	return OneOf(at, a, v1alpha1.ApprovalNever, v1alpha1.ApprovalOnRisk, v1alpha1.ApprovalAlways)
}

// maxWave is the last wave that there can be.
const maxWave = 100

// rollout checks a machine's place in a group.
func rollout(at *field.Path, r *v1alpha1.MachineRollout) field.ErrorList {
	if r == nil {
		return nil
	}

	var errs field.ErrorList

	if r.Group == "" {
		errs = append(errs, field.Required(at.Child("group"), "must be the name of the group, such as edge"))
	} else {
		errs = append(errs, Role(at.Child("group"), r.Group)...)
	}

	if r.Wave < 1 || r.Wave > maxWave {
		errs = append(errs, field.Invalid(at.Child("wave"), r.Wave, "must be the machine's wave, from 1 to 100"))
	}

	return append(errs, textRule{
		maxTrigger, revisionPattern, "must hold only letters, digits and . _ : / @ + -, and start with a letter or a digit, such as \"2026-11-23\"",
	}.check(at.Child("revision"), r.Revision)...)
}

// adopt checks the VM to adopt. fixed is the claim's proxmox.vmId, or nil; it must be the same VMID.
func adopt(at *field.Path, a *v1alpha1.Adopt, fixed *int64) field.ErrorList {
	if a == nil {
		return nil
	}

	errs := textRule{
		maxPlan, planPattern,
		"must be the value of status.adoption.plan: ten digits and letters from a to f, such as \"3f9a0c71d2\"",
	}.check(at.Child("approve"), a.Approve)

	vmID := at.Child("vmId")

	switch {
	case a.VMID == 0:
		errs = append(errs, field.Required(vmID, "must be the VMID of the VM to adopt, from 100 to 999999999"))
	case len(VMID(vmID, &a.VMID)) > 0:
		errs = append(errs, VMID(vmID, &a.VMID)...)
	case fixed != nil && *fixed != a.VMID:
		errs = append(errs, field.Invalid(vmID, a.VMID, fmt.Sprintf("must be the VMID in proxmox.vmId, which is %d: leave proxmox.vmId out", *fixed)))
	}

	return errs
}
