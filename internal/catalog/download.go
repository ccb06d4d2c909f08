package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/machine"
	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	fileNamePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
	hexPattern      = regexp.MustCompile(`^[0-9a-fA-F]+$`)
)

// hashDigits is the number of hash digits in a file's name.
const hashDigits = 8

// Download resolves the download of an image with a URL.
//
// The file's name contains a hash of URL and checksum: all machines of a node share the file, and find it by its name alone,
// so another image must have another name. With keepFileName the name stays.
func (i Image) Download() (machine.Download, field.ErrorList) { return i.download(splitFileName) }

// A splitter splits the name of a file into stem and extension, or says why Proxmox does not take a file of that name. keep says that the name
// may not change.
type splitter func(at *field.Path, name string, keep bool) (stem, extension string, fault *field.Error)

// download of a file whose name a splitter accepts.
func (i Image) download(split splitter) (machine.Download, field.ErrorList) {
	at := i.Path()
	errs := downloadURL(at.Child("url"), i.URL)
	algorithm, sum, faults := checksum(at.Child("checksum"), i.Checksum)
	errs = append(errs, faults...)

	name := i.FileName
	nameAt := at.Child("fileName")

	switch {
	case name != "" && (!fileNamePattern.MatchString(name) || len(name) > 200):
		errs = append(errs, field.Invalid(nameAt, message.Excerpt(name), "must be a file name of letters, digits, dots, _, - and +"))
	case name == "" && i.KeepFileName:
		errs = append(errs, field.Required(nameAt, "is required with keepFileName: the file's name on the datastore"))
	}

	if len(errs) > 0 {
		return machine.Download{}, errs
	}

	if name == "" {
		name, nameAt = message.FileOfURL(i.URL), at.Child("url")
	}

	stem, extension, err := split(nameAt, name, i.KeepFileName)
	if err != nil {
		err.Detail = cmp.Or(i.OCI(), err.Detail)

		return machine.Download{}, field.ErrorList{err}
	}

	d := machine.Download{URL: i.URL, FileName: name, Checksum: sum, ChecksumAlgorithm: algorithm}

	if !i.KeepFileName {
		h := sha256.Sum256([]byte(i.URL + "\n" + algorithm + ":" + sum))
		d.FileName = stem + "-" + hex.EncodeToString(h[:])[:hashDigits] + extension
	}

	return d, nil
}

// splitFileName splits a file name into stem and extension. It replaces .img by the extension that Proxmox VE accepts.
func splitFileName(at *field.Path, name string, keep bool) (string, string, *field.Error) {
	if why := message.NoDiskFile(name); why != "" {
		return "", "", field.Invalid(at, message.Excerpt(name), why)
	}

	extension := path.Ext(name)
	stem, extension := strings.TrimSuffix(name, extension), strings.ToLower(extension)

	switch {
	case importable(extension):
		return stem, extension, nil
	case extension != ".img":
		return "", "", field.Invalid(at, name, "must end with .qcow2, .raw, .vmdk or .img; if the URL does not, set fileName")
	case keep:
		return "", "", field.Invalid(at, name, "must end with .qcow2, .raw or .vmdk: Proxmox imports only these")
	default:
		// Distributions publish qcow2 files with the extension .img.
		return stem, ".qcow2", nil
	}
}

func downloadURL(at *field.Path, s string) field.ErrorList {
	u, err := url.Parse(s)

	switch {
	case err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || len(s) > 2048 || strings.ContainsAny(s, " \t\r\n\"'`\\<>"):
		// Never show the value: even an invalid URL may contain a password.
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, cmp.Or(OCI(s), "must be the https:// or http:// address of a cloud image"))}
	case u.User != nil:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must not contain a user name or a password, because everybody who may read managed resources could read it")}
	default:
		return nil
	}
}

// checksum splits the optional algorithm:hexadecimal.
func checksum(at *field.Path, s string) (string, string, field.ErrorList) {
	if s == "" {
		return "", "", nil
	}

	algorithm, sum, _ := strings.Cut(s, ":")
	digits := digestDigits(algorithm)

	switch {
	case digits == 0:
		return "", "", field.ErrorList{field.Invalid(at, message.Excerpt(s), "must be algorithm:hexadecimal with md5, sha1, sha224, sha256, sha384 or sha512, such as sha256:6a81...")}
	case len(sum) != digits || !hexPattern.MatchString(sum):
		return "", "", field.ErrorList{field.Invalid(at, message.Excerpt(s), fmt.Sprintf("must have the %d hexadecimal digits of %s after the colon", digits, algorithm))}
	default:
		return algorithm, strings.ToLower(sum), nil
	}
}

// digestDigits returns the number of hexadecimal digits of an algorithm's checksum; 0 if the provider does not support it.
func digestDigits(algorithm string) int {
	switch algorithm {
	case "md5":
		return 32
	case "sha1":
		return 40
	case "sha224":
		return 56
	case "sha256":
		return 64
	case "sha384":
		return 96
	case "sha512":
		return 128
	default:
		return 0
	}
}
