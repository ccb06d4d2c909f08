package lint

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/proxmox"
)

// replacedLater is what something puts a value in place of before the provider reads it, also as a part of a text.
var replacedLater = regexp.MustCompile(`\$\{|<[^>]*>|ENC\[`)

// credentials are the warnings of Secrets that configurations of the provider among the files name: nothing is made with credentials that it cannot read, and
// every managed resource says so then. No value of a Secret is in a message.
func credentials(configs, secrets []object) []Fault {
	var out []Fault

	for _, c := range configs {
		ref, _ := at(c.value, "spec", "credentials", "secretRef").(map[string]any)
		name, key := text(ref["name"]), text(ref["key"])

		if text(at(c.value, "spec", "credentials", "source")) != "Secret" || name == "" || key == "" {
			continue
		}

		namespace := text(ref["namespace"])
		if c.kind() == "ProviderConfig" && strings.Contains(text(c.value["apiVersion"]), ".m.") {
			// The provider takes the namespace of the managed resource, which is that of the configuration.
			namespace = c.inNamespace()
		}

		secret, known := secretOf(secrets, namespace, name)
		if !known {
			continue
		}

		content, known := valueOf(secret, key)

		switch {
		case known && content.Value == nil:
			path := "spec.credentials.secretRef.key"
			out = append(out, c.fault(position(c.node, path), path, fmt.Sprintf("Secret %s among the files has no key %q, and nothing is made without credentials; %s",
				message.Excerpt(name), message.Excerpt(key), message.There(content.Keys, key)), Warning))
		case known && !replacedLater.MatchString(*content.Value):
			for _, f := range proxmox.CheckCredentials([]byte(*content.Value)) {
				path := "stringData." + message.Key(key)
				if at(secret.value, "stringData", key) == nil {
					path = "data." + message.Key(key)
				}

				out = append(out, secret.fault(position(secret.node, path), path, f.Says+" (docs/start.md, step 7)", Warning))
			}
		}
	}

	return out
}
