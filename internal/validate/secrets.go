package validate

import (
	"path"
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/apis/v1alpha1"
)

const maxSecretFiles = 8

var (
	volatileFolders = regexp.MustCompile(`^/(dev|proc|run|sys|tmp|var/run|var/tmp)(/|$)`)
	secretMode      = regexp.MustCompile(`^0[4-7][0-7]0$`)
)

// secretFiles checks the files that come from Secrets. It shows no value, because the user may have written a secret in the wrong field.
func secretFiles(at *field.Path, files []v1alpha1.SecretFile) field.ErrorList {
	errs := count(at, len(files), maxSecretFiles)
	paths := make([]string, 0, len(files))

	for i, f := range files[:min(len(files), maxSecretFiles)] {
		p := at.Index(i)
		paths = append(paths, f.Path)

		if !f.AllowPlaintext {
			errs = append(errs, field.Required(p.Child("allowPlaintext"),
				"a Secret is written into the snippet in plain text: set allowPlaintext: true to accept this, or write the file with a pre-placed snippet "+
					"(bootstrap.snippets.vendorData)"))
		}

		errs = append(errs, secretRef(p.Child("secretRef"), &v1alpha1.SecretKeyRef{Name: f.SecretRef.Name, Key: f.SecretRef.Key})...)

		if f.SecretRef.Key == "" {
			errs = append(errs, field.Required(p.Child("secretRef", "key"), "must be a key of the Secret, such as password"))
		}

		errs = append(errs, secretPath(p.Child("path"), f.Path)...)

		if f.Mode != "" && !secretMode.MatchString(f.Mode) {
			errs = append(errs, field.Invalid(p.Child("mode"), field.OmitValueType{}, `must be an octal mode in quotes, without access for others, such as "0600" or "0640"`))
		}
	}

	return append(errs, duplicateKeys(at, "path", paths)...)
}

func secretPath(at *field.Path, p string) field.ErrorList {
	const want = "must be an absolute path of letters, digits, dots, _, - and /, without . and .., and not in a folder that is empty after a reboot, such as /etc/myapp/password"

	switch {
	case p == "":
		return field.ErrorList{field.Required(at, want)}
	case len(p) > maxTokenFile || !pathPattern.MatchString(p) || path.Clean(p) != p || volatileFolders.MatchString(p):
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, want)}
	}

	return nil
}
