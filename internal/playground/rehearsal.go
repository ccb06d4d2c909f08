package playground

import (
	"context"
	"slices"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/preview"
	"github.com/homelab-io/function-proxmox-machine/internal/rehearse"
)

// An Edit is what is rehearsed: the texts as they are now, and as they were.
type Edit struct {
	Claim     string `json:"claim"`
	Catalogue string `json:"catalogue"`
	Observed  string `json:"observed"` // What a cluster has, as kubectl prints it. Empty: the texts that were are born first.
	Before    Texts  `json:"before"`
}

// Texts of claims, and of their catalogue and Secrets.
type Texts struct {
	Claim     string `json:"claim"` // Empty: nothing was, and the claims are born.
	Catalogue string `json:"catalogue"`
}

// A Phase of a rehearsal.
type Phase string

// The phases.
const (
	PhaseBefore Phase = "before" // What there was is played until it rests. There are no steps yet.
	PhasePlays  Phase = "plays"  // The edit is played.
	PhaseOver   Phase = "over"
)

// Played is what was played of a rehearsal.
type Played struct {
	Phase   Phase          `json:"phase"`
	Steps   []Scene        `json:"steps"`   // The world before the edit first, without a sentence. Empty before the edit is made.
	Outcome string         `json:"outcome"` // Of the verdict; empty until it is over.
	Words   rehearse.Words `json:"words"`   // Empty until it is over.
}

// A Scene is what there is after a step.
type Scene struct {
	Number int      `json:"number"` // 0 before the edit.
	At     string   `json:"at"`     // Since the commit, as 1m20s.
	Says   []string `json:"says"`   // What is done, and who begins to wait.
	Etcd   []Votes  `json:"etcd"`
	Boxes  []Box    `json:"boxes"` // Of machines, by name.
}

// Votes of an etcd.
type Votes struct {
	Cluster  string `json:"cluster"`
	Members  int    `json:"members"`
	Votes    int    `json:"votes"`
	Majority bool   `json:"majority"`
}

// A Box is one machine on its Proxmox host.
type Box struct {
	Machine string `json:"machine"`
	VMID    int    `json:"vmId"`
	Host    string `json:"host"`
	State   Look   `json:"state"`
	Word    string `json:"word"` // The state, for people.
}

// A Look is how a machine is shown.
type Look string

// The looks, and the words of each.
const (
	LookRuns      Look = "runs"
	LookWaits     Look = "waits" // It runs, and a person is waited for.
	LookAway      Look = "away"
	LookMade      Look = "made"      // Its VM was made in this step, and does not serve yet.
	LookDestroyed Look = "destroyed" // It was destroyed in this step, and nothing took its place.
)

// words of the states of a rehearsal, where they say more than the look.
var words = map[string]string{ //nolint:gochecknoglobals // A constant table.
	rehearse.StateServes: "runs", rehearse.StateDrains: "is drained", rehearse.StateStarts: "out of service: starts",
	rehearse.StateUpgrades: "out of service: is upgraded", rehearse.StateOff: "out of service: is off",
}

// Rehearse an edit: what is played of it so far is nothing, and [Playground.PlayOn] plays it.
func (p *Playground) Rehearse(ctx context.Context, e Edit) (Played, error) {
	p.performance = nil

	machines, err := p.machines(e)
	if err != nil {
		return Played{}, inWords(err)
	}

	p.performance, err = rehearse.Perform(ctx, rehearse.Input{Machines: machines, Assumed: rehearse.Usual(), Memory: p.memory})

	return played(p.performance), inWords(err)
}

// PlayOn for one round, which takes a moment: whoever has something else to do meanwhile does that between two of them.
func (p *Playground) PlayOn() (Played, error) {
	if p.performance == nil {
		return Played{}, errors.New("nothing is rehearsed")
	}

	err := p.performance.Next()

	return played(p.performance), inWords(err)
}

// inWords of the page.
func inWords(err error) error {
	if err == nil {
		return nil
	}

	a := Answer{Error: err.Error()}
	a.inThePage()

	return errors.New(a.Error)
}

// machines of an edit. What was observed counts; else what was is born. A claim that was and is no more stays as it was.
func (p *Playground) machines(e Edit) ([]rehearse.Machine, error) {
	observed, err := manifest.ObjectsOf([]byte(e.Observed))
	if err != nil {
		return nil, errors.Wrap(err, "cannot read what is observed")
	}

	stories, err := p.stories(Request{Claim: e.Claim, Catalogue: e.Catalogue})
	if err != nil {
		return nil, err
	}

	world := preview.WorldWith(observed)

	for i := range stories {
		stories[i].Observed = observed
	}

	r, err := p.rendererOf(stories)
	if err != nil {
		return nil, err
	}

	var out []rehearse.Machine

	for _, s := range stories {
		s.Required = withDummiesOf(s.Required, observed)

		scene, err := r.Scene(world.Around(r.Configuration, s))
		if err != nil {
			return nil, err
		}

		out = append(out, rehearse.Machine{Name: r.Configuration.NameOf(s.Claim), Is: scene})
	}

	if len(observed) > 0 || e.Before.Claim == "" {
		return out, nil
	}

	return p.born(r, e.Before, out)
}

// born machines are those of the claims as they were.
func (p *Playground) born(r preview.Renderer, before Texts, out []rehearse.Machine) ([]rehearse.Machine, error) {
	stories, err := p.stories(Request{Claim: before.Claim, Catalogue: before.Catalogue})
	if err != nil {
		return nil, errors.Wrap(err, "cannot read the claims as they were")
	}

	for _, s := range stories {
		scene, err := r.Scene(s)
		if err != nil {
			return nil, errors.Wrap(err, "cannot read the claims as they were")
		}

		name := r.Configuration.NameOf(s.Claim)
		if i := slices.IndexFunc(out, func(m rehearse.Machine) bool { return m.Name == name }); i >= 0 {
			out[i].Was = &scene
		} else {
			out = append(out, rehearse.Machine{Name: name, Was: &scene, Is: scene})
		}
	}

	return out, nil
}

// played so far of a performance; nothing of none.
func played(f *rehearse.Performance) Played {
	out := Played{Phase: PhaseBefore, Steps: []Scene{}}
	if f == nil || !f.Began() {
		return out
	}

	out.Phase = PhasePlays
	r := f.Rehearsal()

	if f.Over() {
		out.Phase, out.Outcome, out.Words = PhaseOver, string(r.Verdict.Outcome), r.Words()
	}

	before := f.Start()
	waits := map[string]bool{}

	out.Steps = append(out.Steps, sceneOf(rehearse.Step{Machines: before, Etcd: f.Votes()}, before, waits))

	for _, s := range r.Steps {
		for _, w := range s.Waits {
			waits[w.Machine] = true
		}

		// A wait before anything is done has no machines of its own.
		if s.Machines == nil {
			s.Machines = before
		}

		out.Steps = append(out.Steps, sceneOf(s, before, waits))
		before = s.Machines
	}

	return out
}

// sceneOf a step, and of the machines before it.
func sceneOf(s rehearse.Step, before []rehearse.State, waits map[string]bool) Scene {
	out := Scene{Number: s.Number, At: s.At.String(), Says: append([]string{}, s.Words()...), Etcd: []Votes{}, Boxes: []Box{}}

	for _, e := range s.Etcd {
		out.Etcd = append(out.Etcd, Votes{Cluster: e.Cluster, Members: e.Members, Votes: e.Votes, Majority: e.HasMajority()})
	}

	for _, m := range s.Machines {
		was := slices.IndexFunc(before, func(b rehearse.State) bool { return b.Machine == m.Machine && b.VMID == m.VMID })
		out.Boxes = append(out.Boxes, boxOf(m, was < 0, waits[m.Machine]))
	}

	for _, b := range before {
		if !slices.ContainsFunc(s.Machines, func(m rehearse.State) bool { return b.Machine == m.Machine }) {
			out.Boxes = append(out.Boxes, Box{Machine: b.Machine, VMID: b.VMID, Host: b.Node, State: LookDestroyed, Word: "is destroyed"})
		}
	}

	return out
}

// boxOf a machine, whose VM may be new, and that may wait for a person.
func boxOf(m rehearse.State, isNew, waits bool) Box {
	out := Box{Machine: m.Machine, VMID: m.VMID, Host: m.Node, State: LookRuns, Word: words[m.State]}

	switch {
	case m.State == rehearse.StateServes && waits:
		out.State, out.Word = LookWaits, "runs, and waits for a person"
	case m.State == rehearse.StateServes, m.State == rehearse.StateDrains:
	case isNew:
		out.State, out.Word = LookMade, "is made"
	case waits:
		out.State, out.Word = LookAway, out.Word+", and waits for a person"
	default:
		out.State = LookAway
	}

	return out
}
