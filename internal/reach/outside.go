package reach

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/capacity"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/container"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
	"github.com/homelab-io/function-proxmox-machine/internal/tenancy"
)

// An Outside is one thing that a claim asks for, or that a machine has, and that a rule would refuse today.
type Outside struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Field of the claim, or of its status where the function chose the value.
	Field string `json:"field"`
	// Value is empty where a field is missing.
	Value string `json:"value,omitempty"`
	// Rule is the path of the rule in the catalogue.
	Rule string `json:"rule"`
	// Message says what would be right.
	Message string `json:"message"`
}

// An Unjudged claim has another fault, so that nobody can tell what it asks for.
type Unjudged struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Fault     string `json:"fault"`
}

// group of the kinds that are judged.
const group = "homelab.io"

// judge all claims and composites among objects; what is outside is by the names of tenants, empty for namespaces of nobody.
func judge(cat catalog.Catalog, objects []unstructured.Unstructured) (outside map[string][]Outside, unjudged []Unjudged, err error) {
	outside = map[string][]Outside{}

	vms, containers, err := observed(objects)
	if err != nil {
		return nil, nil, err
	}

	composed := nodesOf(objects)

	for _, m := range machines(objects) {
		c, id := m.claim, m.claim.Identity

		found, other := judgeOne(cat, m.object, c, vms, containers, composed)
		found, other = ordered(c, found), ordered(c, other)

		if len(other) > 0 {
			unjudged = append(unjudged, Unjudged{Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Fault: other[0].Field + ": " + message.Fault(other[0])})
		}

		tenant, _ := cat.Tenancy.TenantOf(id.Namespace)

		for _, f := range found {
			outside[tenant.Name] = append(outside[tenant.Name], Outside{
				Kind: id.Kind, Namespace: id.Namespace, Name: id.Name, Field: f.Field, Value: valueOf(f), Rule: f.Origin, Message: message.Fault(f),
			})
		}
	}

	return outside, unjudged, nil
}

// ordered as a person reads the claim.
func ordered(c claim.Claim, faults field.ErrorList) field.ErrorList {
	switch {
	case c.Container != nil:
		return claim.InOrderOfContainer(faults)
	case c.ProxmoxSite != nil:
		return claim.InOrderOfSite(faults)
	case c.K3sCluster != nil:
		return claim.InOrderOfCluster(faults)
	default:
		return claim.InOrder(faults)
	}
}

// valueOf a fault as a person typed it; empty where there is none.
func valueOf(f *field.Error) string {
	if f.Type == field.ErrorTypeRequired || f.BadValue == nil {
		return ""
	}

	if _, omitted := f.BadValue.(field.OmitValueType); omitted {
		return ""
	}

	return fmt.Sprint(f.BadValue)
}

// judgeOne claim: what of it is outside, and otherwise what else is wrong with it. Without a tenancy there are no rules, so that what is then wrong is no
// matter of theirs.
func judgeOne(
	cat catalog.Catalog, o unstructured.Unstructured, c claim.Claim, vms []proxmox.ObservedVM, containers []proxmox.ObservedContainer, composed map[string]bool,
) (outside, other field.ErrorList) {
	free := cat
	free.Tenancy = nil

	switch {
	case c.ProxmoxSite != nil:
		return answers(
			second(resolve.ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, free, resolve.Existing{})),
			second(resolve.ProxmoxSite(c.Identity, *c.ProxmoxSite, c.Faults, cat, resolve.Existing{})))
	case c.K3sCluster != nil:
		if composed[pathOf(o)] {
			return nil, nil // Its nodes are judged themselves.
		}

		return answers(ofCluster(o, c, free), ofCluster(o, c, cat))
	case c.Container != nil:
		e, vmID := existingContainer(o, c, containers)
		m, faults := resolve.Container(c.Identity, *c.Container, c.Faults, free, e)
		outside, other = answers(faults, second(resolve.Container(c.Identity, *c.Container, c.Faults, cat, e)))

		if m != nil {
			outside = append(outside, placed(cat, c, m.Placement.Site, place{e.Node, vmID}, place{c.Container.Proxmox.Node, valueOrZero(c.Container.Proxmox.VMID)})...)
		}

		return outside, other
	}

	e, vmID := existing(o, c, vms)
	m, faults := resolve.Claim(c, free, e)
	outside, other = answers(faults, second(resolve.Claim(c, cat, e)))

	if m != nil {
		outside = append(outside, placed(cat, c, m.Placement.Site, place{e.Node, vmID}, place{c.Fields().Proxmox.Node, valueOrZero(c.Fields().Proxmox.VMID)})...)
	}

	return outside, other
}

// A place of a VM or a container in Proxmox. What is not known, or not said, is empty.
type place struct {
	node string
	vmID int64
}

func valueOrZero(n *int64) int64 {
	if n == nil {
		return 0
	}

	return *n
}

func second[T any](_ T, errs field.ErrorList) field.ErrorList { return errs }

// answers to a claim without and with the rules.
func answers(without, with field.ErrorList) (outside, other field.ErrorList) {
	if len(without) > 0 {
		return nil, without
	}

	return with, nil
}

// placed are the violations of where a machine is. What its claim says of that is judged with the claim.
func placed(cat catalog.Catalog, c claim.Claim, site string, is, said place) field.ErrorList {
	if said.node != "" {
		is.node = ""
	}

	if said.vmID != 0 {
		is.vmID = 0
	}

	return tenancy.Beyond(tenancy.JudgePlace(cat.Tenancy, c.Identity, site, is.node, is.vmID), nil)
}

// ofCluster are the faults of a K3sCluster whose nodes are not there yet.
func ofCluster(o unstructured.Unstructured, c claim.Claim, cat catalog.Catalog) field.ErrorList {
	return cluster.CheckNew(c.Identity, o.GetAPIVersion(), *c.K3sCluster, cat, c.Faults, nil)
}

// existing is what the VM of a machine has, without what its claim said before: what was allowed then is no answer to what is allowed now. vmID is that of
// a VM that exists.
func existing(o unstructured.Unstructured, c claim.Claim, vms []proxmox.ObservedVM) (e resolve.Existing, vmID int64) {
	owner, theirs := ownerOf(o, c), map[string]proxmox.ObservedVM{}

	for _, vm := range vms {
		if owner.Owns(vm) {
			theirs[vm.Metadata.Annotations[proxmox.ResourceNameAnnotation]] = vm
		}
	}

	fields := c.Fields()
	roles := lifecycle.AssignRoles(theirs, c.Identity, fields.Lifecycle.Replace)
	e = lifecycle.Existing(fields.Adopt, roles, theirs)
	e.OfCluster = claim.IsOfCluster(o.Object)

	if e.Node != "" {
		vmID = proxmox.VMIDOf(theirs[roles.Described()])
	}

	return e, vmID
}

// existingContainer is the same for a container.
func existingContainer(o unstructured.Unstructured, c claim.Claim, containers []proxmox.ObservedContainer) (e resolve.Existing, vmID int64) {
	owner := ownerOf(o, c)

	for _, oc := range containers {
		if !owner.Owns(proxmox.ObservedVM{Metadata: oc.Metadata}) || container.StateOf(oc, true) != container.StateLiving {
			continue
		}

		out := resolve.Existing{
			Has: container.EntriesOf(oc), Node: oc.Spec.ForProvider.NodeName, Adopting: oc.Metadata.Annotations[proxmox.AdoptedAnnotation] != "",
			Address: container.AddressOf(oc), FirewallDefault: oc.Metadata.Annotations[proxmox.FirewallDefaultAnnotation],
		}
		if d := oc.Spec.ForProvider.Disk; len(d) > 0 {
			out.DiskDatastore = d[0].DatastoreID
		}

		return out, proxmox.VMIDOfContainer(oc)
	}

	return resolve.Existing{Adopting: c.Container.Adopt != nil}, 0
}

// ownerOf what a composite composes.
func ownerOf(o unstructured.Unstructured, c claim.Claim) lifecycle.Owner {
	return lifecycle.Owner{
		Composite: o.GetName(), Kind: o.GetKind(), Root: cmp.Or(o.GetLabels()[proxmox.CompositeLabel], o.GetName()),
		Machine: c.Identity.Name, Namespace: o.GetNamespace(),
	}
}

// observed are the VMs and containers of all flavours.
func observed(objects []unstructured.Unstructured) (vms []proxmox.ObservedVM, containers []proxmox.ObservedContainer, err error) {
	for _, f := range proxmox.Flavours() {
		all, err := capacity.Neighbours(f, objects)
		if err != nil {
			return nil, nil, errors.Wrap(err, "cannot read managed resources")
		}

		vms, containers = append(vms, all.VMs...), append(containers, all.Containers...)
	}

	return vms, containers, nil
}

// asking is an object that asks for a machine, and what it asks for.
type asking struct {
	object unstructured.Unstructured
	claim  claim.Claim
}

// machines are the claims and composites to judge, in the order of their namespaces and names: composites, and claims without one.
func machines(objects []unstructured.Unstructured) (out []asking) {
	composites := map[string]bool{}

	for _, o := range objects {
		if isOurs(o) {
			composites[o.GetKind()+"/"+o.GetName()] = true
		}
	}

	for _, o := range objects {
		kind, _, _ := unstructured.NestedString(o.Object, "spec", "resourceRef", "kind")
		name, _, _ := unstructured.NestedString(o.Object, "spec", "resourceRef", "name")

		// What has no spec, such as the status in a preview, asks for nothing.
		if _, asks := o.Object["spec"]; asks && isOurs(o) && (name == "" || !composites[kind+"/"+name]) {
			out = append(out, asking{o, claim.Decode(o.Object)})
		}
	}

	slices.SortStableFunc(out, func(a, b asking) int {
		x, y := a.claim.Identity, b.claim.Identity

		return cmp.Or(cmp.Compare(x.Namespace, y.Namespace), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
	})

	return out
}

// isOurs says whether an object is a claim or a composite of this project.
func isOurs(o unstructured.Unstructured) bool {
	of, _, _ := strings.Cut(o.GetAPIVersion(), "/")

	return of == group && slices.Contains(claim.Kinds(), strings.TrimPrefix(o.GetKind(), "X"))
}

// nodesOf are the K3sClusters, by path, of which there are nodes.
func nodesOf(objects []unstructured.Unstructured) map[string]bool {
	out := map[string]bool{}

	for _, o := range objects {
		if !isOurs(o) || !claim.IsOfCluster(o.Object) {
			continue
		}

		for _, owner := range o.GetOwnerReferences() {
			if owner.Controller != nil && *owner.Controller {
				out[owner.Kind+"/"+o.GetNamespace()+"/"+owner.Name] = true
			}
		}
	}

	return out
}

func pathOf(o unstructured.Unstructured) string {
	return o.GetKind() + "/" + o.GetNamespace() + "/" + o.GetName()
}
