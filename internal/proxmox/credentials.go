package proxmox

import (
	"encoding/json"
	"encoding/pem"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

// A CredentialsFault is what is wrong with the content of the Secret that a configuration of the provider names. It has names of fields, and no value.
type CredentialsFault struct {
	Says string // What the content is or has, to be read behind its name: "has no api_token".
	// Works says that the provider takes the content nevertheless.
	Works bool
}

// credentials are the fields that the provider reads (internal/clients/proxmoxbpg.go of v1.18.0).
var credentials = []string{ //nolint:gochecknoglobals // A constant list.
	"endpoint", "api_token", "username", "password", "auth_ticket", "csrf_prevention_token", "insecure", "ssh_username", "ssh_private_key", "ssh_password",
	"tmp_dir", "random_vm_ids", "random_vm_id_start", "random_vm_id_end",
}

var (
	// tokenForm is that of an API token of Proxmox.
	tokenForm = regexp.MustCompile(`^[^@!=\s]+@[^@!=\s]+![^@!=\s]+=[0-9A-Fa-f-]{36}$`)
	// aName is what a message shows of the name of a field: somebody may have written a value in its place.
	aName = regexp.MustCompile(`^[a-z][a-z_]{0,24}$`)
)

// CheckCredentials are the faults of the content, which the provider reads as one JSON object of text.
func CheckCredentials(content []byte) []CredentialsFault {
	var fields map[string]any
	if err := json.Unmarshal(content, &fields); err != nil {
		says := "is not one JSON object"
		if yaml.Unmarshal(content, &fields) == nil && len(fields) > 0 {
			says = `is YAML, and the provider reads one JSON object: write braces around it, every name and every value in double quotes, and commas between them`
		}

		return []CredentialsFault{{Says: says}}
	}

	var out []CredentialsFault

	for _, name := range slices.Sorted(maps.Keys(fields)) {
		shown, there := "a field of another name", message.ThereAre(slices.Clone(credentials))
		if aName.MatchString(name) {
			shown, there = "field "+message.Excerpt(name), message.There(credentials, name)
		}

		if !slices.Contains(credentials, name) {
			out = append(out, CredentialsFault{"has " + shown + ", which the provider does not read; " + there, true})
		}

		if _, isText := fields[name].(string); !isText {
			out = append(out, CredentialsFault{Says: "has " + shown + `, which is no text: every value is a string, "true" too`})
		}
	}

	text := func(name string) string {
		s, _ := fields[name].(string)

		return s
	}

	return append(append(append(out, endpointFaults(text("endpoint"))...), tokenFaults(text)...), sshFaults(text)...)
}

func endpointFaults(endpoint string) []CredentialsFault {
	switch {
	case endpoint == "":
		return []CredentialsFault{{Says: "has no endpoint, such as https://192.168.4.2:8006"}}
	case !strings.HasPrefix(endpoint, "https://"):
		return []CredentialsFault{{Says: "has an endpoint that does not begin with https://"}}
	case strings.Contains(endpoint, "/api2"):
		return []CredentialsFault{{Says: "has an endpoint with /api2 in it: end it behind the port, because the provider adds /api2/json itself"}}
	default:
		return nil
	}
}

func tokenFaults(text func(string) string) []CredentialsFault {
	switch token := text("api_token"); {
	case token == "" && (text("username") == "" || text("password") == ""):
		return []CredentialsFault{{Says: "has no api_token"}}
	case token != "" && !tokenForm.MatchString(token):
		return []CredentialsFault{{Says: "has an api_token of another form than user@realm!name=uuid, on one line"}}
	case token == "" && !strings.Contains(text("username"), "@"):
		return []CredentialsFault{{Says: "has a username without its realm, such as crossplane@pve"}}
	default:
		return nil
	}
}

// sshFaults are those of what the provider writes snippets with.
func sshFaults(text func(string) string) []CredentialsFault {
	user, key := text("ssh_username"), text("ssh_private_key")
	block, _ := pem.Decode([]byte(key))

	switch {
	case user == "":
		return []CredentialsFault{{"has no ssh_username: snippets are written over SSH", true}}
	case strings.HasSuffix(user, "@pam"), strings.HasSuffix(user, "@pve"): // Accounts of a domain may have an @ in Linux, too.
		return []CredentialsFault{{"has an ssh_username with a realm: it is an account of the nodes themselves, such as root, and no user of Proxmox", true}}
	case key == "":
		return nil
	case block == nil || !strings.HasSuffix(block.Type, "PRIVATE KEY"):
		return []CredentialsFault{{"has an ssh_private_key that is no private key: it is the whole file with its lines, each of which ends with \\n in JSON, and neither its path nor " +
			"the public key", true}}
	case block.Type == "ENCRYPTED PRIVATE KEY" || block.Headers["DEK-Info"] != "":
		return []CredentialsFault{{"has an ssh_private_key with a passphrase, which nobody types: take a key without one", true}}
	}

	return nil
}
