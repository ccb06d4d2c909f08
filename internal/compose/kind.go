package compose

// A kind of claims is how a call for one is answered. No kind borrows from another: what a kind leaves out, Crossplane deletes, so that one without a retain
// of its own must not compile.
type kind interface {
	// compose is the story of one call: read what there is, ask for what it names, decide, and respond. known is false while Crossplane has not fetched
	// all that was asked for; the response has nothing but the questions then.
	compose() (known bool, err error)

	// retain adds everything that exists to the response, as it is.
	retain() error
}

// kindOf a call, by its composite.
func kindOf(c *call) kind {
	switch {
	case isCluster(c.composite):
		return &clusterCall{call: c}
	case isContainer(c.composite):
		return containerCall{c}
	case isSite(c.composite):
		return siteCall{c}
	default:
		return vmCall{c}
	}
}

// answered by a kind, or, while Crossplane still fetches what the kind asks for, with everything as it is.
func answered(k kind) error {
	known, err := k.compose()
	if err != nil || known {
		return err
	}

	return k.retain()
}
