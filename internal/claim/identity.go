package claim

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// The labels that name a tenant. Crossplane copies a claim's labels to its composite.
const (
	tenantLabel     = "tenant-id"
	longTenantLabel = "tenant.sankofa.nexus/id"
)

var (
	namePattern   = regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	tenantPattern = regexp.MustCompile(`^[A-Za-z0-9_.+-]{1,56}$`)
)

// maxName is the length of the names of claims and composites, which Crossplane uses as values of labels.
const maxName = 63

// identify says whose machine it is. A claim's composite has a generated name; what a person knows it by is the claim's.
func (c *Claim) identify(composite map[string]any) field.ErrorList {
	metadata := object(composite, "metadata")
	id := &c.Identity
	id.Composite = text(metadata, "name")
	id.UID = text(metadata, "uid")
	id.Name, id.Namespace = id.Composite, text(metadata, "namespace")

	// Only a cluster scoped composite has a claim. Anybody else's claimRef would be a way to another namespace's Secrets.
	if ref := object(object(composite, "spec"), "claimRef"); id.Namespace == "" && text(ref, "name") != "" {
		id.Name, id.Namespace = text(ref, "name"), text(ref, "namespace")
	}

	errs := names(id.Name, id.Composite)

	if n, ok := metadata["name"]; ok && id.Composite == "" && n != nil && n != "" {
		// YAML takes n, no, on and digits without quotes for something else than names.
		errs = field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), field.OmitValueType{}, "must be text: put it in quotes")}
	}

	tenant, faults := tenant(object(metadata, "labels"))
	id.Tenant = tenant

	return append(errs, faults...)
}

// names checks the names of claim and composite. The Proxmox provider makes Terraform identifiers of the names of what is
// rendered from them and, where that fails, prints its SSH key into a condition.
func names(claim, composite string) field.ErrorList {
	const rule = "must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"

	at := field.NewPath("metadata", "name")

	for _, name := range []string{claim, composite} {
		switch {
		case name == "":
			return field.ErrorList{field.Required(at, rule)}
		case len(name) > maxName:
			return field.ErrorList{field.Invalid(at, message.Excerpt(name), "must be at most 63 characters long")}
		case !namePattern.MatchString(name):
			return field.ErrorList{field.Invalid(at, message.Excerpt(name), rule)}
		}
	}

	return nil
}

// tenant that a machine belongs to, which becomes a tag.
func tenant(labels map[string]any) (string, field.ErrorList) {
	at := field.NewPath("metadata", "labels")
	short, long := text(labels, tenantLabel), text(labels, longTenantLabel)

	switch {
	case short != "" && long != "" && short != long:
		return "", field.ErrorList{field.Invalid(at.Key(tenantLabel), message.Excerpt(short), "names another tenant than the label "+longTenantLabel)}
	case short != "" && !tenantPattern.MatchString(short):
		return "", field.ErrorList{tenantFault(at.Key(tenantLabel), short)}
	case long != "" && !tenantPattern.MatchString(long):
		return "", field.ErrorList{tenantFault(at.Key(longTenantLabel), long)}
	case short != "":
		return short, nil
	default:
		return long, nil
	}
}

func tenantFault(at *field.Path, value string) *field.Error {
	return field.Invalid(at, message.Excerpt(value), "must fit into the tag tenant_<id>: at most 56 letters, digits, _, -, + and dots")
}

// object that is a field of another; nil where there is none.
func object(m map[string]any, name string) map[string]any {
	o, ok := m[name].(map[string]any)
	if !ok {
		return nil
	}

	return o
}

// text that is a field of an object; empty where there is none.
func text(m map[string]any, name string) string {
	s, ok := m[name].(string)
	if !ok {
		return ""
	}

	return s
}
