package cluster

// A decision is what of a plan is decided so far.
type decision struct {
	now   *situation
	steps map[string]*Step
	said  notes
}

// notes are what the decisions of a call say beside the steps, in the order of the decisions.
type notes struct {
	refused []string // Adoptions that cannot be, and why.
	blocked []string // What only a person can decide.
	circles bool     // Whether a circle of nodes that have to make way for each other was said.
	// unaccepted are members whose turn is to change what the API server does not let them have.
	unaccepted []string
	waits      []string // What a next turn waits for.
}

// block notes what only a person can decide.
func (n *notes) block(why string) { n.blocked = append(n.blocked, why) }

// wait notes what a next turn waits for.
func (n *notes) wait(names ...string) { n.waits = append(n.waits, names...) }
