package validate

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
)

// notKeys are what people write in place of a public key, and what to write instead.
var notKeys = []struct { //nolint:gochecknoglobals // A constant table.
	pattern *regexp.Regexp
	text    string
}{
	{
		regexp.MustCompile(`^(gh|lp):\S+$`),
		"names an account whose keys somebody would have to fetch: write the keys themselves, which https://github.com/NAME.keys and " +
			"https://launchpad.net/~NAME/+sshkeys show",
	},
	{regexp.MustCompile(`^https?://\S+$`), "is an address, and nobody fetches keys from it: write the keys themselves, one line each"},
	{regexp.MustCompile(`^([~/.]\S*|\S+\.pub)$`), "is the name of a file, and nobody reads it: write what is in the .pub file, which is one line"},
	{
		regexp.MustCompile(`^ssh-dss[ \t]`),
		"is a DSA key, which no current OpenSSH takes: create another one (`ssh-keygen -t ed25519`), and write the line in its .pub file",
	},
}

// mistakenForKey says what a text is in place of a public key, and what to do; empty where nobody knows.
func mistakenForKey(key string) string {
	for _, n := range notKeys {
		if n.pattern.MatchString(key) {
			return n.text
		}
	}

	return ""
}

// sshFields is how many fields the data of a public key has, by its type: RFC 4253, 5656 and 8709, and PROTOCOL.u2f of OpenSSH.
var sshFields = map[string]int{ //nolint:gochecknoglobals // A constant table.
	"ssh-ed25519": 2, "ssh-rsa": 3, "ecdsa-sha2-nistp256": 3, "ecdsa-sha2-nistp384": 3, "ecdsa-sha2-nistp521": 3,
	"sk-ssh-ed25519@openssh.com": 3, "sk-ecdsa-sha2-nistp256@openssh.com": 4,
}

// BrokenSSHKey says what is wrong with the data of a public key that [SSHKeys] takes; empty if the data is whole, and of what [SSHKeys] refuses.
// sshd skips a key with broken data, so that nobody can log in with it.
func BrokenSSHKey(key string) string {
	const copied = ": sshd skips the key, and nobody can log in with it. Copy the whole line in the .pub file; `ssh-keygen -l -f FILE` shows whether a key is whole"

	if len(sshKey(nil, key)) > 0 {
		return ""
	}

	kind, data, _ := strings.Cut(withoutSSHOptions(strings.TrimSpace(key)), " ")
	data, _, _ = strings.Cut(strings.TrimSpace(data), " ")
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(data, "="))
	fields, whole := sshData(raw)

	switch {
	case err != nil, !whole, len(fields) == 0, len(fields) < sshFields[kind]:
		return "is cut off: its data ends too early" + copied
	case sshFields[string(fields[0])] > 0 && string(fields[0]) != kind:
		return fmt.Sprintf("has the data of a key of type %s", fields[0]) + copied
	case string(fields[0]) != kind, len(fields) > sshFields[kind], kind == "ssh-ed25519" && len(fields[1]) != 32:
		return "has damaged data" + copied
	}

	return ""
}

// UselessSSHKey says why sshd passes over a line in the place of a public key, as far as that is sure; empty for what it may take.
func UselessSSHKey(key string) string {
	if mistaken := mistakenForKey(strings.TrimSpace(key)); mistaken != "" {
		return mistaken
	}

	return BrokenSSHKey(key)
}

// sshData are the fields of a key's data, each of which has its length before it, in four bytes; false if the data ends inside a field.
func sshData(raw []byte) (fields [][]byte, whole bool) {
	const length = 4

	for len(raw) > 0 {
		if len(raw) < length {
			return fields, false
		}

		n := uint64(binary.BigEndian.Uint32(raw))
		if raw = raw[length:]; n > uint64(len(raw)) {
			return fields, false
		}

		fields, raw = append(fields, raw[:n]), raw[n:]
	}

	return fields, true
}
