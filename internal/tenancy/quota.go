package tenancy

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
)

// An Amount of what a quota counts.
type Amount struct {
	Machines, Cores, MemoryMiB, DiskGiB int64
}

// OriginQuota marks the fault of a machine for which its tenant has no room: nothing is wrong with its claim.
const OriginQuota = "quota"

// Plus another amount.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Machines + b.Machines, a.Cores + b.Cores, a.MemoryMiB + b.MemoryMiB, a.DiskGiB + b.DiskGiB}
}

// Beyond says whether an amount has more of anything than another one.
func (a Amount) Beyond(b Amount) bool {
	return a.Machines > b.Machines || a.Cores > b.Cores || a.MemoryMiB > b.MemoryMiB || a.DiskGiB > b.DiskGiB
}

// HasQuota says whether the machines of a tenant are counted.
func HasQuota(t catalog.Tenant) bool {
	q := t.Quota

	return q.Machines != nil || q.Cores != 0 || q.Memory != "" || q.Disk != ""
}

// Exceeds are the faults of a machine that its tenant's quota has no room for. used is what the tenant's other machines have, has what this one has
// already, and wants what its claim asks for. What does not grow is no fault, however much is used.
func Exceeds(t catalog.Tenant, used, has, wants Amount) (errs field.ErrorList) {
	key := t.Path().Child("quota")

	for _, q := range []struct {
		name             string
		at               *field.Path
		limit            *int64
		used, has, wants int64
		unit             string
	}{
		{"machines", field.NewPath("kind"), t.Quota.Machines, used.Machines, has.Machines, wants.Machines, " machines"},
		{"cores", at("size", "cores"), positive(t.Quota.Cores), used.Cores, has.Cores, wants.Cores, " cores"},
		{"memory", at("size", "memory"), positive(mib(t.Quota.Memory)), used.MemoryMiB, has.MemoryMiB, wants.MemoryMiB, "Mi"},
		{"disk", at("size", "disk"), positive(gib(t.Quota.Disk)), used.DiskGiB, has.DiskGiB, wants.DiskGiB, "Gi"},
	} {
		if q.limit == nil || q.wants <= q.has || q.used+q.wants <= *q.limit {
			continue
		}

		errs = append(errs, field.Forbidden(q.at, fmt.Sprintf("tenant %s has no room for this: its other machines have %s, this one has %s, and all may have %s (%s). "+
			"Delete or shrink one of them, or ask for more", t.Name, amount(q.used, q.unit), amount(q.wants, q.unit), amount(*q.limit, q.unit), key.Child(q.name))).WithOrigin(OriginQuota))
	}

	return errs
}

// amount in words: 1 machine, 2 machines, 4096Mi.
func amount(n int64, unit string) string {
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}

	return strconv.FormatInt(n, 10) + unit
}

// positive is a limit; nil for 0, which is none.
func positive(n int64) *int64 {
	if n == 0 {
		return nil
	}

	return &n
}
