package validate

import (
	"cmp"
	"crypto/x509"
	"encoding/pem"
	"regexp"
	"slices"
	"strings"

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
)

var (
	storeWord  = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	storePath  = regexp.MustCompile(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*$`)
	dotFolder  = regexp.MustCompile(`(^|/)[.]{1,2}(/|$)`)
	fileOwner  = regexp.MustCompile(`^[a-z_][a-z0-9_-]*:[a-z_][a-z0-9_-]*$`)
	privateKey = regexp.MustCompile(`PRIVATE KEY`)
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
	errs = append(errs, appRole(at.Child("appRole"), s.AppRole)...)

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

		if f.Path != "" && slices.ContainsFunc(b.Secrets, func(o v1alpha1.SecretFile) bool { return o.Path == f.Path }) {
			errs = append(errs, field.Forbidden(p.Child("path"), "bootstrap.secrets writes this file, too: remove one of them"))
		}
	}

	errs = append(errs, nested(at, paths, cmp.Or(s.AppRole.SecretIDFile, secretstore.DefaultSecretIDFile))...)

	return append(errs, duplicateKeys(at.Child("files"), "path", paths)...)
}

// nested refuses a file whose path has another file where a folder would have to be.
func nested(at *field.Path, paths []string, secretIDFile string) field.ErrorList {
	var errs field.ErrorList

	for i, p := range paths {
		for _, other := range append(slices.Clone(paths), secretIDFile) {
			if other != "" && strings.HasPrefix(p, other+"/") {
				errs = append(errs, field.Forbidden(at.Child("files").Index(i).Child("path"), "a file cannot be in another file: "+message.Excerpt(other)+" is one"))
			}
		}

		if p != "" && strings.HasPrefix(secretIDFile, p+"/") {
			errs = append(errs, field.Forbidden(at.Child("files").Index(i).Child("path"), "must be a file, and the secret id is in a folder of this name"))
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
