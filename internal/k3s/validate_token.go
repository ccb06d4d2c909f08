package k3s

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Formats of tokens (pkg/clientaccess/token.go of K3s): "K10", the
// SHA-256 of the cluster's CA, "::", and either user and password or id and secret.
var (
	fullToken      = regexp.MustCompile(`^K10[0-9a-fA-F]{64}::(.+)$`)
	bootstrapToken = regexp.MustCompile(`^[a-z0-9]{6}\.[a-z0-9]{16}$`)
)

const minTokenLength = 16

// ValidateToken checks a token before the creation of a VM that could not join with it. A
// first server needs a short token, the password alone, because a full token contains the hash of
// a CA which does not exist yet. Joining nodes need a full token: with a short token
// they would send the cluster's password to any server that answers. trustOnFirstUse accepts that:
// K3s then trusts the CA that the server presents (https://docs.k3s.io/cli/token, "Short").
//
// No fault shows the token or a part of it.
func ValidateToken(role Role, trustOnFirstUse bool, token string, path *field.Path) field.ErrorList {
	invalid := func(detail string) field.ErrorList {
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, detail)}
	}

	switch {
	case token == "":
		return field.ErrorList{field.Required(path, "the Secret contains an empty token")}
	case strings.TrimSpace(token) != token:
		return invalid("starts or ends with white space or a line end; write the Secret without it (printf %s, not echo)")
	case strings.ContainsFunc(token, notVisible):
		return invalid("must be one word of ASCII letters, digits and punctuation marks")
	case strings.Contains(token, "<") && strings.Contains(token, ">"):
		return invalid("is a placeholder, not a token")
	case len(token) < minTokenLength:
		return invalid("is shorter than 16 characters; generate one with: openssl rand -hex 32")
	case role == RoleInit:
		return validateShort(token, invalid)
	case trustOnFirstUse && !strings.HasPrefix(token, "K10"):
		return validateJoiningShort(role, token, invalid)
	default:
		return validateFull(role, token, invalid)
	}
}

func validateShort(token string, invalid func(string) field.ErrorList) field.ErrorList {
	switch {
	case strings.HasPrefix(token, "K10"):
		return invalid("is a token of an existing cluster (K10...); the first server of a new cluster needs a short token, the password alone")
	case bootstrapToken.MatchString(token):
		return invalid("has the form of a bootstrap token (id.secret), which is for agents of an existing cluster; for the first server choose another password")
	default:
		return nil
	}
}

// validateJoiningShort checks a short token of a node that joins: the password of the first server, or for an agent a bootstrap token
// without the hash. K3s takes any word in the form of a bootstrap token for one, and lets no server join with it.
func validateJoiningShort(role Role, token string, invalid func(string) field.ErrorList) field.ErrorList {
	if role == RoleServer && bootstrapToken.MatchString(token) {
		return invalid("has the form of a bootstrap token (id.secret), which is for agents only; a server joins with the token with which the first server started, or with the cluster's full token (K10...)")
	}

	return nil
}

func validateFull(role Role, token string, invalid func(string) field.ErrorList) field.ErrorList {
	const want = "must be the cluster's full token, K10<64 hexadecimal digits>::server:<password>, as in /var/lib/rancher/k3s/server/token on a server"

	match := fullToken.FindStringSubmatch(token)
	if match == nil {
		return invalid(want + "; without the hash the node cannot verify which cluster it joins (token.trustOnFirstUse: true accepts that risk)")
	}

	user, password, basic := strings.Cut(match[1], ":")

	switch {
	case bootstrapToken.MatchString(match[1]):
		if role == RoleServer {
			return invalid(want + "; a bootstrap token (id.secret) is for agents only")
		}

		return nil
	case !basic || password == "":
		return invalid(want + "; the part after :: is neither user:password nor id.secret")
	case role == RoleServer && user != "server":
		return invalid(want + "; an agent token is for agents only")
	case user != "server" && user != "node":
		return invalid(want + "; the user in it must be server or node")
	default:
		return nil
	}
}

// ServerPassword is the password with which a token lets a node join as a server may, whether it is the whole of a short token or the end of a full one;
// empty for a token that only agents join with.
func ServerPassword(token string) string {
	match := fullToken.FindStringSubmatch(token)

	switch {
	case match == nil && bootstrapToken.MatchString(token):
		return ""
	case match == nil:
		return token
	}

	if user, password, basic := strings.Cut(match[1], ":"); basic && user == "server" {
		return password
	}

	return ""
}

// ValidateTokenFile checks the path of a token file that the user's snippet writes.
func ValidateTokenFile(file string, path *field.Path) field.ErrorList {
	switch {
	case !isCleanPath(file):
		return field.ErrorList{field.Invalid(path, field.OmitValueType{},
			"must be an absolute path on the node, such as "+DefaultTokenFile+", and not the token itself")}
	case strings.HasPrefix(file, "/var/lib/rancher/"), strings.HasPrefix(file, "/run/"), strings.HasPrefix(file, "/tmp/"):
		return field.ErrorList{field.Invalid(path, file,
			"must not be in a folder of K3s, or in a folder that is empty after a reboot, because K3s reads the token at every start")}
	default:
		return nil
	}
}
