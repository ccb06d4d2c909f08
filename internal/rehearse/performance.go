package rehearse

import "context"

// A Performance is a rehearsal that is played round by round, for who shows its first steps while the others are played.
type Performance struct {
	p      *play
	watch  *watch // Nil before the edit.
	rounds int    // Before the edit.
	out    Rehearsal
	over   bool
}

// Perform a rehearsal: nothing of it is played yet.
func Perform(ctx context.Context, in Input) (*Performance, error) {
	p, err := begin(ctx, in)

	return &Performance{p: p, out: Rehearsal{Assumed: in.Assumed}}, err
}

// Next round. There is nothing to do once it is over.
func (f *Performance) Next() (err error) {
	defer recovered(&err)

	switch {
	case f.over:
	case f.watch == nil:
		f.settle()
	default:
		if f.over = f.watch.act(); f.over {
			f.watch.end(&f.out)
		} else {
			f.p.round++
		}
	}

	return nil
}

// settle for a round what there is without the edit, and edit it when it rests.
func (f *Performance) settle() {
	born := len(f.p.cluster.Machines) == 0
	rests := born || f.p.once()

	if f.rounds++; rests || f.rounds == MaxRounds {
		f.out.Before = f.p.settled(born, rests)
		f.watch = f.p.commit(f.out.Before)
	}
}

// Began says whether the edit is made. Before that there are no steps.
func (f *Performance) Began() bool { return f.watch != nil }

// Over says whether nothing is left to be played.
func (f *Performance) Over() bool { return f.over }

// Start is what there is of each machine when the edit is made; nil before that.
func (f *Performance) Start() []State {
	if f.watch == nil {
		return nil
	}

	return f.watch.start
}

// Votes of each etcd when the edit is made; nil before that.
func (f *Performance) Votes() []Etcd {
	if f.watch == nil {
		return nil
	}

	return f.watch.votes
}

// Rehearsal so far: its steps, and, once it is over, all of it. Waits are noted with the steps in which they begin when it is over, which can add a step.
func (f *Performance) Rehearsal() Rehearsal {
	out := f.out
	if f.watch != nil && !f.over {
		out.Steps = f.watch.steps
	}

	return out
}

// Words of a rehearsal that is over, as its text has them.
type Words struct {
	Before  []string `json:"before"` // The edit: what is to be said of that, if anything.
	Verdict []string `json:"verdict"`
	Sums    []string `json:"sums"`
}

// Words of a rehearsal.
func (r Rehearsal) Words() Words {
	return Words{Before: r.before(), Verdict: r.Verdict.lines(), Sums: r.sums()}
}

// Words of a step: what is done in it, what moves, who begins to wait, and who is away then.
func (s Step) Words() []string { return s.lines() }
