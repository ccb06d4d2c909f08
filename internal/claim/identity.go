package claim

import (
	"regexp"
	"strings"

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
	if ref := claimRef(composite); id.Namespace == "" && text(ref, "name") != "" {
		id.Name, id.Namespace = text(ref, "name"), text(ref, "namespace")
	} else if id.Namespace == "" && composedByCluster(composite) {
		id.Namespace = text(object(metadata, "labels"), NamespaceLabel)
	}

	errs := names(id.Name, id.Composite)

	if text(metadata, "generateName") != "" && metadata["name"] == nil && id.Name == "" {
		rule := "write a name there: with generateName, each apply would be another " + text(composite, "kind")
		errs = field.ErrorList{field.Required(field.NewPath("metadata", "name"), rule)}
	}

	if n, ok := metadata["name"]; ok && id.Composite == "" && n != nil && n != "" {
		// YAML takes n, no, on and digits without quotes for something else than names.
		errs = field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), unquoted(n), "must be text: put it in quotes")}
	}

	tenant, faults := tenant(object(metadata, "labels"))
	id.Tenant = tenant

	return append(errs, faults...)
}

// unquoted is a number, as a message shows it. Of anything else only the fault is said: n, no and on are not what YAML makes of them.
func unquoted(v any) any {
	switch v := v.(type) {
	case float64, int64, int:
		return v
	default:
		return field.OmitValueType{}
	}
}

// claimRef names the claim of a cluster scoped composite.
func claimRef(composite map[string]any) map[string]any {
	return object(object(composite, "spec"), "claimRef")
}

// IsOfClaim says whether a composite is that of a claim: it is cluster scoped, and names its claim. A node that a K3sCluster has adopted still names the
// claim that it had, since its own names come from that.
func IsOfClaim(composite map[string]any) bool {
	return text(object(composite, "metadata"), "namespace") == "" && text(claimRef(composite), "name") != "" && !composedByCluster(composite)
}

// NamespaceLabel is the label with the namespace of a claim. Crossplane writes it onto the claim's composite, over a label of that
// name that somebody gave to the claim (internal/controller/apiextensions/claim, both syncers), and copies it from there to
// everything that the composite composes: RenderComposedResourceMetadata in internal/controller/apiextensions/composite/composition_render.go,
// in v1.20.5 always, and empty where there is no claim; in v2.4.0 only if there is a claim.
const NamespaceLabel = "crossplane.io/claim-namespace"

// composedByCluster says whether a composite is a node of a K3sCluster: its controller is an XK3sCluster of the composite's own API group.
// The node has no claim of its own, and the namespace is that of the cluster's claim. Anybody else's label would be a way to another
// namespace's Secrets: Crossplane makes the composite the controller of what it composes, and composes nothing that another one controls. Who may
// write cluster scoped composites can write both, as they can write a claimRef.
func composedByCluster(composite map[string]any) bool {
	return text(composite, "kind") == "X"+KindK3sNode && IsOfCluster(composite)
}

// IsOfCluster says whether a composite is a node of a K3sCluster, of either generation: its controller is a K3sCluster of its own API group.
func IsOfCluster(composite map[string]any) bool {
	group, _, ok := strings.Cut(text(composite, "apiVersion"), "/")
	prefix, isNode := strings.CutSuffix(text(composite, "kind"), KindK3sNode)

	if !ok || !isNode {
		return false
	}

	owners, _ := object(composite, "metadata")["ownerReferences"].([]any)
	for _, o := range owners {
		owner, _ := o.(map[string]any)
		if controls, _ := owner["controller"].(bool); !controls {
			continue
		}

		// An object has one controller.
		ownerGroup, _, ok := strings.Cut(text(owner, "apiVersion"), "/")

		return ok && ownerGroup == group && text(owner, "kind") == prefix+KindK3sCluster
	}

	return false
}

const nameless = "write a name there, such as dns01"

// Nameless is the fault of a claim without a name, which Crossplane never sees.
func Nameless() string {
	return message.Text("metadata.name: " + message.Fault(field.Required(field.NewPath("metadata", "name"), nameless)))
}

// inASCII has the letters that a name can have in place of others that people type.
var inASCII = strings.NewReplacer( //nolint:gochecknoglobals // A constant table.
	"_", "-", " ", "-", ".", "-", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "é", "e", "è", "e", "ê", "e", "à", "a", "á", "a", "â", "a",
	"å", "a", "ç", "c", "ñ", "n", "ø", "o", "ó", "o", "ô", "o", "í", "i", "ú", "u",
)

// names checks the names of claim and composite. The Proxmox provider makes Terraform identifiers of the names of what is
// rendered from them and, where that fails, prints its SSH key into a condition.
func names(claim, composite string) field.ErrorList {
	const rule = "must start with a letter and hold only lower case letters, digits and hyphens: the Proxmox provider makes Terraform identifiers of it"

	at := field.NewPath("metadata", "name")

	for _, name := range []string{claim, composite} {
		switch {
		case name == "":
			return field.ErrorList{field.Required(at, nameless)}
		case len(name) > maxName:
			return field.ErrorList{field.Invalid(at, message.Excerpt(name), "must be at most 63 characters long")}
		case !namePattern.MatchString(name):
			fixed := inASCII.Replace(strings.ToLower(name))
			if namePattern.MatchString(fixed) {
				return field.ErrorList{field.Invalid(at, message.Excerpt(name), rule+"; write "+fixed)}
			}

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
