package lint

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/bootstrap"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/resolve"
)

// ofSecrets are the faults of a machine that follow from what Secrets among the files have, and warnings of what they lack.
func ofSecrets(secrets []object, m *machine.Machine) field.ErrorList {
	faults, lack := bootstrap.CheckSecrets(m, func(name, key string) (bootstrap.Content, bool) {
		return keyOfSecret(secrets, m.Identity.Namespace, name, key)
	})

	if lack != nil {
		path, _, _ := strings.Cut(lack.Field, " ")
		faults = append(faults, &field.Error{Type: field.ErrorTypeForbidden, Field: path, Detail: lacking(*lack), Origin: resolve.OriginWarning})
	}

	return faults
}

// lacking says what a Secret among the files lacks.
func lacking(lack bootstrap.Lack) string {
	if lack.Unfit != "" {
		return fmt.Sprintf("key %q of Secret %s, with %s, %s", message.Excerpt(lack.Key), message.Excerpt(lack.Secret), lack.For, lack.Unfit)
	}

	return fmt.Sprintf("Secret %s among the files has no key %q, with %s, and no VM is made without it; %s",
		message.Excerpt(lack.Secret), message.Excerpt(lack.Key), lack.For, message.There(lack.Keys, lack.Key))
}

// inNamespace is the namespace that an object gets: that in which Flux puts it, or its own.
func (o object) inNamespace() string {
	metadata, _ := composite(o)["metadata"].(map[string]any)

	return text(metadata["namespace"])
}

// secretOf a name among the files. Which of several counts is not known.
func secretOf(secrets []object, namespace, name string) (secret object, known bool) {
	named := slices.DeleteFunc(slices.Clone(secrets), func(o object) bool { return o.name() != name || o.inNamespace() != namespace })
	if len(named) != 1 {
		return object{}, false
	}

	return named[0], true
}

// keyOfSecret is the content of a key of a Secret among the files.
func keyOfSecret(secrets []object, namespace, name, key string) (content bootstrap.Content, known bool) {
	secret, known := secretOf(secrets, namespace, name)
	if !known {
		return content, false
	}

	return valueOf(secret, key)
}

// valueOf a key of a Secret. What is encrypted, or filled in later, is not known.
func valueOf(secret object, key string) (content bootstrap.Content, known bool) {
	if isEncrypted(secret.value) {
		return content, false
	}

	plain, _ := secret.value["stringData"].(map[string]any)
	encoded, _ := secret.value["data"].(map[string]any)
	content.Keys = slices.Compact(slices.Sorted(slices.Values(slices.AppendSeq(slices.Collect(maps.Keys(plain)), maps.Keys(encoded)))))

	if v, ok := plain[key]; ok && v != nil {
		if _, isText := v.(string); !isText {
			return content, false // The API server refuses the Secret.
		}
	}

	value := text(plain[key])
	if _, ok := plain[key]; !ok {
		if _, ok := encoded[key]; !ok {
			return content, true
		}

		decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text(encoded[key])))
		if err != nil {
			return content, false
		}

		value = string(decoded)
	}

	content.Value = &value

	return content, !filledLater.MatchString(strings.TrimSpace(value))
}

// parted are the faults among some, and what is only warned of.
func parted(all field.ErrorList) (faults, warnings field.ErrorList) {
	for _, f := range all {
		if f.Origin == resolve.OriginWarning {
			warnings = append(warnings, f)
		} else {
			faults = append(faults, f)
		}
	}

	return faults, warnings
}
