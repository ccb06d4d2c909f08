package validate

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	triggerPattern  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
	truthPattern    = regexp.MustCompile(`^(?i)(true|false|yes|no|on|off)$`)
	hashInside      = regexp.MustCompile(`(?:^|[^0-9A-Za-z])([0-9a-f]{10}|[0-9A-F]{10})(?:[^0-9A-Za-z]|$)`)
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
			return field.ErrorList{field.Invalid(at.Child(name), value, message.TriggerRule)}
		}

		return rule.check(at.Child(name), value)
	}

	errs := trigger("replace", l.Replace)
	errs = append(errs, trigger("reboot", l.Reboot)...)
	errs = append(errs, rule.check(at.Child("joined"), l.Joined)...)
	errs = append(errs, trigger("force", l.Force)...)
	errs = append(errs, trigger("drain", l.Drain)...)
	errs = append(errs, lostNode(at.Child("lost"), l.Lost)...)
	errs = append(errs, OneOf(at.Child("rebootPolicy"), l.RebootPolicy, v1alpha1.RebootOnRequest, v1alpha1.RebootWhenNeeded)...)

	errs = append(errs, approval(at.Child("approval"), l.Approval)...)
	errs = append(errs, planHash(at.Child("approve"), l.Approve, "must be the value of status.plan.hash: ten digits and letters from a to f, such as \"d19a0c71d2\"")...)

	return append(errs, trigger("retry", l.Retry)...)
}

// lostNode checks the name of the node that does not come back. A truth value, also in quotes, would be a node that nobody has.
func lostNode(at *field.Path, name string) field.ErrorList {
	if truthPattern.MatchString(name) {
		return field.ErrorList{field.Invalid(at, name, message.LostRule)}
	}

	return NodeName(at, name)
}

// planHash checks the hash of a plan.
func planHash(at *field.Path, value, rule string) field.ErrorList {
	return copiedHash(at, value, textRule{maxPlan, planPattern, rule})
}

// copiedHash checks a hash. What was copied with more around it, or in capital letters, has one in it.
func copiedHash(at *field.Path, value string, rule textRule) field.ErrorList {
	if hash := hashInside.FindStringSubmatch(value); hash != nil && len(value) <= message.Typed && !rule.pattern.MatchString(value) {
		return field.ErrorList{field.Invalid(at, message.Excerpt(value), rule.message+write(`"`+strings.ToLower(hash[1])+`"`))}
	}

	return rule.check(at, value)
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

	errs := planHash(at.Child("approve"), a.Approve, "must be the value of status.adoption.plan: ten digits and letters from a to f, such as \"3f9a0c71d2\"")

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
