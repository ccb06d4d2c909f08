package provider

import (
	"encoding/json"
	"fmt"
	"sync"
)

// A Replay remembers what Terraform made of a resource, by its text. All flavours of the provider's API hand the same
// text to Terraform where forProvider is the same.
type Replay struct {
	mu       sync.Mutex
	outcomes map[string]Outcome
	// Hits is how often an outcome was found.
	Hits int
}

// key is everything that Terraform gets to see but for the label of the resource, and what the provider may do with it.
func (*Replay) key(r Resource) (string, error) {
	b, err := json.Marshal([]any{r.TerraformType(), r.ExternalName(), r.Spec.ManagementPolicies, arguments(r.Spec.ForProvider)})
	if err != nil {
		return "", fmt.Errorf("cannot marshal the arguments of %s: %w", r.Metadata.Name, err)
	}

	return string(b), nil
}

func (p *Replay) find(r Resource) (Outcome, bool) {
	if p == nil {
		return Outcome{}, false
	}

	k, err := p.key(r)
	if err != nil {
		return Outcome{}, false
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	o, ok := p.outcomes[k]
	if ok {
		p.Hits++
	}

	return o, ok
}

func (p *Replay) add(r Resource, o Outcome) error {
	if p == nil {
		return nil
	}

	k, err := p.key(r)
	if err != nil {
		return err
	}

	p.mu.Lock()
	defer p.mu.Unlock()

	if p.outcomes == nil {
		p.outcomes = map[string]Outcome{}
	}

	p.outcomes[k] = o

	return nil
}
