package preview

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/claim"
	"github.com/homelab-io/function-proxmox-machine/internal/cluster"
)

// A Renderer shows what becomes of claims.
type Renderer struct {
	Configuration Configuration
	Engine        Engine
	First         bool // Whether to show Crossplane's first turn only.
	Full          bool // Whether the composite is shown with its spec.
	Explain       bool // Whether the function is asked for its plan.

	// Whether a dummy stands for the content of every Secret of a new machine, so that nothing that is rendered has a part of one; and for
	// Secrets that are not there, so that the machine is rendered as it will be once they are.
	StandIns bool

	// Kept are the nodes of clusters as they were rendered last; nil renders each of them anew.
	Kept *Kept

	sent *sent // Of the cluster that a node is one of; nil of what is none.
}

// Render shows what becomes of a claim. Crossplane does not ask for everything at once: a VM waits for its snippets and
// its image. So Crossplane and a provider that makes whatever it is asked for take turns until nothing new is asked for,
// and what is shown is the turn in which the last resource appeared.
func (r Renderer) Render(ctx context.Context, in Story) Rendered {
	s, err := r.stage(in)
	if err != nil {
		return Rendered{Claim: in.Claim, Err: errors.Wrapf(err, "cannot render %s", in.Claim)}
	}

	out, err := r.render(ctx, s)
	err = withMisplaced(in.Claim, s.definition, err)
	out.Claim, out.isNew = in.Claim, !s.given

	if err == nil {
		r.sent = s.memory.sent
		out.Nodes = r.children(ctx, in, out)

		err = refusedOf(in.Claim, out.Nodes)
	}

	if fatal := (&FatalError{}); errors.As(err, &fatal) {
		out.Err = &refused{of: in.Claim, why: fatal}
	} else {
		out.Err = errors.Wrapf(err, "cannot render %s", in.Claim)
	}

	return out
}

// withMisplaced is err, and what the API server says of Crossplane's own fields that only claims have at their place. What a cluster has is no concern of it.
func withMisplaced(of Claim, d definition, err error) error {
	fatal := &FatalError{}
	if d.object.GetAPIVersion() == definitionOfClaims || of.Object.GetResourceVersion() != "" || err != nil && !errors.As(err, &fatal) {
		return err
	}

	spec, _ := of.Object.Object["spec"].(map[string]any)
	faults := slices.Clone(fatal.Faults)

	for _, m := range claim.Misplaced(spec) {
		faults = append(faults, "spec."+m.Name+": "+m.Instead)
	}

	if len(faults) == len(fatal.Faults) || len(fatal.Faults) == 0 && err != nil {
		return err
	}

	return &FatalError{Faults: faults}
}

// definitionOfClaims is the apiVersion of an XRD for claims.
const definitionOfClaims = "apiextensions.crossplane.io/v1"

// A refused claim is the error of what the function refuses, a fault a line.
type refused struct {
	of  Claim
	why *FatalError
}

// Error names the claim, and its faults.
func (r *refused) Error() string {
	return fmt.Sprintf("cannot render %s:\n  %s", r.of, strings.ReplaceAll(r.why.Error(), "\n", "\n  "))
}

// Unwrap is what the function says.
func (r *refused) Unwrap() error { return r.why }

// refusedOf is what the nodes of a cluster refuse, in the fields of its claim: who edits it has no claims of nodes. What several nodes say is there once.
func refusedOf(of Claim, nodes []Child) error {
	var faults []string

	spec := claim.Decode(of.Object.Object)

	for _, c := range nodes {
		fatal := &FatalError{}

		switch {
		case c.Err == nil:
			continue
		case !errors.As(c.Err, &fatal):
			return c.Err
		}

		members, err := cluster.Members(spec.Identity, *spec.K3sCluster, false)
		if err != nil {
			return err
		}

		for line := range strings.Lines(fatal.Error()) {
			fault := cluster.Told(members, c.Name, strings.TrimSuffix(line, "\n"), *spec.K3sCluster)
			if !slices.Contains(faults, fault) {
				faults = append(faults, fault)
			}
		}
	}

	if len(faults) == 0 {
		return nil
	}

	return &FatalError{Faults: faults}
}

func (r Renderer) render(ctx context.Context, s *stage) (Rendered, error) {
	// Of a machine that lives, what it was made with is compared with what its Secrets hold.
	if r.StandIns && !s.given {
		if err := r.judgeSecrets(ctx, s); err != nil {
			return Rendered{}, err
		}

		if err := r.standIn(ctx, s); err != nil {
			return Rendered{}, err
		}
	}

	t, p, err := r.turn(ctx, s)
	appeared := appear(nil, 1, t.Composed)

	if err != nil || r.First || s.given {
		without := r.compareWithout(ctx, s, &t)

		return Rendered{Turn: t, plan: p, remarks: append(s.remarks(t, p), without...), appeared: appeared}, err
	}

	for turn := range maxTurns {
		if !s.provide(t) {
			return Rendered{Turn: t, plan: p, remarks: s.remarks(t, p), appeared: appeared}, nil
		}

		next, then, err := r.turn(ctx, s)
		if err != nil {
			return Rendered{}, err
		}

		if !s.lacksOneOf(next.Composed) {
			return Rendered{Turn: t, plan: p, remarks: s.remarks(t, p), appeared: appeared}, nil
		}

		// Some is said of what is to be made alone, and no more once it is there.
		next.Explanation.Warnings = union(t.Explanation.Warnings, next.Explanation.Warnings)
		t, p, appeared = next, p.then(then), appear(appeared, turn+2, next.Composed) //nolint:mnd // The second turn follows the first one.
	}

	return Rendered{}, errors.Errorf("after %d turns it still asks for new resources", maxTurns)
}

// union of texts, each once, in the order in which they come first.
func union(first, then []string) []string {
	out := slices.Clone(first)

	for _, text := range then {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}

	return out
}

// turn has the engine do one turn. It returns what came of it, and apart from that the function's plan.
func (r Renderer) turn(ctx context.Context, s *stage) (Turn, plan, error) {
	t, err := r.engineTurn(ctx, s)
	if err != nil {
		return Turn{}, nil, err
	}

	var p plan

	_, remembers := s.composite.Object["status"]
	t.Results, p = takePlan(t.Results, remembers || !s.given)

	return t, p, nil
}

// engineTurn is what comes of the stage's next turn, as the engine says it.
func (r Renderer) engineTurn(ctx context.Context, s *stage) (Turn, error) {
	if done := s.first; done != nil {
		s.first = nil

		return *done, nil
	}

	composition, err := r.composition(s.composite)
	if err != nil {
		return Turn{}, err
	}

	return r.Engine.Turn(ctx, s.input(composition, r.Full))
}
