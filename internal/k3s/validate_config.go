package k3s

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// ValidateConfig checks additional keys of K3s's config.yaml (spec.k3s.config). It
// refuses keys that K3s does not have in this role, values of a wrong type,
// secrets, and keys that the claim has a field for or that would break
// the bootstrap. A key that is not in the list, and no likely mistake, is taken and not judged: see NotJudged.
//
// It returns all faults, in the order of the keys. No fault shows a value, because any
// value may be a misplaced secret.
func ValidateConfig(role Role, config map[string]any, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for _, name := range sortedKeys(config) {
		if fault := validateKey(role, name, config[name], path.Key(shown(name))); fault != nil {
			faults = append(faults, fault)
		}
	}

	return faults
}

func validateKey(role Role, name string, value any, path *field.Path) *field.Error {
	key, known := configKeys()[name]

	switch advice := decided(role, name); {
	case !known:
		return unknownKey(name, value, path)
	case key.Secret && !isOpen(name, value):
		return field.Forbidden(path, "secrets are not written into the configuration; "+secretAdvice(name))
	case advice != "":
		return field.Forbidden(path, advice)
	case !key.appliesTo(role):
		return field.Forbidden(path, fmt.Sprintf("K3s reads this key on a %s only, and this node is an %s", key.Roles[0], role))
	case holdsSecret(value) != "":
		return field.Forbidden(path, "contains "+holdsSecret(value)+"; secrets are not written into the configuration")
	}

	if problem := typeProblem(key.Type, value); problem != "" {
		return field.Invalid(path, field.OmitValueType{}, problem)
	}

	return validatePath(name, value, path)
}

// validatePath checks keys with a file name. It also finds a secret in place of its file's name.
func validatePath(name string, value any, path *field.Path) *field.Error {
	text, _ := value.(string)

	switch {
	case name == "data-dir" && !isCleanPath(text):
		return field.Invalid(path, field.OmitValueType{}, "must be an absolute path without '..' and without a '/' at the end")
	case strings.HasSuffix(name, "-file") && !isCleanPath(text):
		return field.Invalid(path, field.OmitValueType{}, "must be the absolute path of a file on the node")
	default:
		return nil
	}
}

// laterKey is what a key of K3s' config.yaml is spelled like.
var laterKey = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)

// unknownKey takes a key of a release that is later than the list of keys, and refuses what is a mistake. K3s skips a key that it does not know
// (k3s-io/k3s, pkg/configfilearg/parser.go), so that a node starts with one.
func unknownKey(name string, value any, path *field.Path) *field.Error {
	detail := "K3s has no such key in its config.yaml"

	mistaken := shown(name) != name || !laterKey.MatchString(name) || len(message.Likely(name, sortedKeys(configKeys()))) > 0
	if !mistaken {
		return laterValue(value, path)
	}

	if strings.HasSuffix(name, "+") {
		detail += "; 'key+' extends a list of another configuration file, and there is no other file: write the whole list"
	} else if near := message.Likely(name, sortedKeys(configKeys())); len(near) > 0 {
		detail += "; did you mean " + strings.Join(near, " or ") + "?"
	}

	return field.Forbidden(path, detail)
}

// laterValue refuses a value that no key of K3s has, and a secret.
func laterValue(value any, path *field.Path) *field.Error {
	_, isBool := value.(bool)
	_, isText := value.(string)
	_, isList := value.([]any)

	switch {
	case holdsSecret(value) != "":
		return field.Forbidden(path, "contains "+holdsSecret(value)+"; secrets are not written into the configuration")
	case isText || isList:
		if problem := listProblem(value); problem != "" {
			return field.Invalid(path, field.OmitValueType{}, problem)
		}
	case !isBool && !isWhole(value):
		return field.Invalid(path, field.OmitValueType{}, "must be true or false, a whole number, text, or a list of strings")
	}

	return nil
}

// NotJudged are the keys of a config that nobody knows here, sorted: what they do to ports, votes, names and networks is not judged.
func NotJudged(config map[string]any) []string {
	return slices.DeleteFunc(sortedKeys(config), func(name string) bool {
		_, known := configKeys()[name]
		return known
	})
}

// shown returns a key for a message. A text that is too long for a key might be a secret.
func shown(name string) string {
	const longest = 64
	if len(name) > longest || cloudinit.FindSecret(name) != "" || strings.ContainsFunc(name, notVisible) {
		return "..."
	}

	return name
}

// decided returns the advice for a key that must not be set, or an empty string.
func decided(role Role, key string) string {
	switch key {
	case "server":
		return "set spec.k3s.server"
	case "cluster-init":
		return "set spec.k3s.init"
	case "token-file":
		return "set spec.k3s.token"
	case "node-name":
		return "the node has the machine's host name; set spec.hostname"
	case "with-node-id":
		return "the node has the machine's host name without a suffix; set spec.hostname"
	case "tls-san":
		return "set spec.k3s.tlsSANs"
	case keyDisable:
		return "set spec.k3s.disable"
	case "node-label":
		return "set spec.k3s.labels"
	case "node-taint":
		return "set spec.k3s.taints"
	case "cluster-reset", "cluster-reset-restore-path":
		return "this is an operation, not a setting: it would reset the cluster's etcd at every start of K3s; run it by hand on the server"
	case "config":
		return "the bootstrap writes /etc/rancher/k3s/config.yaml, and K3s reads this file"
	case "rootless":
		return "K3s always runs as a system service here"
	case "disable-apiserver":
		return "every server runs the API server here, and the bootstrap waits for it"
	case "disable-etcd":
		if role == RoleInit {
			return "the first server starts the cluster's etcd"
		}
	default:
	}

	return ""
}

// isOpen says whether a value has no secret where most values of its key have one: an endpoint of etcd, or of a database that knows its clients by
// certificates.
// https://docs.k3s.io/datastore#datastore-endpoint-format-and-functionality
func isOpen(name string, value any) bool {
	text, _ := value.(string)
	scheme, address, found := strings.Cut(text, "://")

	return name == "datastore-endpoint" && found && slices.Contains([]string{"http", "https", "postgres", "postgresql", "mysql", "nats"}, scheme) &&
		!strings.Contains(address, "@") && !strings.Contains(strings.ToLower(address), "password")
}

// secretAdvice returns the advice where to store a secret.
func secretAdvice(key string) string {
	switch {
	case key == "token":
		return "set spec.k3s.token"
	case key == "agent-token" || key == "vpn-auth":
		return "set " + key + "-file to a file that bootstrap.secrets or bootstrap.secretStore writes"
	case strings.HasPrefix(key, "etcd-s3-"):
		return "set etcd-s3-config-secret to a Secret in the cluster's kube-system namespace"
	case key == "datastore-endpoint":
		return "let a snippet on the Proxmox node write it into /etc/rancher/k3s/config.yaml.d/. Without user and password, as of etcd, it may stand here"
	default:
		return "let a snippet on the Proxmox node write it into /etc/rancher/k3s/config.yaml.d/"
	}
}

// holdsSecret returns the kind of secret in a value, or an empty string.
func holdsSecret(value any) string {
	switch v := value.(type) {
	case string:
		return cloudinit.FindSecret(v)
	case []any:
		for _, item := range v {
			if kind := holdsSecret(item); kind != "" {
				return kind
			}
		}
	default:
	}

	return ""
}

// typeProblem returns what a value must be, or an empty string if the value is correct.
func typeProblem(want string, value any) string {
	text, isText := value.(string)

	switch want {
	case "bool":
		if _, ok := value.(bool); !ok {
			return "must be true or false, without quotes"
		}
	case "int":
		if !isWhole(value) {
			return "must be a whole number, without quotes"
		}
	case "duration":
		if _, err := time.ParseDuration(text); !isText || err != nil {
			return "must be a duration such as 5m or 30s"
		}
	case "list":
		return listProblem(value)
	default:
		if !isText {
			return "must be text; put it in quotes (" + `"0644"` + ", not 0644)"
		}

		return textProblem(text)
	}

	return ""
}

// listProblem accepts a list of strings, and a single string, which K3s treats as a list of one.
func listProblem(value any) string {
	const want = "must be a list of strings"

	switch v := value.(type) {
	case string:
		return textProblem(v)
	case []any:
		if len(v) == 0 {
			return want + " and not empty; leave the key out instead"
		}

		for i, item := range v {
			text, ok := item.(string)

			switch _, object := item.(map[string]any); {
			case object:
				return want + fmt.Sprintf(`: write item %d as "name=value", and not as name: value`, i+1)
			case !ok:
				return fmt.Sprintf("%s; put item %d in quotes", want, i+1)
			}

			if problem := textProblem(text); problem != "" {
				return fmt.Sprintf("item %d %s", i+1, problem)
			}
		}

		return ""
	case map[string]any:
		return want + `: write each as "name=value" behind a hyphen`
	default:
		return want
	}
}

func textProblem(text string) string {
	switch {
	case text == "":
		return "must not be empty; leave it out instead"
	case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "must be one line without control characters"
	default:
		return ""
	}
}

// isWhole accepts Go's integers and JSON's whole numbers.
func isWhole(value any) bool {
	switch v := value.(type) {
	case int, int32, int64:
		return true
	case float64:
		const exact = 1 << 53

		return -exact < v && v < exact && v == float64(int64(v))
	default:
		return false
	}
}

// isCleanPath accepts absolute paths of plain characters, which the bootstrap and systemd read in the same way.
func isCleanPath(text string) bool {
	return path.IsAbs(text) && path.Clean(text) == text && text != "/" && !strings.ContainsFunc(text, func(r rune) bool {
		return notVisible(r) || strings.ContainsRune("\"'`$\\", r)
	})
}
