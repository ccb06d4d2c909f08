package k3s

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/homelab-io/function-proxmox-machine/internal/message"
)

var (
	release = regexp.MustCompile(`^v1\.\d{1,3}\.\d{1,3}(-rc\d{1,2})?\+k3s\d{1,2}$`)
	// inURL is the plus of a release in the address of a file.
	inURL = regexp.MustCompile(`%2[Bb]`)
	// asImage is the end of a release in the tag of an image, which takes no plus.
	asImage  = regexp.MustCompile(`-(k3s\d+)$`)
	checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// OneRelease begins what is said of a version that is no release.
const OneRelease = "must be one release of K3s"

// ValidateVersion checks a release, such as v1.33.6+k3s1. It refuses a channel such as
// "stable", because a replaced node would be newer than its cluster.
func ValidateVersion(version string, path *field.Path) field.ErrorList {
	switch {
	case version == "":
		return field.ErrorList{field.Required(path, "must be a release of K3s, such as v1.33.6+k3s1")}
	case release.MatchString(version):
		return nil
	case release.MatchString("v" + version):
		return field.ErrorList{field.Invalid(path, version, "must start with a v: v"+version)}
	case release.MatchString(asImage.ReplaceAllString(version, "+$1")):
		return field.ErrorList{field.Invalid(path, version, "is written as the tag of an image: write "+asImage.ReplaceAllString(version, "+$1"))}
	case release.MatchString(inURL.ReplaceAllString(version, "+")):
		return field.ErrorList{field.Invalid(path, version, "is written as in a URL: write "+inURL.ReplaceAllString(version, "+"))}
	default:
		return field.ErrorList{field.Invalid(path, version,
			OneRelease+", vX.Y.Z+k3sN, such as v1.33.6+k3s1; with a channel or a range, nodes would get different releases")}
	}
}

// ValidateServerURL checks the cluster's address: https://host:port or https://host.
func ValidateServerURL(address string, path *field.Path) field.ErrorList {
	const want = "must be https://host:port, such as https://k3s.home.arpa:6443"

	u, err := url.Parse(address)

	switch {
	case address == "":
		return field.ErrorList{field.Required(path, "the cluster's address is required: "+want)}
	case strings.Contains(address, "@"):
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, want+", without a user or password")}
	case err != nil, u.Scheme != "https", !validHost(u.Hostname()), !validPort(u), u.Host != strings.TrimPrefix(address, "https://"):
		return field.ErrorList{field.Invalid(path, address, want+asURL(address))}
	default:
		return nil
	}
}

// asURL is the end of the rule for an address that lacks the scheme or the port, or has http: what to write. Empty for any other text.
func asURL(address string) string {
	host := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://"), "/")

	u, err := url.Parse("https://" + host)
	if err != nil || !validHost(u.Hostname()) || !validPort(u) || u.Host != host {
		return ""
	}

	if u.Port() == "" {
		host += ":6443"
	}

	return ": write https://" + host
}

func validHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Zone() == ""
	}

	return !looksLikeAddress(host) && len(validation.IsDNS1123Subdomain(strings.ToLower(host))) == 0
}

// looksLikeAddress finds mistyped IPv4 addresses: no DNS name ends with a number.
func looksLikeAddress(host string) bool {
	_, err := strconv.Atoi(host[strings.LastIndex(host, ".")+1:])

	return err == nil
}

func validPort(u *url.URL) bool {
	if _, _, err := net.SplitHostPort(u.Host); err != nil {
		return u.Port() == "" && !strings.HasSuffix(u.Host, ":")
	}

	port, err := strconv.ParseUint(u.Port(), 10, 16)

	return err == nil && port > 0
}

// ValidateInstallURL checks the address of an installer script: https, or a file of the image.
func ValidateInstallURL(address string, path *field.Path) field.ErrorList {
	return validateDownload(address, "such as "+DefaultInstallURL("v1.33.6+k3s1")+", or a file of the image, file:///path", path)
}

// ValidateReleaseURL checks the address of a folder of releases: https, or a folder of the image.
func ValidateReleaseURL(address string, path *field.Path) field.ErrorList {
	faults := validateDownload(address, "such as "+DefaultReleaseURL+", or a folder of the image, file:///path", path)
	if len(faults) == 0 && strings.Contains(address, "?") {
		return field.ErrorList{field.Invalid(path, address, "must be a folder: the bootstrap adds the release and the name of a file")}
	}

	return faults
}

func validateDownload(address, such string, path *field.Path) field.ErrorList {
	u, err := url.Parse(address)

	switch {
	case strings.Contains(address, "@"):
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must be an https address without a user or password")}
	case err == nil && u.Scheme == "file" && u.Host == "" && isCleanPath(strings.TrimSuffix(strings.TrimPrefix(address, "file://"), "/")):
		return nil
	case err != nil, u.Scheme != "https", !validHost(u.Hostname()), !validPort(u), u.Fragment != "", strings.ContainsFunc(address, notVisible):
		return field.ErrorList{field.Invalid(path, address, "must be an https address, "+such)}
	default:
		return nil
	}
}

// notVisible reports blanks, control characters and non-ASCII characters.
func notVisible(r rune) bool {
	return r <= ' ' || r > '~'
}

// ValidateSHA256 checks a checksum in the format of sha256sum.
func ValidateSHA256(sum string, path *field.Path) field.ErrorList {
	if !checksum.MatchString(sum) {
		return field.ErrorList{field.Invalid(path, sum, "must be 64 hexadecimal digits in lower case, in the format of sha256sum")}
	}

	return nil
}

// ValidateTLSSANs checks names and addresses for the servers' certificate.
func ValidateTLSSANs(names []string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for i, name := range names {
		switch {
		case slices.Contains(names[:i], name):
			faults = append(faults, field.Duplicate(path.Index(i), name))
		case !validHost(name):
			faults = append(faults, field.Invalid(path.Index(i), name, "must be a DNS name or an IP address, without scheme or port"))
		}
	}

	return faults
}

// components are the packaged components of K3s (k3s server --help, --disable).
func components() []string {
	return []string{"coredns", "local-storage", "metrics-server", "runtimes", "servicelb", "traefik"}
}

// ValidateDisable checks names of components. K3s ignores an unknown name, because it may be the
// name of a user's manifest; so ValidateDisable refuses only likely typing errors.
func ValidateDisable(names []string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for i, name := range names {
		near := message.Likely(name, components())

		switch {
		case slices.Contains(names[:i], name):
			faults = append(faults, field.Duplicate(path.Index(i), name))
		case slices.Contains(components(), name):
		case len(validation.IsDNS1123Subdomain(name)) > 0:
			faults = append(faults, field.Invalid(path.Index(i), name, "must be one of "+strings.Join(components(), ", ")+", or the name of a manifest"))
		case len(near) > 0:
			faults = append(faults, field.Invalid(path.Index(i), name, "did you mean "+strings.Join(near, " or ")+"?"))
		}
	}

	return faults
}
