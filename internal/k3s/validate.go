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

	"github.com/homelab-io/function-proxmox-machine/internal/nearest"
)

var (
	release  = regexp.MustCompile(`^v1\.\d{1,3}\.\d{1,3}(-rc\d{1,2})?\+k3s\d{1,2}$`)
	checksum = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ValidateVersion wants one release, such as v1.33.6+k3s1. A channel such as
// "stable" would make a rebuilt node newer than its cluster.
func ValidateVersion(version string, path *field.Path) field.ErrorList {
	switch {
	case version == "":
		return field.ErrorList{field.Required(path, "K3s' release has to be named, such as v1.33.6+k3s1")}
	case release.MatchString(version):
		return nil
	case release.MatchString("v" + version):
		return field.ErrorList{field.Invalid(path, version, "must start with a v: v"+version)}
	default:
		return field.ErrorList{field.Invalid(path, version,
			"must be one release of K3s, vX.Y.Z+k3sN, such as v1.33.6+k3s1; a channel or a range would change from one node to the next")}
	}
}

// ValidateServerURL wants the cluster's address: https://host:port or https://host.
func ValidateServerURL(address string, path *field.Path) field.ErrorList {
	const want = "must be https://host:port, such as https://k3s.home.arpa:6443"

	u, err := url.Parse(address)

	switch {
	case address == "":
		return field.ErrorList{field.Required(path, "the address of the cluster has to be given: "+want)}
	case strings.Contains(address, "@"):
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, want+", without a user or password")}
	case err != nil, u.Scheme != "https", !validHost(u.Hostname()), !validPort(u), u.Host != strings.TrimPrefix(address, "https://"):
		return field.ErrorList{field.Invalid(path, address, want)}
	default:
		return nil
	}
}

func validHost(host string) bool {
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Zone() == ""
	}

	return !looksLikeAddress(host) && len(validation.IsDNS1123Subdomain(strings.ToLower(host))) == 0
}

// looksLikeAddress finds mistyped IPv4 addresses: no name ends in a number.
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

// ValidateInstallURL wants the https address of an installer script.
func ValidateInstallURL(address string, path *field.Path) field.ErrorList {
	u, err := url.Parse(address)

	switch {
	case strings.Contains(address, "@"):
		return field.ErrorList{field.Invalid(path, field.OmitValueType{}, "must be an https address without a user or password")}
	case err != nil, u.Scheme != "https", !validHost(u.Hostname()), !validPort(u), u.Fragment != "", strings.ContainsFunc(address, notVisible):
		return field.ErrorList{field.Invalid(path, address, "must be an https address, such as "+DefaultInstallURL("v1.33.6+k3s1"))}
	default:
		return nil
	}
}

// notVisible finds blanks, control characters and everything that is not ASCII.
func notVisible(r rune) bool {
	return r <= ' ' || r > '~'
}

// ValidateSHA256 wants a checksum as sha256sum prints it.
func ValidateSHA256(sum string, path *field.Path) field.ErrorList {
	if !checksum.MatchString(sum) {
		return field.ErrorList{field.Invalid(path, sum, "must be 64 hexadecimal digits in lower case, as sha256sum prints them")}
	}

	return nil
}

// ValidateTLSSANs wants names and addresses for the certificate of servers.
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

// components are what K3s deploys by itself (k3s server --help, --disable).
func components() []string {
	return []string{"coredns", "local-storage", "metrics-server", "runtimes", "servicelb", "traefik"}
}

// ValidateDisable wants names of components. K3s ignores a name that it does not know,
// since it may be one of a manifest of the user; so only near misses are refused.
func ValidateDisable(names []string, path *field.Path) field.ErrorList {
	var faults field.ErrorList

	for i, name := range names {
		near := nearest.Likely(name, components())

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
