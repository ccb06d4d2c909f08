package tenancy

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// An Amount of what a quota counts.
type Amount struct {
	Machines, Cores, MemoryMiB, DiskGiB int64
}

// OriginQuota marks the fault of a machine for which its tenant has no room: nothing is wrong with its claim.
const OriginQuota = "quota"

// OriginForeign marks the fault of a machine that asks for an address of another tenant's.
const OriginForeign = "foreign"

// OriginAnnounced marks that a machine which exists has to announce to which size it grows, or which addresses it is to have, before anything is written.
const OriginAnnounced = "announced"

// Announces is the fault of a machine that has to announce its growth, or to wait until others have decided about theirs.
func Announces(t catalog.Tenant) *field.Error {
	return field.Forbidden(at("size"), fmt.Sprintf("grows once the other machines of tenant %s have seen it (%s)", t.Name, t.Path().Child("quota"))).WithOrigin(OriginAnnounced)
}

// AnnouncesAddress is the fault of a machine that has to announce an address, or to wait until others have decided about theirs.
func AnnouncesAddress(at *field.Path, address string) *field.Error {
	return field.Invalid(at, address, "is written once the machines of other tenants have seen it").WithOrigin(OriginAnnounced)
}

// AnnouncesAdoption is the fault of a machine that has to announce what it takes over.
func AnnouncesAdoption(t catalog.Tenant) *field.Error {
	return field.Forbidden(at("adopt"), fmt.Sprintf("is carried out once the other machines of tenant %s have seen it (%s)", t.Name, t.Path().Child("quota"))).WithOrigin(OriginAnnounced)
}

// Plus another amount.
func (a Amount) Plus(b Amount) Amount {
	return Amount{a.Machines + b.Machines, a.Cores + b.Cores, a.MemoryMiB + b.MemoryMiB, a.DiskGiB + b.DiskGiB}
}

// Most is what is more of each.
func (a Amount) Most(b Amount) Amount {
	return Amount{max(a.Machines, b.Machines), max(a.Cores, b.Cores), max(a.MemoryMiB, b.MemoryMiB), max(a.DiskGiB, b.DiskGiB)}
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

// A Limit is one number of a quota, and an amount beside it.
type Limit struct {
	// Name is machines, cores, memory or disk.
	Name string
	// Unit of both numbers: Mi, Gi, or none.
	Unit string
	Used int64
	// Limit is nil where there is none.
	Limit *int64
}

// Limits of a quota, always in the same order, beside an amount.
func Limits(q catalogue.TenantQuota, used Amount) []Limit {
	return []Limit{
		{"machines", "", used.Machines, q.Machines},
		{"cores", "", used.Cores, positive(q.Cores)},
		{"memory", "Mi", used.MemoryMiB, positive(mib(q.Memory))},
		{"disk", "Gi", used.DiskGiB, positive(gib(q.Disk))},
	}
}

// WantsOf a machine, or a container, are what it takes of its tenant's quota, with the size of its disks together.
func WantsOf(m *machine.Machine, diskGiB int64) Amount {
	return Amount{Machines: 1, Cores: m.Cores, MemoryMiB: m.MemoryMiB, DiskGiB: diskGiB}
}

// Exceeds are the faults of a machine that its tenant's quota has no room for. used is what the tenant's other machines have, has what this one has
// already, and wants what its claim asks for. What does not grow is no fault, however much is used.
func Exceeds(t catalog.Tenant, used, has, wants Amount) (errs field.ErrorList) {
	key := t.Path().Child("quota")
	all, own, more := Limits(t.Quota, used), Limits(t.Quota, has), Limits(t.Quota, wants)
	at := []*field.Path{field.NewPath("kind"), at("size", "cores"), at("size", "memory"), at("size", "disk")}

	for i, q := range all {
		if q.Limit == nil || more[i].Used <= own[i].Used || q.Used+more[i].Used <= *q.Limit {
			continue
		}

		unit := q.Unit
		if unit == "" {
			unit = " " + q.Name
		}

		others, what := "its other machines have "+amount(q.Used, unit)+", this one has ", "Delete or shrink one of them"

		// Nothing that becomes of the others makes room for it.
		switch {
		case *q.Limit == 0:
			others, what = "this one has ", "Delete its claim"
		case more[i].Used > *q.Limit:
			others, what = "this one alone has ", "Make it smaller"
		}

		errs = append(errs, field.Forbidden(at[i], fmt.Sprintf("tenant %s has no room for this: %s%s, and all may have %s (%s). %s, or ask for more",
			t.Name, others, amount(more[i].Used, unit), amount(*q.Limit, unit), key.Child(q.Name), what)).WithOrigin(OriginQuota))
	}

	return errs
}

// ExceedsByAdoption are the faults of a machine that takes over what its tenant's quota has no room for.
func ExceedsByAdoption(t catalog.Tenant, used, has Amount) field.ErrorList {
	errs := Exceeds(t, used, Amount{}, has)
	for _, err := range errs {
		err.Field = at("adopt", "vmId").String()
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
