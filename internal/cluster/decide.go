package cluster

// Decide what happens to the nodes of a cluster in this call. A node that exists is always rendered, unless it is its turn to go; and
// whoever has no turn keeps the spec that it has.
func Decide(w World) Plan {
	now := situationOf(w)
	d := &decision{now: now, steps: keep(now)}

	continueUpgrades(d)
	continueTurns(d)

	// A K3sNode that is adopted changes in nothing, so that a paused rollout adopts. Until it is a node, nobody counts right.
	if adopting := adopt(d); !adopting && !w.Rollout.Pause {
		startUpgrades(d)
		createMissing(d)
		removeUnwanted(d)
		changeOutdated(d)
	}

	return planOf(d)
}
