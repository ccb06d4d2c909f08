package tenancy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	catalogue "github.com/homelab-io/function-proxmox-machine/apis/catalogue/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// at is the path of a field of a claim's spec.
func at(name string, more ...string) *field.Path {
	return field.NewPath("spec", append([]string{name}, more...)...)
}

// Judge a claim by the rules of its namespace. It finds all violations, in the order in which a person reads a claim.
func Judge(t *catalog.Tenancy, id machine.Identity, c Claimed) []Violation {
	tenant, ruled, v := of(t, id)
	if !ruled {
		return v
	}

	j := judge{tenant: tenant, claimed: c, out: v}
	j.permissions()
	j.size()
	j.image()
	j.place()
	j.network()
	j.devices()
	j.cluster()
	j.deletion()

	return j.out
}

// JudgePlace judges where a machine of a site is: its node and its VMID, whoever chose them. No claim is refused for these: it names others for new machines.
func JudgePlace(t *catalog.Tenancy, id machine.Identity, site, node string, vmID int64) []Violation {
	tenant, ruled, _ := of(t, id)
	if _, ok := tenant.Site(site); !ruled || !ok {
		return nil
	}

	j := judge{tenant: tenant}

	if node != "" {
		j.node(site, field.NewPath("status", "node"), node)
	}

	j.vmID(site, field.NewPath("status", "vmId"), vmID)

	return j.out
}

// of finds the tenant of a claim's namespace. ruled is false where no rule has a say; then the violations are all that there are.
func of(t *catalog.Tenancy, id machine.Identity) (tenant catalog.Tenant, ruled bool, out []Violation) {
	if t == nil || id.Namespace == "" {
		return tenant, false, nil
	}

	tenant, ruled = t.TenantOf(id.Namespace)

	if t.Denies(id.Namespace) {
		fault := field.Forbidden(field.NewPath("metadata", "namespace"), fmt.Sprintf(
			"%s is no tenant's namespace, and %s is %s: machines are made in the namespaces that %s name",
			message.Excerpt(id.Namespace), t.Path().Child("default"), defaultOf(t), t.Path().Child("tenants")))

		return tenant, false, []Violation{violation("namespace", "", t.Path().Child("default"), withValue(fault, id.Namespace))}
	}

	if label := id.Tenant; label != "" {
		if named := isTenant(t, label); ruled && !strings.EqualFold(label, tenant.Name) || !ruled && named {
			fault := field.Invalid(field.NewPath("metadata", "labels").Key("tenant-id"), message.Excerpt(label),
				fmt.Sprintf("names another tenant than that of namespace %s: leave it out%s", message.Excerpt(id.Namespace), orName(tenant.Name)))
			out = append(out, violation("label", strings.ToLower(label), t.Path().Child("tenants"), fault))
		}
	}

	return tenant, ruled, out
}

// defaultOf a tenancy that denies, in words: what is no word of ours is not taken for permission.
func defaultOf(t *catalog.Tenancy) string {
	if t.Default == catalogue.TenancyDeny {
		return t.Default
	}

	return fmt.Sprintf("%q, which is neither Allow nor Deny and counts as Deny", message.Excerpt(t.Default))
}

// isTenant says whether a label names a tenant: the tag that becomes of it has no capital letters.
func isTenant(t *catalog.Tenancy, label string) bool {
	for name := range t.Tenants {
		if strings.EqualFold(name, label) {
			return true
		}
	}

	return false
}

func orName(tenant string) string {
	if tenant == "" {
		return ""
	}

	return ", or write " + tenant
}

// A judge has the rules of a tenant, and what a claim asks for.
type judge struct {
	tenant  catalog.Tenant
	claimed Claimed
	out     []Violation
}

// add a violation of the rule at a path of the catalogue.
func (j *judge) add(rule, value string, key *field.Path, fault *field.Error) {
	j.out = append(j.out, violation(rule, value, key, fault))
}

// denied is a violation of what a tenant may do only with a word in allow.
func denied(t catalog.Tenant, at *field.Path, value, word, why string) Violation {
	return violation(word, at.String()+value, t.Path().Child("allow"), withValue(field.Forbidden(at, fmt.Sprintf(
		"tenant %s may not (%s): %s has no %s", t.Name, why, t.Path().Child("allow"), word)), value))
}

// without adds a violation where a word of allow is missing.
func (j *judge) without(word string, said bool, at *field.Path, value, why string) {
	if said && !slices.Contains(j.tenant.Allow, word) {
		j.out = append(j.out, denied(j.tenant, at, value, word, why))
	}
}

// listed adds a violation where a name is not in a list of the tenant. A list that is left out has every name.
func (j *judge) listed(names []string, key *field.Path, at *field.Path, name, what string) {
	if names == nil || slices.Contains(names, name) {
		return
	}

	j.add(what, at.String()+name, key, notListed(j.tenant, rule{names, key, what}, at, name))
}

// namesOf the entries of a rule, sorted; an empty list, which allows nothing, where there are none.
func namesOf[V any](entries map[string]V) []string {
	out := slices.AppendSeq([]string{}, maps.Keys(entries))
	slices.Sort(out)

	return out
}
