package preview

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/change"
	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
	"github.com/homelab-io/function-proxmox-machine/internal/compose"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// An Effect of a plan on a machine.
type Effect string

// The effects, the gravest last. A machine without any is kept as it is.
const (
	EffectApproval Effect = "approval" // Nothing happens before somebody approves the plan.
	EffectWait     Effect = "wait"     // Something waits: for a Secret, for a person, or for a reboot since before this plan.
	EffectCreate   Effect = "create"   // A new VM.
	EffectChange   Effect = "change"   // While the VM runs.
	EffectReboot   Effect = "reboot"   // A change takes effect at the next power cycle, or the VM is power-cycled now.
	EffectNewVM    Effect = "new-vm"   // An edit of bootstrap data, which a VM is made with: it takes effect in a new VM only.
	EffectRefused  Effect = "refused"  // The VM cannot make a change and keeps its own value.
	EffectReplace  Effect = "replace"  // A new VM takes the place of the old one.
	EffectDestroy  Effect = "destroy"  // A VM is destroyed with its disks.
	EffectQuorum   Effect = "quorum"   // The claims of so many servers are deleted that their K3s cluster stops.
)

// Effects are all effects, the gravest last.
func Effects() []Effect {
	return []Effect{EffectApproval, EffectWait, EffectCreate, EffectChange, EffectReboot, EffectNewVM, EffectRefused, EffectReplace, EffectDestroy, EffectQuorum}
}

// A State says what a plan makes of a machine as a whole.
type State string

// The states of machines in a plan.
const (
	StateNew     State = "new"
	StateChanged State = "changed"
	StateRefused State = "refused" // Every change that the claim asks for is refused: the machine stays as it is.
	StateKept    State = "kept"
	StateGone    State = "gone" // Its claim is deleted.
	StateFaulty  State = "faulty"
)

// A MachinePlan is what becomes of one machine.
type MachinePlan struct {
	Kind      string     `json:"kind"`
	Namespace string     `json:"namespace,omitempty"`
	Name      string     `json:"name"`
	File      string     `json:"file,omitempty"`
	State     State      `json:"state"`
	Effects   []Effect   `json:"effects,omitempty"` // The gravest last.
	Steps     []PlanStep `json:"steps,omitempty"`
	Approval  string     `json:"approval,omitempty"` // The hash of the plan, where it waits for spec.lifecycle.approve.
	Refused   []string   `json:"refused,omitempty"`  // Parts of a cluster's claim that cannot be: the rest takes effect.
	Notes     []string   `json:"notes,omitempty"`    // What the function says of the claim, and what a plan cannot know.
	Fault     string     `json:"fault,omitempty"`    // Why there is no plan.
}

// A PlanStep is what becomes of one resource that is not kept as it is.
type PlanStep struct {
	Resource string       `json:"resource"` // As people call it: VM 161, or its name in the composition.
	Action   string       `json:"action"`
	Changes  []PlanChange `json:"changes,omitempty"`
	Notes    []string     `json:"notes,omitempty"`

	Turn compose.NodeTurn `json:"-"` // The plan of the cluster judges by it.
}

// A PlanChange is one edit and what it does.
type PlanChange struct {
	Effect Effect `json:"effect"`
	Field  string `json:"field"` // As the person typed it.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`

	// Because is what a person has to know beside the effect, of a node of a cluster, and of a node of Proxmox that there is not; empty of any other, whose
	// effect and field say it.
	Because string `json:"-"`
}

// Plan what becomes of the machines of some stories, in their order.
func (r Renderer) Plan(ctx context.Context, stories []Story) []MachinePlan {
	out := make([]MachinePlan, 0, len(stories))
	stories = r.asEdited(stories)

	all := r.RenderAll(ctx, stories, runtime.NumCPU())

	for i, s := range stories {
		rendered := all[i]
		plan := r.planOf(s, rendered)

		// The policies of a cluster's nodes are the cluster's.
		if plan.State != StateNew && plan.State != StateFaulty {
			plan.Notes = append(plan.Notes, r.decidedBy(s)...)
		}

		out = append(out, plan)
		of := len(out)

		given := s.Given

		for _, c := range rendered.Nodes {
			// The nodes of a new cluster are steps of it, unless they are machines that it adopts.
			if !given && !c.adopted() {
				continue
			}

			s.Claim, s.Given = c.Claim, !c.isNew
			out = append(out, r.planOf(s, c.Rendered).typed(c.Claim))
		}

		out[of-1].replaceNodes(out[of:], rendered.Nodes)
	}

	return out
}

// typed is the plan of a claim as a person reads it: of a node of a cluster, with the fields of the cluster's claim.
func (m MachinePlan) typed(of Claim) MachinePlan {
	say := func(text string) string { return cluster.Typed(of.Object.Object, text) }

	m.Fault = say(m.Fault)
	each(m.Notes, say)

	for i := range m.Steps {
		each(m.Steps[i].Notes, say)

		for k := range m.Steps[i].Changes {
			c := &m.Steps[i].Changes[k]
			c.Because = say(cmp.Or(c.Because, c.why(m.Steps[i].subject())))
			c.Field = say(c.Field)
		}
	}

	return m
}

func each(texts []string, say func(string) string) {
	for i := range texts {
		texts[i] = say(texts[i])
	}
}

// newNodes are the nodes of a new cluster.
func (r Rendered) newNodes() []PlanStep {
	out := make([]PlanStep, 0, len(r.Nodes))
	for _, c := range r.Nodes {
		if c.adopted() {
			out = append(out, PlanStep{Resource: c.Name, Action: adoptsGuest, Notes: []string{
				fmt.Sprintf("turn %d", c.Since), "adopts K3sNode " + c.Claim.Object.GetName() + ": nothing changes on its VM" + c.vmID(),
			}})

			continue
		}

		out = append(out, PlanStep{Resource: c.Name, Action: compose.Created, Notes: append([]string{fmt.Sprintf("turn %d", c.Since)}, c.newVM()...)})
	}

	return out
}

// nodeTrouble is what the nodes of a new cluster say of addresses that somebody else has.
func (r Rendered) nodeTrouble() (out []string) {
	for _, c := range r.Nodes {
		inUse, _ := addressTrouble(c.Turn)
		for _, text := range inUse {
			out = append(out, c.Name+": "+cluster.Typed(c.Claim.Object.Object, text))
		}
	}

	return out
}

// nodeWarnings are what is warned of the nodes of a new cluster, each once, with the nodes that it is about unless it is about all.
func (r Rendered) nodeWarnings() []string {
	var texts []string

	about := map[string][]string{}

	for _, c := range r.Nodes {
		for _, w := range c.Turn.Explanation.Warnings {
			text := cluster.Typed(c.Claim.Object.Object, w)
			texts = union(texts, []string{text})
			about[text] = append(about[text], c.Name)
		}
	}

	for i, text := range texts {
		if names := about[text]; len(names) < len(r.Nodes) {
			texts[i] = strings.Join(names, ", ") + ": " + text
		}
	}

	return prefixed("warning: ", texts)
}

func (r Renderer) planOf(s Story, rendered Rendered) MachinePlan {
	out := MachinePlan{File: s.Claim.File}
	out.Kind, out.Namespace, out.Name = r.Configuration.identity(s.Claim.Object)

	if rendered.Err != nil {
		out.State, out.Fault = StateFaulty, rendered.Err.Error()

		return out
	}

	said := rendered.Turn.Explanation
	out.Notes = slices.Concat(prefixed("keeps ", said.Kept), prefixed("warning: ", said.Warnings), rendered.remarks)

	if !s.Given {
		return rendered.asNew(out)
	}

	effects := map[Effect]bool{}

	if out.Refused = said.Refused; len(out.Refused) > 0 {
		effects[EffectRefused] = true
	}

	for _, step := range said.Steps {
		if p, counts := planStep(step, effects); counts {
			out.Steps = append(out.Steps, p.nowhere(said.NoNode))
		}
	}

	if kindOf(rendered.Turn.Composite) == claim.KindK3sCluster {
		does := func(action string) bool {
			return slices.ContainsFunc(out.Steps, func(s PlanStep) bool { return s.Action == action })
		}

		// A cluster removes a node only if its VM is to be destroyed. Of a node that waits for others nothing is there yet that could say so itself.
		effects[EffectDestroy] = effects[EffectDestroy] || does(removesNode)
		effects[EffectWait] = effects[EffectWait] || does(awaitsOthers)
	}

	if out.Approval = said.Approval; out.Approval != "" {
		effects[EffectApproval] = true
		delete(effects, EffectWait)
	}

	for _, c := range conditionsOf(rendered.Turn.Composite.Object) {
		if text, _ := c["message"].(string); c["type"] == status.TypeBootstrapCurrent && c["status"] == "False" {
			effects[EffectNewVM] = true
			out.Notes = append(out.Notes, text)
		}
	}

	out.effects(effects)

	return out
}

// effects of a plan, and what they make of the machine as a whole.
func (m *MachinePlan) effects(of map[Effect]bool) {
	m.Effects, m.State = nil, StateKept

	for _, e := range Effects() {
		if of[e] {
			m.Effects = append(m.Effects, e)
			m.State = StateChanged
		}
	}

	if slices.Equal(m.Effects, []Effect{EffectRefused}) {
		m.State = StateRefused
	}
}

// asNew is the plan of a machine, or of a cluster, of which there is nothing yet.
func (r Rendered) asNew(out MachinePlan) MachinePlan {
	out.State, out.Effects = StateNew, []Effect{EffectCreate}
	if out.Steps = r.newNodes(); len(out.Steps) > 0 {
		out.Notes = slices.Concat(out.Notes, r.nodeTrouble(), r.nodeWarnings())

		return out
	}

	// A cluster that cannot begin says why.
	if kindOf(r.Turn.Composite) == claim.KindK3sCluster {
		out.Effects = []Effect{EffectWait}

		for _, c := range conditionsOf(r.Turn.Composite.Object) {
			if text, _ := c["message"].(string); c["type"] == cluster.TypeRolledOut && text != "" {
				out.Notes = append(out.Notes, text)
			}
		}

		return out
	}

	if kindOf(r.Turn.Composite) == claim.KindProxmoxSite {
		return r.newSite(out)
	}

	what := "VM"
	if kindOf(r.Turn.Composite) == claim.KindContainer {
		what = "container"
	}

	out.Steps = []PlanStep{{Resource: what, Action: compose.Created, Notes: r.newVM()}}

	// Nothing is made of what is there already.
	if r.adopts() {
		out.Steps[0].Action, out.Effects = adoptsGuest, []Effect{EffectApproval}
		return out
	}

	for _, step := range r.Turn.Explanation.Steps {
		if step.VM && len(step.Words) > 0 {
			out.Steps[0].Notes = append(out.Steps[0].Notes, step.Words...)
			out.Effects = []Effect{EffectWait, EffectCreate}
		}
	}

	return out
}

// newSite is the plan of a site of which there is nothing yet.
func (r Rendered) newSite(out MachinePlan) MachinePlan {
	state, err := r.state()
	if err != nil {
		out.Notes = append(out.Notes, err.Error())
	}

	for _, name := range slices.Sorted(maps.Keys(state.SiteParts)) {
		if o := state.SiteParts[name]; !o.ObserveOnly() {
			out.Steps = append(out.Steps, PlanStep{Resource: sitePart(o), Action: compose.Created})
		}
	}

	return out
}

// removesNode is what a cluster says of a node that goes.
const removesNode = "remove"

// awaitsOthers is what a cluster says of a node that is not made yet.
const awaitsOthers = "wait"

// changesNode is what a cluster says of a node that gets what its claim describes.
const changesNode = "change"

// adoptsGuest is what a claim says of a guest that is there already, and a cluster of a node that is a machine.
const adoptsGuest = "adopt"

func prefixed(prefix string, texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, prefix+t)
	}

	return out
}

// newVM is what a new machine will be, in a line, why it is on its node, where the function chose it, and its address where a pool has it.
func (r Rendered) newVM() []string {
	text, err := r.Summary()
	if err != nil {
		return nil
	}

	var out []string

	for line := range strings.Lines(text) {
		// Nobody reads the address of a pool in the claim.
		address := strings.HasPrefix(line, "    NIC 0:") && r.Claim.takesFromPool()
		if address || strings.HasPrefix(line, "  VM") || strings.HasPrefix(line, "  container") || strings.HasPrefix(line, "  node: ") {
			out = append(out, strings.TrimSpace(line))
		}
	}

	return out
}

// planStep is a step of the function's as a plan shows it, and its effects. It does not count where a resource is kept and nothing is said of it.
func planStep(step compose.Step, effects map[Effect]bool) (PlanStep, bool) {
	out := PlanStep{Resource: step.Resource, Action: step.Action, Notes: step.Words}
	if step.VMID != 0 {
		out.Resource = fmt.Sprintf("VM %d", step.VMID)
	}

	add := func(e Effect, c change.Change) {
		effects[e] = true
		c = asNotes(c)
		out.Changes = append(out.Changes, PlanChange{Effect: e, Field: c.Field, From: c.Has, To: c.Wanted})
	}

	for _, c := range step.Changes {
		switch c.Effect {
		case change.InPlace:
			add(EffectChange, c)
		case change.Reboot:
			add(EffectReboot, c)
		case change.Refused:
			add(EffectRefused, c)
		}
	}

	for _, c := range step.Pending {
		add(EffectWait, c)
	}

	switch step.Action {
	case compose.Replaced:
		effects[EffectReplace] = effects[EffectReplace] || step.VM
	case compose.Restarted:
		effects[EffectReboot] = true
	case compose.Created:
		effects[EffectCreate] = effects[EffectCreate] || step.VM
	case compose.Upgraded:
		effects[EffectChange] = true
	case compose.Removed:
		effects[EffectChange] = effects[EffectChange] || out.subject() == subjectSite && !step.Destroyed
	}

	if step.Destroyed {
		effects[EffectDestroy] = true
	}

	out.Turn = step.Turn

	if step.Action == compose.Kept && len(step.Words) > 0 && !step.Refused {
		effects[EffectWait] = true
	}

	return out, step.Action != compose.Kept || len(out.Changes)+len(out.Notes) > 0
}
