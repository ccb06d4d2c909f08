package cloudinit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A secretForm is how a secret of a kind looks to whoever does not know it. A variable in its place is none.
type secretForm struct {
	kind string
	// mark is a word in every such secret, in lower case: looking for it costs a hundredth of the pattern.
	mark  string
	shape *regexp.Regexp
}

// headerOf is what stands before the value of a header, which is alone where YAML has the header as a key.
const headerOf = `(?:^|(?i:authorization):\s*)`

// secretForms are those that user-data have most. [findSecret] has those that are refused.
var secretForms = []secretForm{ //nolint:gochecknoglobals // A constant table.
	{"a key of Tailscale", "tskey-", regexp.MustCompile(`\btskey-[a-z]+-[A-Za-z0-9-]{12,}`)},
	{"a token of GitHub", "gh", regexp.MustCompile(`\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{30,}`)},
	{"a token of GitLab", "glpat-", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{18,}`)},
	{"a token of OpenBao or Vault", "hv", regexp.MustCompile(`\bhv[sb]\.[A-Za-z0-9_-]{24,}`)},
	{"a secret key of AWS or of another S3", "secret", regexp.MustCompile(`(?i)secret[_-]?(?:access[_-]?)?key['"]?\s*[=:]\s*['"]?[A-Za-z0-9/+]{30,}`)},
	{"a private key of WireGuard", "key", regexp.MustCompile(`(?im)^\s*(?:PrivateKey|PresharedKey)\s*=\s*[A-Za-z0-9+/]{43}=`)},
	{"a login in a header", "bearer", regexp.MustCompile(headerOf + `Bearer\s+[A-Za-z0-9+/=_.-]{16,}`)},
	{"a login in a header", "basic", regexp.MustCompile(headerOf + `Basic\s+[A-Za-z0-9+/=]{8,}`)},
	{"a password in an address", "://", regexp.MustCompile(`\b(?:https?|s?ftps?|socks5h?|git|ssh|mysql|postgres(?:ql)?|mongodb|rediss?|amqps?|smtps?)://[^\s/:@'"$<{]*:[^\s/:@'"$<{]+@`)},
	{"a password of a login", "password", regexp.MustCompile(`\blogin\s+\S+\s+password\s+[^\s$<{]|\busername=[^\s,]+,(?:[^\s]+,)?password=[^\s,$<{]`)},
	{"a password of a login", "login", regexp.MustCompile(`\blogin\s(?:[^;&|\n]*\s)?(?:-p\s*|--password[ =])['"]?[^\s'"$<{-]`)},
	{"a password of an account", "chpasswd", regexp.MustCompile(`\becho\s+['"]?[^\s'":$]+:[^\s'"$]+['"]?\s*\|\s*(?:sudo\s+)?chpasswd`)},
}

// A Secret of Kubernetes, unless somebody has encrypted it.
var (
	kubernetesSecret = regexp.MustCompile(`(?m)^kind:\s*Secret\s*$`)
	secretContent    = regexp.MustCompile(`(?m)^(?:stringData|data):\s*(?:\{.*\S.*\})?\s*$`)
	encrypted        = regexp.MustCompile(`\bENC\[|(?m)^sops:`)
)

const whereUserData = "user-data are in plain text in Git, in the cluster and on the Proxmox node: keep it in a Secret, and have a file with it written by " +
	"spec.bootstrap.secrets, or fetched by spec.bootstrap.secretStore"

// doubtsOfSecrets are about what looks like a secret: user-data are in Git, in the cluster and on the Proxmox node
// (https://github.com/mak3r/losant-device-demo/issues/186, https://github.com/canonical/cloud-init/issues/3693). The forms are guesses, so that nothing is
// refused for them.
func doubtsOfSecrets(key string, value *yaml.Node) []Doubt {
	var out []Doubt

	if token := lookup(value, "token"); token != nil && token.Value != "" && (key == "ubuntu_pro" || key == "ubuntu_advantage") {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s.token is a secret, and %s", token.Line, key, whereUserData)})
	}

	eachText(value, keyName(key), func(node *yaml.Node, place, text string) {
		if kind := guessSecret(text); kind != "" && FindSecret(text) == "" {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s has %s, and %s", node.Line, place, kind, whereUserData)})
		}
	})

	return out
}

// guessSecret is the kind of what looks like a secret in a text; empty for none.
func guessSecret(text string) string {
	lower := strings.ToLower(text)

	for _, f := range secretForms {
		if strings.Contains(lower, f.mark) && f.shape.MatchString(text) {
			return f.kind
		}
	}

	if kubernetesSecret.MatchString(text) && secretContent.MatchString(text) && !encrypted.MatchString(text) {
		return "a Secret of Kubernetes"
	}

	return ""
}

// eachText calls visit with each text below a value, as the guest reads it. What an anchor names is visited once.
func eachText(node *yaml.Node, place string, visit func(node *yaml.Node, place, text string)) {
	switch node.Kind {
	case yaml.MappingNode:
		encoding := lookup(node, "encoding")

		for i := 0; i+1 < len(node.Content); i += 2 {
			key, value := node.Content[i], node.Content[i+1]
			at := place + "." + keyName(key.Value)

			if key.Value == "content" && value.Kind == yaml.ScalarNode && encoding != nil {
				visit(value, at, decode(value.Value, encoding.Value))
				continue
			}

			eachText(value, at, visit)
		}
	case yaml.SequenceNode:
		for i, item := range node.Content {
			at := place + "[" + strconv.Itoa(i) + "]"

			// A command in pieces is one text, and so is a line of mounts.
			if item.Kind == yaml.SequenceNode {
				visit(item, at, commandText(item))
				continue
			}

			eachText(item, at, visit)
		}
	case yaml.ScalarNode:
		visit(node, place, node.Value)
	default:
	}
}
