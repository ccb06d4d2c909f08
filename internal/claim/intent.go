package claim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/spelling"
)

// Fields are what every kind of machine has in common; empty ones for a composite of another kind.
func (c Claim) Fields() v1alpha1.MachineFields {
	switch {
	case c.Machine != nil:
		return c.Machine.MachineFields
	case c.K3sNode != nil:
		return c.K3sNode.MachineFields
	}

	return v1alpha1.MachineFields{}
}

// Rollout is the place of a machine, or of a container, in a group; nil for none, and for a node of a K3sCluster, which changes its nodes one by one.
func (c Claim) Rollout() *v1alpha1.MachineRollout {
	switch {
	case c.OfCluster:
		return nil
	case c.Container != nil:
		return c.Container.Rollout
	}

	return c.Fields().Rollout
}

// K3s says which node of which cluster is claimed; nil where none is.
func (c Claim) K3s() *v1alpha1.K3s {
	if c.K3sNode == nil {
		return nil
	}

	return &c.K3sNode.K3s
}

// Intent identifies all that a person wrote into the spec of a composite, however it is spelled. What Crossplane writes beside it does
// not count.
func Intent(composite map[string]any) string {
	b, err := json.Marshal(spelling.Identity(written(object(composite, "spec"))))
	if err != nil {
		return ""
	}

	h := sha256.Sum256(b)

	return hex.EncodeToString(h[:])[:10]
}

// SameIntent says whether two specs say the same, however they are spelled.
func SameIntent(a, b map[string]any) bool {
	// At rest they are the same to the letter.
	if reflect.DeepEqual(a, b) {
		return true
	}

	x, errX := json.Marshal(spelling.Identity(a))
	y, errY := json.Marshal(spelling.Identity(b))

	return errX == nil && errY == nil && bytes.Equal(x, y)
}
