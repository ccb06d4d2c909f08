package validate

import (
	"cmp"
	"regexp"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	// An OpenSSH public key: type, data in base64, comment. The data starts with the length of the type, a number whose first
	// three bytes are zero, hence AAAA.
	sshKeyPattern = regexp.MustCompile(`^(ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com)` +
		`[ \t]+AAAA[A-Za-z0-9+/]+={0,3}([ \t].*)?$`)
	// The options that sshd(8) knows before a key, in the section AUTHORIZED_KEYS FILE FORMAT: names with values in double quotes, and
	// commas between. sshd ignores a key with an option that it does not know.
	sshOptionsPattern = regexp.MustCompile(`(?i)^(` + sshOption + `)(,(` + sshOption + `))*[ \t]+`)
	snippetPattern    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*:snippets/[A-Za-z0-9._-]+$`)
)

const sshOption = `cert-authority|restrict|(no-)?(agent-forwarding|port-forwarding|pty|user-rc|x11-forwarding)|` +
	`no-touch-required|verify-required|` +
	`(command|environment|expiry-time|from|permitlisten|permitopen|principals|tunnel)="([^"\\]|\\.)*"`

const (
	maxSSHKeys   = 64
	maxSSHKey    = 8192
	maxSnippetID = 255
)

// SSHKeys checks public SSH keys. It ignores blanks and line ends around a key, which are trimmed later.
func SSHKeys(at *field.Path, keys []string) field.ErrorList {
	errs := count(at, len(keys), maxSSHKeys)

	for i, k := range keys[:min(len(keys), maxSSHKeys)] {
		errs = append(errs, sshKey(at.Index(i), k)...)
	}

	// Never report a private key as a duplicate, because the report would show it.
	if len(errs) > 0 {
		return errs
	}

	return duplicates(at, keys)
}

func sshKey(at *field.Path, key string) field.ErrorList {
	k := strings.TrimSpace(key)

	switch {
	case strings.Contains(k, "PRIVATE KEY") || strings.HasPrefix(k, "-----BEGIN"):
		return field.ErrorList{field.Invalid(at, field.OmitValueType{},
			"this is a private key: write the public key instead, the line in the .pub file. Generate a new pair, because this private key is now in Git or in the cluster")}
	case len(key) > maxSSHKey && utf8.RuneCountInString(key) > maxSSHKey:
		return field.ErrorList{field.Invalid(at, message.Excerpt(key), "must be at most 8192 characters long")}
	case k == "":
		return field.ErrorList{field.Required(at, "must be a public key, such as ssh-ed25519 AAAA... ops@home")}
	case strings.ContainsAny(k, "\r\n"):
		return field.ErrorList{field.Invalid(at, message.Excerpt(key), "must be one public key on one line: write each key as a separate item")}
	case mistakenForKey(k) != "":
		return field.ErrorList{field.Invalid(at, message.Excerpt(key), mistakenForKey(k))}
	case !sshKeyPattern.MatchString(withoutSSHOptions(k)) || strings.ContainsFunc(k, control):
		return field.ErrorList{field.Invalid(at, message.Excerpt(key),
			"must be a public key as in a .pub file: its type (ssh-ed25519, ssh-rsa, ecdsa-sha2-nistp256, -nistp384, -nistp521 or an sk- type), its data in base64, and a comment; "+
				`options of sshd may stand before it, such as from="192.168.4.0/24",no-pty`)}
	default:
		return nil
	}
}

// HasSSHOptions reports whether a public key has options before it, as a line of sshd's file authorized_keys may have.
func HasSSHOptions(key string) bool { return sshOptionsPattern.MatchString(strings.TrimSpace(key)) }

func withoutSSHOptions(key string) string { return key[len(sshOptionsPattern.FindString(key)):] }

// control reports whether a rune is a control character, other than a tab.
func control(r rune) bool { return (r < ' ' && r != '\t') || r == 0x7f }

// maxListedSnippets is how many files a site, or a cluster, lists at most.
const maxListedSnippets = 64

func snippetRule() textRule {
	return textRule{maxSnippetID, snippetPattern, "must be a file on the Proxmox node as datastore:snippets/file, such as local:snippets/k3s-server-pve.yaml"}
}

// snippetFile is the path of a snippet on its node, or its name alone.
var snippetFile = regexp.MustCompile(`^(?:(/var/lib/vz|/mnt/pve/([A-Za-z][A-Za-z0-9._-]*))/snippets/)?([A-Za-z0-9._-]+)$`)

// snippetNamed is the name of a snippet in Proxmox by its path; empty for any other text. Below /mnt/pve, Proxmox mounts each datastore by its name.
func snippetNamed(path string) string {
	if path == "" || snippetPattern.MatchString(path) {
		return ""
	}

	m := snippetFile.FindStringSubmatch(path)
	if m == nil {
		return ""
	}

	return cmp.Or(m[2], "local") + ":snippets/" + m[3]
}

func snippets(at *field.Path, s v1alpha1.Snippets) field.ErrorList {
	rule := func(file string) textRule { return snippetRule().meaning(snippetNamed(file)) }

	errs := rule(s.UserData).check(at.Child("userData"), s.UserData)
	errs = append(errs, rule(s.VendorData).check(at.Child("vendorData"), s.VendorData)...)
	errs = append(errs, rule(s.MetaData).check(at.Child("metaData"), s.MetaData)...)

	if s.MetaData != "" && (s.MetaData == s.UserData || s.MetaData == s.VendorData) {
		errs = append(errs, field.Invalid(at.Child("metaData"), message.Excerpt(s.MetaData), "userData, vendorData and metaData must be different files"))
	}

	if s.VendorData != "" && s.VendorData == s.UserData {
		errs = append(errs, field.Invalid(at.Child("vendorData"), message.Excerpt(s.VendorData), "userData, vendorData and metaData must be different files"))
	}

	return errs
}
