package bootstrap

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// Check says what [New] refuses of a machine, whatever is in its Secrets, which nobody has read.
func Check(m *machine.Machine) field.ErrorList {
	secrets := make([]Content, 0, len(m.Secrets))
	for _, f := range m.Secrets {
		secrets = append(secrets, Content{Value: new("0"), Keys: []string{f.Key}})
	}

	_, faults := New(m, standInToken(m), secrets...)

	return faults
}

// standInToken is a token of the right form.
func standInToken(m *machine.Machine) *string {
	if m.K3s == nil || m.K3s.Init {
		return new(strings.Repeat("0", 64))
	}

	return new("K10" + strings.Repeat("0", 64) + "::server:" + strings.Repeat("0", 32))
}
