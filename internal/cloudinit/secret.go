package cloudinit

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Patterns of secrets, at any position.
var (
	tokenShape = regexp.MustCompile(`K10[0-9a-fA-F]{64}::[^\s'"<]`)
	// A literal value is a secret; a variable or a command substitution is not.
	tokenVariable = regexp.MustCompile(`\bK3S_(?:AGENT_)?TOKEN=['"]?[^\s'"$<` + "`" + `]`)
	privateKey    = regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----`)
	ageKey        = regexp.MustCompile(`AGE-SECRET-KEY-1[0-9A-Z]{20}`)
)

// passwordHash matches hashes of crypt(5): $id$salt$hash, with parameters in between for some algorithms.
var passwordHash = regexp.MustCompile(`^\$(?:1|2[abxy]?|5|6|7|y|gy)\$.+\$.+`)

// FindSecret returns the kind of secret in a text, such as "a K3s token", or
// an empty string. It finds K3s tokens, and PEM and age private keys. The result never
// contains the text itself.
func FindSecret(text string) string {
	kind, _ := findSecret(text)

	return kind
}

// findSecret returns the kind of the first secret, and the matching part of the text.
func findSecret(text string) (kind, match string) {
	for _, secret := range [...]struct {
		kind, mark string
		shape      *regexp.Regexp
	}{
		{"a K3s token", "K10", tokenShape},
		{"a K3s token", "TOKEN=", tokenVariable},
		{"a private key", "PRIVATE KEY", privateKey},
		{"an age private key", "AGE-SECRET-KEY-1", ageKey},
	} {
		// Searching for a word costs a hundredth of matching a pattern, and nearly no text contains one of the words.
		if !strings.Contains(text, secret.mark) {
			continue
		}

		if match := secret.shape.FindString(text); match != "" {
			return secret.kind, match
		}
	}

	return "", ""
}

const secretAdvice = "it would be in plain text in Git, in the cluster's database and on the Proxmox node; put it into a snippet on the node instead"

// addSecretLines checks the source text, comments included.
func (f *faults) addSecretLines(text string) {
	line := 0
	for content := range strings.Lines(text) {
		line++

		if kind := FindSecret(content); kind != "" {
			f.forbid(line, "contains %s; %s", kind, secretAdvice)
		}
	}
}

// addSecrets checks the values as cloud-init will read them, and passwords.
func (f *faults) addSecrets(extra *Extra, text string) {
	for _, e := range extra.entries {
		switch e.key {
		case "password":
			f.forbid(e.line, "password: a plain-text password; use users with hashed_passwd, or SSH keys")
		case "chpasswd":
			f.chpasswd(e.value)
		default:
		}

		f.secretValues(e.value, keyName(e.key), text)
	}
}

// secretValues checks a value. addSecretLines already found secrets that are literally in the
// source text; the others are hidden by escapes, folding or an encoding.
func (f *faults) secretValues(node *yaml.Node, place, source string) {
	switch node.Kind {
	case yaml.MappingNode:
		f.secretFile(node, place)

		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			f.secretKey(key, value, place)
			f.secretValues(key, place, source)
			f.secretValues(value, place+"."+keyName(key.Value), source)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			f.secretValues(item, place+"["+strconv.Itoa(i)+"]", source)
		}
	default:
		text := node.Value
		if node.Tag == tagBinary {
			text = decode(text, "b64")
		}

		if kind, match := findSecret(text); kind != "" && !strings.Contains(source, match) {
			f.forbid(node.Line, "%s contains %s; %s", place, kind, secretAdvice)
		}
	}
}

// keyName returns a key for a message. A text that does not look like a key might be a secret.
func keyName(key string) string {
	if !nameShape.MatchString(key) || FindSecret(key) != "" {
		return "..."
	}

	return key
}

var nameShape = regexp.MustCompile(`^[A-Za-z0-9_. -]{1,64}$`)

// secretKey refuses passwords of users. Cloud-init treats "-" as "_" in these keys.
func (f *faults) secretKey(key, value *yaml.Node, place string) {
	switch strings.ReplaceAll(key.Value, "-", "_") {
	case "plain_text_passwd":
		f.forbid(key.Line, "%s.%s: a plain-text password; use hashed_passwd (mkpasswd --method=yescrypt)", place, key.Value)
	case "passwd", "hashed_passwd":
		if strings.HasPrefix(place, "users[") && value.Kind == yaml.ScalarNode && !isHash(value.Value) {
			f.forbid(key.Line, "%s.%s: not a password hash ($6$..., $y$...), so perhaps a plain-text password", place, key.Value)
		}
	default:
	}
}

// isHash accepts hashes and the values that lock an account.
func isHash(text string) bool {
	text = strings.TrimPrefix(text, "!")

	return text == "" || text == "*" || text == "!" || passwordHash.MatchString(text)
}

// chpasswd refuses plain-text passwords in both forms of this key: the list of
// "user:password" and the users with a type. It allows random passwords and hashes.
func (f *faults) chpasswd(value *yaml.Node) {
	for i, item := range items(lookup(value, "users")) {
		password, kind := lookup(item, "password"), lookup(item, "type")
		if password == nil || kind != nil && kind.Value == "RANDOM" || passwordHash.MatchString(password.Value) {
			continue
		}

		f.forbid(password.Line, "chpasswd.users[%d].password: a plain-text password; only hashes ($6$...) can be used", i)
	}

	list := lookup(value, "list")

	for _, item := range append(items(list), list) {
		if item == nil || item.Kind != yaml.ScalarNode {
			continue
		}

		for line := range strings.Lines(item.Value) {
			_, password, _ := strings.Cut(strings.TrimSpace(line), ":")
			if password != "" && password != "R" && password != "RANDOM" && !passwordHash.MatchString(password) {
				f.forbid(item.Line, "chpasswd.list: a plain-text password; only hashes ($6$...) can be used")

				break
			}
		}
	}
}

// secretFile checks an encoded entry of write_files.
func (f *faults) secretFile(node *yaml.Node, place string) {
	content, encoding := lookup(node, "content"), lookup(node, "encoding")
	if content == nil || encoding == nil || content.Kind != yaml.ScalarNode {
		return
	}

	if kind := FindSecret(decode(content.Value, encoding.Value)); kind != "" {
		f.forbid(content.Line, "%s.content contains %s; %s", place, kind, secretAdvice)
	}
}

// decode decodes the encodings of write_files. It returns nothing for invalid data, because
// cloud-init cannot read it either.
func decode(text, encoding string) string {
	data := []byte(text)

	if strings.Contains(encoding, "b64") || strings.Contains(encoding, "base64") {
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			return ""
		}

		data = decoded
	}

	if strings.HasPrefix(encoding, "gz") {
		reader, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			return ""
		}
		// The limit prevents decompression bombs, and is enough to find a secret. A truncated end does not matter.
		data, _ = io.ReadAll(io.LimitReader(reader, MaxUserDataBytes))
	}

	return string(data)
}

// lookup returns the value of a key of a mapping, or nil.
func lookup(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}

	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}

	return nil
}

// items returns the entries of a list, or nothing.
func items(node *yaml.Node) []*yaml.Node {
	if node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}

	return node.Content
}
