package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/excerpt"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

var (
	fileNamePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
	notInFileName   = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)
	hexPattern      = regexp.MustCompile(`^[0-9a-fA-F]+$`)
)

// hashDigits of URL and checksum are put into a file's name.
const hashDigits = 8

// Download is what is downloaded for an image with a URL.
//
// The file's name carries a hash of URL and checksum: the file is shared by all machines of a node, and found by its name
// alone, so that another image must have another name. A file that may be on the node already keeps its name.
func (i Image) Download() (machine.Download, field.ErrorList) {
	at := i.Path()
	errs := downloadURL(at.Child("url"), i.URL)
	algorithm, sum, faults := checksum(at.Child("checksum"), i.Checksum)
	errs = append(errs, faults...)

	name := i.FileName
	nameAt := at.Child("fileName")

	switch {
	case name != "" && (!fileNamePattern.MatchString(name) || len(name) > 200):
		errs = append(errs, field.Invalid(nameAt, excerpt.Of(name), "must be a file name of letters, digits, dots, _, - and +"))
	case name == "" && i.KeepFileName:
		errs = append(errs, field.Required(nameAt, "must be the file's name on the datastore, which keepFileName keeps"))
	}

	if len(errs) > 0 {
		return machine.Download{}, errs
	}

	if name == "" {
		name, nameAt = urlFileName(i.URL), at.Child("url")
	}

	stem, extension, err := splitFileName(nameAt, name, i.KeepFileName)
	if err != nil {
		return machine.Download{}, field.ErrorList{err}
	}

	d := machine.Download{URL: i.URL, FileName: name, Checksum: sum, ChecksumAlgorithm: algorithm}

	if !i.KeepFileName {
		h := sha256.Sum256([]byte(i.URL + "\n" + algorithm + ":" + sum))
		d.FileName = stem + "-" + hex.EncodeToString(h[:])[:hashDigits] + extension
	}

	return d, nil
}

// splitFileName into what comes before the extension, and the extension that Proxmox VE takes for it.
func splitFileName(at *field.Path, name string, keep bool) (string, string, *field.Error) {
	extension := path.Ext(name)
	stem := strings.TrimSuffix(name, extension)

	switch strings.ToLower(extension) {
	case ".qcow2", ".raw", ".vmdk":
		return stem, strings.ToLower(extension), nil
	case ".img":
		if keep {
			return "", "", field.Invalid(at, name, "must end with .qcow2, .raw or .vmdk: Proxmox imports no other file")
		}

		// What distributions publish as .img is in qcow2 format.
		return stem, ".qcow2", nil
	case ".xz", ".gz", ".zst", ".bz2":
		return "", "", field.Invalid(at, excerpt.Of(name),
			"Proxmox cannot import compressed images: unpack it and serve the .qcow2 file, or put that on the node and name it as a volume")
	case ".iso":
		return "", "", field.Invalid(at, excerpt.Of(name),
			"an installer is not downloaded: put it on the node and name it as a volume, such as local:iso/debian-12.iso")
	default:
		return "", "", field.Invalid(at, excerpt.Of(name), "must end with .qcow2, .raw, .vmdk or .img; where the URL does not, say fileName")
	}
}

// urlFileName is the last part of a URL's path, with what a datastore would not take replaced.
func urlFileName(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return ""
	}

	name := notInFileName.ReplaceAllString(path.Base(u.Path), "-")

	return strings.TrimLeft(name, ".+-")
}

func downloadURL(at *field.Path, s string) field.ErrorList {
	u, err := url.Parse(s)

	switch {
	case err != nil || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" || len(s) > 2048 || strings.ContainsAny(s, " \t\r\n\"'`\\<>"):
		// A URL that cannot be read may hold a password all the same.
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must be the https:// or http:// address of a cloud image")}
	case u.User != nil:
		return field.ErrorList{field.Invalid(at, field.OmitValueType{}, "must not hold a user or a password, which everybody who may read managed resources would see")}
	default:
		return nil
	}
}

// checksum splits algorithm:hexadecimal, which may be left out.
func checksum(at *field.Path, s string) (string, string, field.ErrorList) {
	if s == "" {
		return "", "", nil
	}

	algorithm, sum, _ := strings.Cut(s, ":")
	digits := digestDigits(algorithm)

	switch {
	case digits == 0:
		return "", "", field.ErrorList{field.Invalid(at, excerpt.Of(s), "must be algorithm:hexadecimal with md5, sha1, sha224, sha256, sha384 or sha512, such as sha256:6a81...")}
	case len(sum) != digits || !hexPattern.MatchString(sum):
		return "", "", field.ErrorList{field.Invalid(at, excerpt.Of(s), fmt.Sprintf("must have the %d hexadecimal digits of %s after the colon", digits, algorithm))}
	default:
		return algorithm, strings.ToLower(sum), nil
	}
}

// digestDigits of an algorithm that the provider knows, in hexadecimal; 0 for any other.
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
