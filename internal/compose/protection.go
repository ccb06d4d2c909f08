package compose

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/crossplane/function-sdk-go/errors"
	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/object"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
	"github.com/homelab-io/function-proxmox-machine/internal/usage"
)

// A protector writes the Usages of a machine.
type protector struct {
	call *call

	api   usage.API
	owner usage.Owner
	steps map[string]step
}

// protect renders the Usages that keep the claim from deletion, if the claim asks for protection or its K3s cluster needs the server, and
// those that keep VMs until their Node is gone. It returns the steps of the Usages.
func (c *call) protect(plan *lifecycle.Plan) (map[string]step, error) {
	id := c.facts.Machine.Identity

	p := protector{call: c, steps: map[string]step{}, api: usageAPI(c.req), owner: ownerOf(c.composite, id)}

	// A node of a K3sCluster has the namespace of the cluster's claim, and no claim there.
	if _, own := ownName(c.composite); own == "" && !claim.IsOfClaim(c.composite) {
		p.owner.Namespace = ""
	}

	for name := range c.req.GetObserved().GetResources() {
		if usage.Is(name) {
			p.steps[name] = step{action: actionRemove}
		}
	}

	var err error

	if c.facts.Machine.Protection {
		name, u := usage.New(p.owner, p.api)
		err = p.write(name, u)
	}

	err = errors.Join(err, p.making(plan), p.quorum(plan), p.volumes(plan), p.keepVMs(plan), p.addresses(plan))

	return p.steps, errors.Wrap(err, "cannot protect the machine")
}

// making keeps a claim while its VM is being made, unless protection keeps it anyway. A machine with snippets has so many events while it is made that
// Crossplane would stop listening to it with those of a Usage, and it would be ready a minute later: install/deletion keeps the claim there, at no event.
func (p protector) making(plan *lifecycle.Plan) error {
	if plan.Machine.Protection || len(plan.Observed.Files) > 0 || !lifecycle.InTheMaking(plan) {
		return nil
	}

	name, u := usage.ForMaking(p.owner, p.api, "VM")

	return p.write(name, u)
}

// quorum keeps a server that its cluster needs. While nobody can read its Node, the Usage of before stays.
func (p protector) quorum(plan *lifecycle.Plan) error {
	if b := lifecycle.RemovalBlocked(plan.Situation); b.Reason != "" {
		name, u := usage.ForQuorum(p.owner, p.api, removalReason(b))
		return p.write(name, u)
	}

	if plan.Node.Sight == object.SightClear || !lifecycle.AsksForRemoval(plan.Request) {
		return nil
	}

	for name, r := range p.call.req.GetObserved().GetResources() {
		if !usage.IsOfQuorum(name) {
			continue
		}

		manifest, err := usage.Kept(r.GetResource())
		if err != nil {
			return err
		}

		p.add(name, manifest)
	}

	return nil
}

// volumes keep the machine on which they live.
func (p protector) volumes(plan *lifecycle.Plan) error {
	held := lifecycle.HeldVolumes(plan.Situation)
	if len(held) == 0 {
		return nil
	}

	name, u := usage.ForVolumes(p.owner, p.api, volumesReason(held))

	return p.write(name, u)
}

// keepVMs until the Object is gone with which their Node goes, and until their HA resource is gone.
func (p protector) keepVMs(plan *lifecycle.Plan) error {
	var errs []error

	for vm, o := range lifecycle.NodeUses(plan) {
		by := usage.Named(o.APIVersion, proxmox.WrittenKind(o.APIVersion, o.Kind), o.Metadata.Name)
		errs = append(errs, p.keepVM(usage.OfVM(vm), plan.Observed.VMs[vm], by, usage.ForNode))
	}

	for vm, o := range lifecycle.HAUses(plan) {
		by := usage.Named(o.APIVersion, proxmox.WrittenKind(o.APIVersion, o.Kind), o.Metadata.Name)
		errs = append(errs, p.keepVM(usage.OfHA(vm), plan.Observed.VMs[vm], by, usage.ForHA))
	}

	return errors.Join(errs...)
}

// addresses keeps the IPAddressClaims of VMs for as long as there are the VMs, and machines whose VM would run on with an address that its pool
// gives away.
func (p protector) addresses(plan *lifecycle.Plan) error {
	for vm, name := range lifecycle.UsersOfAddresses(plan.Request) {
		o, by := plan.AddressClaims.Observed[name], plan.Observed.VMs[vm]
		if going, is := plan.AddressClaims.Going[vm]; is {
			by = going
		}

		claim := usage.Named(o.APIVersion, proxmox.WrittenKind(o.APIVersion, o.Kind), o.Metadata.Name)
		user := usage.Named(by.APIVersion, proxmox.WrittenKind(by.APIVersion, by.Kind), by.Metadata.Name)

		u := usage.ForAddress(claim, user, o.Metadata.Namespace)
		if err := p.write(usage.OfAddress(vm), u); err != nil {
			return err
		}
	}

	address, of, keeps := lifecycle.KeepsAddress(plan.Request)
	if !keeps {
		return nil
	}

	name, u := usage.ForOrphanedAddress(p.owner, p.api, "the VM would stay in Proxmox (deletionPolicy: Orphan) and run on with address "+address+", and "+of.String()+
		" would give it to another machine. Take the address out of the pool, and write it into the claim as network.ip, with its cidr and gateway; or set "+
		"deletionPolicy: Delete, which destroys the VM")

	return p.write(name, u)
}

// keepVM writes the Usage with a composed resource name, which keeps a VM until another resource is gone.
func (p protector) keepVM(
	name string, vm proxmox.ObservedVM, by usage.Resource, usageOf func(vm, by usage.Resource, namespace string, api usage.API) usage.Usage,
) error {
	u := usageOf(usage.Named(vm.APIVersion, proxmox.WrittenKind(vm.APIVersion, vm.Kind), vm.Metadata.Name), by, vm.Metadata.Namespace, p.api)

	return p.write(name, u)
}

// write a Usage, of the kind that it has already where it exists.
func (p protector) write(name string, u usage.Usage) error {
	if err := writeUsage(p.call, name, u); err != nil {
		return err
	}

	p.note(name)

	return nil
}

func (p protector) add(name string, manifest *structpb.Struct) {
	addUsage(p.call, name, manifest)
	p.note(name)
}

// note the step of a Usage.
func (p protector) note(name string) {
	action := actionCreate
	if _, ok := p.steps[name]; ok {
		action = actionKeep
	}

	p.steps[name] = step{action: action}
}

// usageAPI is the API of new Usages. Crossplane reports its capabilities since 2.2; one that reports none gets the Usage that all generations have.
func usageAPI(req *fnv1.RunFunctionRequest) usage.API {
	if can(req, fnv1.Capability_CAPABILITY_CAPABILITIES) {
		return usage.APIProtection
	}

	return usage.APIExtensions
}

// ownerOf Usages: a composite with the identity of its claim.
func ownerOf(composite map[string]any, id machine.Identity) usage.Owner {
	apiVersion, _ := composite["apiVersion"].(string)
	kind, _ := composite["kind"].(string)

	return usage.Owner{
		APIVersion: apiVersion, Kind: id.Kind, Name: id.Name, Namespace: id.Namespace, Composite: id.Composite, CompositeKind: kind,
	}
}

// writeUsage with a composed resource name, of the kind that it has already where it exists.
func writeUsage(c *call, name string, u usage.Usage) error {
	manifest, err := usage.Manifest(u.InAPIOf(c.req.GetObserved().GetResources()[name].GetResource()))
	if err != nil {
		return err
	}

	addUsage(c, name, manifest)

	return nil
}

// addUsage to what is desired. It is ready at once.
func addUsage(c *call, name string, manifest *structpb.Struct) {
	c.rsp.Desired.Resources[name] = &fnv1.Resource{Resource: manifest, Ready: fnv1.Ready_READY_TRUE}
}

// keptUsages are the manifests of the Usages among composed resources, as they are, by composed resource name.
func keptUsages(observed map[string]*fnv1.Resource) (map[string]proxmox.Manifest, error) {
	out := map[string]proxmox.Manifest{}

	for name, o := range observed {
		if !usage.Is(name) {
			continue
		}

		var err error
		if out[name], err = usage.Kept(o.GetResource()); err != nil {
			return nil, errors.Wrapf(err, "cannot keep composed resource %q", name)
		}
	}

	return out, nil
}

// removalReason is what a person reads who deletes a server that its cluster needs.
func removalReason(b lifecycle.Blocker) string {
	const wholeCluster = "To delete the whole cluster, first remove observe and providerConfig from its entry in the catalogue, and delete the machines then"

	if b.Reason == lifecycle.BlockedByOnlyServer {
		return "this machine is the last server of K3s cluster " + b.Cluster + ": with it the state of the cluster would be lost. " +
			"Create another server first. " + wholeCluster
	}

	return "K3s cluster " + b.Cluster + " would lose its quorum with this server: of the servers that remain, " + strings.Join(b.Names(), ", ") +
		" cannot vote now. Repair them first. " + wholeCluster
}

// maxVolumes is how many volumes a reason names.
const maxVolumes = 5

// volumesReason is what a person reads who deletes a machine on which volumes live.
func volumesReason(held []string) string {
	names := strings.Join(held[:min(len(held), maxVolumes)], ", ")
	if more := len(held) - maxVolumes; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}

	return "the data of these PersistentVolumes is on the disks of this machine and nowhere else, and would be lost with its VM: " + names +
		". Move the data, and delete the PersistentVolumeClaims; or set deletionPolicy: Orphan, to keep the VM"
}
