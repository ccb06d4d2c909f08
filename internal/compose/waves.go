package compose

import (
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/util/validation/field"

	fnv1 "github.com/crossplane/function-sdk-go/proto/v1"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/catalog"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/lifecycle"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// groupMembersRequirement names the composites of the claim's kind, among what the function asks Crossplane for.
const groupMembersRequirement = "rollout-group"

// A waver asks for the other members of a group, and has the replacement of a machine wait for its turn.
type waver struct{ call *call }

// askEarly asks for the other machines where it is known at once that something may have to wait for them: a replacement that has not
// begun, and what waited before. Crossplane calls a function five times at most.
func (c waver) askEarly(cat catalog.Catalog) (known bool, err error) {
	c.remember(cat)

	roles := c.call.facts.Roles

	return c.askWhere(roles.Candidate != "" && !roles.Begun)
}

// remember what the status says of the claim's place in its group, and whether that is about this claim and this catalogue.
func (c waver) remember(cat catalog.Catalog) {
	c.call.facts.Rollout.Catalogue = cat.Hash
	if r := c.call.previous.Rollout; r != nil {
		c.call.facts.Rollout.Before, c.call.facts.Rollout.BootID = r.State, r.BootID
		c.call.facts.Rollout.Edited = r.Claim != c.call.facts.Intent || r.Catalogue != cat.Hash
	}
}

// askWhere the claim is in a group, and something is about to begin, or waited before.
func (c waver) askWhere(begins bool) (known bool, err error) {
	before := c.call.facts.Rollout.Before
	waited := before == v1alpha1.WaveWaiting || before == v1alpha1.WaveAnnounced

	if c.call.claim.Rollout() == nil || !waited && !begins {
		return true, nil
	}

	return c.ask()
}

// ask for the other members of the group: composites of the same kind, and in the same namespace. No label says which group a composite is in,
// since a function cannot label composites; their claims say it.
func (c waver) ask() (known bool, err error) {
	if c.call.facts.Rollout.Known {
		return true, nil
	}

	sel := &fnv1.ResourceSelector{
		ApiVersion: textOf(c.call.composite, "apiVersion"),
		Kind:       textOf(c.call.composite, "kind"),
		Match:      &fnv1.ResourceSelector_MatchLabels{MatchLabels: &fnv1.MatchLabels{}},
	}

	if c.call.facts.Owner.Namespace != "" {
		sel.Namespace = &c.call.facts.Owner.Namespace
	}

	items, known := require(c.call.req, c.call.rsp, groupMembersRequirement, sel)
	if !known {
		return false, nil
	}

	own := c.call.claim.Rollout()

	for _, item := range items {
		if m, is := c.member(item.GetResource(), own.Group); is {
			c.call.facts.Rollout.Members = append(c.call.facts.Rollout.Members, m)
		}
	}

	c.call.facts.Rollout.Known = true

	return true, nil
}

// member of a group that a composite is. No member is one that is in no group or another one, or is being deleted, and the claim's own.
func (c waver) member(composite *structpb.Struct, group string) (m lifecycle.OtherMember, is bool) {
	spec := composite.GetFields()["spec"].GetStructValue().GetFields()
	if spec["rollout"].GetStructValue().GetFields()["group"].GetStringValue() != group {
		return m, false
	}

	object := composite.AsMap()
	other := claim.Decode(object)

	rollout := other.Rollout()

	name, namespace := ownName(object)
	same := name == c.call.facts.Owner.Composite && namespace == c.call.facts.Owner.Namespace

	if same || rollout == nil || other.Identity.Namespace != c.call.claim.Identity.Namespace || metadataOf(composite)["deletionTimestamp"].GetStringValue() != "" {
		return m, false
	}

	m = lifecycle.OtherMember{Machine: other.Identity.Name, Wave: rollout.Wave, Revision: rollout.Revision, Intent: claim.Intent(object)}

	status := composite.GetFields()["status"].GetStructValue().GetFields()["rollout"].GetStructValue().GetFields()
	m.State = v1alpha1.WaveState(status["state"].GetStringValue())
	m.Claim, m.Catalogue = status["claim"].GetStringValue(), status["catalogue"].GetStringValue()

	return m, true
}

// awaitTurn has a replacement wait that could begin otherwise. It returns the machine as it is with the answer: the
// one that resolved makes where the replacement waits.
func (c waver) awaitTurn(
	m *machine.Machine, resolved func(lifecycle.Roles) (*machine.Machine, field.ErrorList),
) (*machine.Machine, field.ErrorList) {
	vms := c.call.facts.Observed.VMs

	if lifecycle.GoesOn(c.call.facts.Rollout.Before, vms[c.call.facts.Roles.Active]) {
		return m, nil
	}

	refused, is := lifecycle.RefuseForWave(*m.Rollout, c.call.facts.Rollout)
	if !is {
		// It begins with the claim and the catalogue of this call.
		c.call.facts.Rollout.Edited = false

		return m, nil
	}

	without := refused.Apply(c.call.facts.Roles, vms)

	active, faults := resolved(without)
	if len(faults) > 0 {
		return nil, faults
	}

	c.call.facts.Decision, c.call.facts.Roles = refused, without

	return active, nil
}

// textOf a field of an object; empty where it has none.
func textOf(object map[string]any, field string) string {
	text, _ := object[field].(string)

	return text
}
