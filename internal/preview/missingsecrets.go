package preview

import (
	"context"
	"fmt"
	"slices"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/status"
)

// compareWithout compares the bootstrap data of a machine that lives with its claim's, where a Secret is not here and the function can tell of neither whether
// they differ: with dummies in place of what is missing, it tells of all other fields. Where these differ, the turn says so, since in the cluster, which
// has the Secret, it is so. It returns what is to be said of the dummies then.
func (r Renderer) compareWithout(ctx context.Context, s *stage, t *Turn) []string {
	lacks := func(c map[string]any) bool {
		return c["type"] == status.TypeBootstrapCurrent && (c["reason"] == status.ReasonTokenSecretMissing || c["reason"] == status.ReasonSecretMissing)
	}

	if !s.given || !slices.ContainsFunc(conditionsOf(t.Composite.Object), lacks) {
		return nil
	}

	with := *s
	with.required, with.dummies, with.first = slices.Clone(s.required), nil, nil

	composition, err := r.composition(s.composite)
	if err != nil || r.standInForMissing(ctx, &with) != nil || len(with.dummies) == 0 {
		return nil
	}

	compared, err := InProcess{}.Turn(ctx, with.input(composition, r.Full))
	if err != nil {
		return nil
	}

	for _, c := range conditionsOf(compared.Composite.Object) {
		message := fmt.Sprint(c["message"])
		if c["reason"] == status.ReasonBootstrapChanged && status.NamesFields(message) {
			// The dummy is not the token that the VM was made with, and no other one, either.
			c["message"] = status.WithoutField(message, bootstrap.FieldToken)
			setCondition(t.Composite.Object, c)

			return with.remarks(Turn{}, nil)
		}
	}

	return nil
}
