package lint

import (
	"encoding/base64"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/manifest"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// inClearText is said of a Secret that anybody can read who can read its file.
const inClearText = "is in clear text, for everybody who can read the repository: encrypt the file before you commit it, for instance with SOPS; what was committed once stays in Git's history, so " +
	"change it at its source, too (docs/lint.md, Secrets in Git)"

// filledLater is text that something puts a value in place of before the API server has it: Flux, Argo CD's plugin for vaults, or SOPS.
var filledLater = regexp.MustCompile(`^(\$\{[^}]*\}|<[^>]*>|ENC\[.*\])$`)

// isSecret says whether an object is a Secret of Kubernetes.
func isSecret(o object) bool { return o.kind() == "Secret" && text(o.value["apiVersion"]) == "v1" }

// clearText are the warnings of Secrets that are in files as they are. Standard input is in no repository, nor is what Git ignores.
func clearText(secrets []object, ignored func(file string) bool) []Fault {
	var out []Fault

	for _, o := range secrets {
		if o.file == manifest.Stdin || isEncrypted(o.value) || ignored != nil && ignored(o.file) {
			continue
		}

		for _, key := range []string{"stringData", "data"} {
			if legible(o.value[key], key == "data") {
				out = append(out, o.fault(keyOf(o.node, key), key, inClearText, Warning))
				break
			}
		}
	}

	return out
}

// refusedSecrets are the warnings of values that the API server takes in no Secret: a number or a truth value without quotes, and what is no base64 in data.
func refusedSecrets(secrets []object) []Fault {
	var out []Fault

	for _, o := range secrets {
		for _, key := range []string{"stringData", "data"} {
			values, ok := o.value[key].(map[string]any)
			if !ok || isEncrypted(o.value) {
				continue
			}

			for _, name := range slices.Sorted(maps.Keys(values)) {
				if text := refusedValue(values[name], key == "data"); text != "" {
					path := key + "." + message.Key(name)
					out = append(out, o.fault(position(o.node, path), path, text, Warning))
				}
			}
		}
	}

	return out
}

// refusedValue says why the API server takes no such value, without the value; empty where it does.
func refusedValue(v any, encoded bool) string {
	value, isText := v.(string)

	switch {
	case v == nil:
		return ""
	case !isText && !isScalar(v):
		return "must be text, or the API server refuses the Secret: write | behind the colon, and all of it as text below"
	case !isText:
		return "must be text, or the API server refuses the Secret: put it in quotes"
	case !encoded || filledLater.MatchString(strings.TrimSpace(value)):
		return ""
	}

	if _, err := base64.StdEncoding.DecodeString(value); err != nil {
		return "is no base64, and the API server refuses the Secret: write the value as it is below stringData"
	}

	return ""
}

// isScalar says whether a value is neither an object nor a list.
func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}

// legible says whether a value of a Secret is there to read.
func legible(values any, encoded bool) bool {
	below, _ := values.(map[string]any)

	return slices.ContainsFunc(slices.Collect(maps.Values(below)), func(v any) bool {
		value := strings.TrimSpace(text(v))

		if plain, err := base64.StdEncoding.DecodeString(value); encoded && err == nil {
			value = strings.TrimSpace(string(plain))
		}

		return value != "" && !filledLater.MatchString(value)
	})
}
