package bootstrap

import (
	"slices"
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

// A SecretReader reads a key of a Secret of the machine's namespace; known is false where nobody can tell what the Secret has.
type SecretReader func(secret, key string) (content Content, known bool)

// CheckSecrets checks what [Check] cannot: the contents of Secrets, as far as they are known. lack is the key of one without which the machine waits; nil for
// none. Neither shows a content.
func CheckSecrets(m *machine.Machine, read SecretReader) (faults field.ErrorList, lack *Lack) {
	token, secrets := Content{Value: standInToken(m)}, make([]Content, 0, len(m.Secrets))
	some := false

	if m.K3s != nil && m.K3s.TokenSecret != nil {
		if c, known := read(m.K3s.TokenSecret.Name, m.K3s.TokenSecret.Key); known {
			token, some = c, true
		}
	}

	for _, f := range m.Secrets {
		c, known := read(f.Secret, f.Key)
		if !known {
			c = Content{Value: new("0"), Keys: []string{f.Key}}
		}

		secrets, some = append(secrets, c), some || known
	}

	if !some {
		return nil, nil
	}

	known := Check(m)
	b, all := New(m, token.Value, secrets...)

	for _, err := range all {
		if !slices.ContainsFunc(known, func(k *field.Error) bool { return k.Error() == err.Error() }) {
			faults = append(faults, err)
		}
	}

	if b != nil && len(all) == 0 {
		lack = b.Lack
	}

	if lack != nil && lack.Token {
		lack.Keys = token.Keys
	}

	return faults, lack
}
