package validate

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
	"github.com/homelab-io/function-proxmox-machine/internal/k3s"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
	"github.com/homelab-io/function-proxmox-machine/internal/secretstore"
)

const (
	maxStoredFiles = 16
	maxStoreText   = 255
	maxCertificate = 16384
	maxRestarts    = 4
	maxUnit        = 128
)

var (
	storeWord  = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	storePath  = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
	dotFolder  = regexp.MustCompile(`(^|/)[.]{1,2}(/|$)`)
	fileOwner  = regexp.MustCompile(`^[a-z_][a-z0-9_-]*:[a-z_][a-z0-9_-]*$`)
	privateKey = regexp.MustCompile(`PRIVATE KEY`)

	wholeMinutes = regexp.MustCompile(`^([0-9]+h)?([0-9]+m)?$`)
	serviceName  = regexp.MustCompile(`^[A-Za-z0-9_.@:-]+[.]service$`)
	k3sService   = regexp.MustCompile(`^(k3s|k3s-agent|k3s-bootstrap)([.]service)?$`)
	ownService   = regexp.MustCompile(`^fetch-secrets(-refresh)?([.]service)?$`)
)

// secretStore checks where the guest fetches files from. It shows no value but addresses, because the user may have written a secret in the wrong
// field.
func secretStore(at *field.Path, b *v1alpha1.Bootstrap) field.ErrorList {
	s := b.SecretStore
	if s == nil {
		return nil
	}

	errs := storeAddress(at.Child("address"), s.Address)
	errs = append(errs, certificates(at.Child("caCertificate"), s.CACertificate)...)
	errs = append(errs, optionalStorePath(at.Child("namespace"), s.Namespace, "home")...)
	errs = append(errs, storeLogin(at, s)...)

	errs = append(errs, count(at.Child("files"), len(s.Files), maxStoredFiles)...)
	paths := make([]string, 0, len(s.Files))

	for i, f := range s.Files[:min(len(s.Files), maxStoredFiles)] {
		p := at.Child("files").Index(i)
		paths = append(paths, f.Path)
		errs = append(errs, storedSecret(p, f.StoredSecret)...)
		errs = append(errs, secretPath(p.Child("path"), f.Path)...)

		if f.Mode != "" && !secretMode.MatchString(f.Mode) {
			errs = append(errs, field.Invalid(p.Child("mode"), field.OmitValueType{}, `must be an octal mode in quotes, without access for others, such as "0600" or "0640"`))
		}

		if f.Owner != "" && (len(f.Owner) > 65 || !fileOwner.MatchString(f.Owner)) {
			errs = append(errs, field.Invalid(p.Child("owner"), field.OmitValueType{}, "must be user:group, such as root:root"))
		}

		errs = append(errs, restarts(p.Child("restart"), f.Restart, s.Refresh)...)

		if f.Path != "" && slices.ContainsFunc(b.Secrets, func(o v1alpha1.SecretFile) bool { return o.Path == f.Path }) {
			errs = append(errs, field.Forbidden(p.Child("path"), "bootstrap.secrets writes this file, too: remove one of them"))
		}
	}

	errs = append(errs, nested(at, paths, loginFiles(s))...)

	return append(errs, duplicateKeys(at.Child("files"), "path", paths)...)
}

// loginFiles are the files with which the guest logs in.
func loginFiles(s *v1alpha1.SecretStore) []string {
	var out []string

	if a := s.AppRole; a != nil {
		out = append(out, cmp.Or(a.SecretIDFile, secretstore.DefaultSecretIDFile))
	}

	if t := s.TLS; t != nil {
		out = append(out, cmp.Or(t.CertificateFile, secretstore.DefaultCertificateFile), cmp.Or(t.KeyFile, secretstore.DefaultKeyFile))
	}

	return out
}

// nested refuses a file whose path has another file where a folder would have to be.
func nested(at *field.Path, paths, login []string) field.ErrorList {
	var errs field.ErrorList

	for i, p := range paths {
		for _, other := range append(slices.Clone(paths), login...) {
			if other != "" && strings.HasPrefix(p, other+"/") {
				errs = append(errs, field.Forbidden(at.Child("files").Index(i).Child("path"), "a file cannot be in another file: "+message.Excerpt(other)+" is one"))
			}
		}

		if p != "" && slices.ContainsFunc(login, func(file string) bool { return strings.HasPrefix(file, p+"/") }) {
			errs = append(errs, field.Forbidden(at.Child("files").Index(i).Child("path"), "must be a file, and what the machine logs in with is in a folder of this name"))
		}
	}

	return errs
}

// storeLogin checks how the guest logs in, and whether it can do so again.
func storeLogin(at *field.Path, s *v1alpha1.SecretStore) field.ErrorList {
	var errs field.ErrorList

	switch {
	case s.AppRole == nil && s.TLS == nil:
		errs = append(errs, field.Required(at, "set exactly one of appRole and tls: appRole: {roleID: ...} for a secret id, or tls: {} for a certificate of the machine"))
	case s.AppRole != nil && s.TLS != nil:
		errs = append(errs, field.Invalid(at, field.OmitValueType{}, "set exactly one of appRole and tls: the machine logs in once"))
	}

	if s.AppRole != nil {
		errs = append(errs, appRole(at.Child("appRole"), *s.AppRole)...)
	}

	if s.TLS != nil {
		errs = append(errs, certificateLogin(at.Child("tls"), *s.TLS)...)
	}

	return append(errs, refresh(at.Child("refresh"), s)...)
}

func certificateLogin(at *field.Path, t v1alpha1.CertificateLogin) field.ErrorList {
	errs := optionalStorePath(at.Child("mount"), t.Mount, "cert")

	if t.Role != "" && (len(t.Role) > maxStoreText || !storeWord.MatchString(t.Role)) {
		errs = append(errs, field.Invalid(at.Child("role"), field.OmitValueType{}, "must be the name of a role: letters, digits, dots, _ and -"))
	}

	files := []string{cmp.Or(t.CertificateFile, secretstore.DefaultCertificateFile), cmp.Or(t.KeyFile, secretstore.DefaultKeyFile)}
	errs = append(errs, secretPath(at.Child("certificateFile"), files[0])...)
	errs = append(errs, secretPath(at.Child("keyFile"), files[1])...)

	if files[0] == files[1] {
		errs = append(errs, field.Invalid(at.Child("keyFile"), field.OmitValueType{}, "must be another file than certificateFile, which everybody in the guest may read"))
	}

	return errs
}

// Between two refreshes.
const (
	minRefresh = 5 * time.Minute
	maxRefresh = 720 * time.Hour
)

func refresh(at *field.Path, s *v1alpha1.SecretStore) field.ErrorList {
	if s.Refresh == "" {
		return nil
	}

	var errs field.ErrorList

	if d, err := time.ParseDuration(s.Refresh); err != nil || !wholeMinutes.MatchString(s.Refresh) || d < minRefresh || d > maxRefresh {
		errs = append(errs, field.Invalid(at, message.Excerpt(s.Refresh), "must be hours and minutes, from 5m to 720h, such as 12h"))
	}

	if s.AppRole != nil && s.TLS == nil {
		errs = append(errs, field.Forbidden(at, "needs tls: a secret id that was wrapped, or can be used once, is used up after the first fetch"))
	}

	return errs
}

// restarts checks the services that are restarted when a file is another one.
func restarts(at *field.Path, units []string, refresh string) field.ErrorList {
	errs := count(at, len(units), maxRestarts)

	if len(units) > 0 && refresh == "" {
		errs = append(errs, field.Forbidden(at, "needs refresh: the file is written once, before your runcmd"))
	}

	for i, unit := range units[:min(len(units), maxRestarts)] {
		switch {
		case k3sService.MatchString(unit):
			errs = append(errs, field.Forbidden(at.Index(i), unit+" is not restarted at a time of the secret store's choosing, which would take the servers of a cluster down together: "+
				"restart the nodes one after the other, with lifecycle.reboot"))
		case ownService.MatchString(unit):
			errs = append(errs, field.Forbidden(at.Index(i), unit+" is what fetches the files"))
		case len(unit) > maxUnit || !serviceName.MatchString(unit):
			errs = append(errs, field.Invalid(at.Index(i), message.Excerpt(unit), "must be the name of a service, such as myapp.service"))
		case slices.Contains(units[:i], unit):
			errs = append(errs, field.Duplicate(at.Index(i), unit))
		}
	}

	return errs
}

func storeAddress(at *field.Path, address string) field.ErrorList {
	const such = "must be the https address of OpenBao or Vault, such as https://bao.home.arpa:8200"

	switch {
	case address == "":
		return field.ErrorList{field.Required(at, such)}
	case len(address) > maxStoreText:
		return field.ErrorList{field.TooLong(at, "", maxStoreText)}
	case strings.HasPrefix(address, "http://"):
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, such+": without TLS, everybody on the network can read the secrets")}
	case len(k3s.ValidateServerURL(strings.TrimSuffix(address, "/"), at)) > 0:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, such+", without a path, a user or a password")}
	}

	return nil
}

// certificates checks authorities as PEM. A guest that cannot read them would never get its files.
func certificates(at *field.Path, text string) field.ErrorList {
	invalid := func(detail string) field.ErrorList {
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be one or more certificates as PEM, -----BEGIN CERTIFICATE-----, and no private key: "+detail)}
	}

	switch {
	case text == "":
		return nil
	case len(text) > maxCertificate:
		return field.ErrorList{field.TooLong(at, "", maxCertificate)}
	case privateKey.MatchString(text):
		return invalid("this has a private key, which everybody who can read the claim knows now: replace it")
	case !strings.HasPrefix(strings.TrimSpace(text), "-----BEGIN CERTIFICATE-----"):
		return invalid("this begins with something else")
	}

	rest := []byte(strings.TrimSpace(text))

	for len(rest) > 0 {
		var block *pem.Block

		block, rest = pem.Decode(rest)
		if block == nil || block.Type != "CERTIFICATE" {
			return invalid("a line of it is missing or damaged")
		}

		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return invalid("a certificate of it is damaged")
		}

		rest = []byte(strings.TrimSpace(string(rest)))
	}

	return nil
}

func appRole(at *field.Path, a v1alpha1.AppRole) field.ErrorList {
	errs := optionalStorePath(at.Child("mount"), a.Mount, "approle")

	switch {
	case a.RoleID == "":
		errs = append(errs, field.Required(at.Child("roleID"), "must be the ID of the machine's role: bao read auth/approle/role/NAME/role-id"))
	case len(a.RoleID) > maxStoreText || !storeWord.MatchString(a.RoleID):
		errs = append(errs, field.Invalid(at.Child("roleID"), field.OmitValueType{}, "must be the ID of a role: letters, digits, dots, _ and -"))
	}

	if a.SecretIDFile == "" {
		return errs
	}

	return append(errs, secretPath(at.Child("secretIDFile"), a.SecretIDFile)...)
}

func storedSecret(at *field.Path, s v1alpha1.StoredSecret) field.ErrorList {
	errs := optionalStorePath(at.Child("mount"), s.Mount, "secret")

	if s.Secret == "" {
		errs = append(errs, field.Required(at.Child("secret"), "must be the path of a secret in the engine, such as k3s/home"))
	} else {
		errs = append(errs, optionalStorePath(at.Child("secret"), s.Secret, "k3s/home")...)
	}

	switch {
	case s.Field == "":
		errs = append(errs, field.Required(at.Child("field"), "must be a field of the secret, such as token"))
	case len(s.Field) > maxStoreText || !storeWord.MatchString(s.Field):
		errs = append(errs, field.Invalid(at.Child("field"), field.OmitValueType{}, "must be a field of the secret: letters, digits, dots, _ and -"))
	}

	return errs
}

func optionalStorePath(at *field.Path, p, such string) field.ErrorList {
	if p == "" || len(p) <= maxStoreText && storePath.MatchString(p) && !dotFolder.MatchString(p) {
		return nil
	}

	return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be a path of letters, digits, dots, _, - and /, without / at its ends, such as "+such)}
}
