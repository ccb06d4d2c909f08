package validate

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The XRDs have the same patterns; a test compares the results.
var (
	dnsNamePattern   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$`)
	dnsRecordPattern = regexp.MustCompile(`^(\*\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)
	dottedPattern    = regexp.MustCompile(`^[0-9.]+$`)
	rolePattern      = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	tagPattern       = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	nodePattern      = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
	datastorePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]*$`)
	bridgePattern    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)
	poolPattern      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]*$`)
	mappingPattern   = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	deviceAddress    = regexp.MustCompile(`^(([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}(\.[0-7])?|[0-9a-fA-F]{4}:[0-9a-fA-F]{4})$`)
	accountPattern   = regexp.MustCompile(`^[a-z_][a-z0-9_-]*$`)
)

// Hostname checks a host name, short or full.
func Hostname(at *field.Path, name string) field.ErrorList {
	if name != "" && dottedPattern.MatchString(name) && strings.Contains(name, ".") {
		return field.ErrorList{field.Invalid(at, name, "must be a name, not an address: write the address into network.ip")}
	}

	if first, _, _ := strings.Cut(name, "."); first == "localhost" {
		return field.ErrorList{field.Invalid(at, name, "is each machine's name for itself: give it one by which others can tell it apart, such as dns01")}
	}

	if fixed := dnsName(name); fixed != "" && len(name) < 64 {
		return field.ErrorList{field.Invalid(at, name, "VM name contains invalid characters: write "+fixed+
			", since a DNS name has lower case letters, digits and hyphens")}
	}

	return textRule{
		200, dnsNamePattern,
		"VM name contains invalid characters: write a DNS name of lower case letters, digits and hyphens, such as dns01 or dns01.home.arpa; " +
			"each part between dots has at most 63 characters and neither starts nor ends with a hyphen",
	}.check(at, name)
}

// dnsName is a name with capitals, blanks or underscores as DNS has it; empty where the name is right, or wrong in another way.
func dnsName(name string) string {
	fixed := strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(name))
	if fixed == name || !dnsNamePattern.MatchString(fixed) {
		return ""
	}

	return fixed
}

// Domain checks a search domain.
func Domain(at *field.Path, name string) field.ErrorList {
	return domainRule().meaning(domainMeant(name)).check(at, name)
}

func domainRule() textRule {
	return textRule{253, dnsNamePattern, "must be a DNS domain in lower case, such as home.arpa"}
}

// domainMeant is a domain with capitals, or with dots around it, as it is to be written.
func domainMeant(name string) string {
	fixed := strings.Trim(strings.ToLower(name), ".")
	if !dnsNamePattern.MatchString(fixed) {
		return ""
	}

	return fixed
}

// maxSearchDomains is the maximum number of further search domains: resolvers before glibc 2.26 use six in all.
const maxSearchDomains = 6

// searchDomains checks further search domains, none of which is domain.
func searchDomains(at *field.Path, names []string, domain string) field.ErrorList {
	errs := domainRule().items(at, names, maxSearchDomains)

	if i := slices.Index(names, domain); i >= 0 && domain != "" {
		errs = append(errs, field.Invalid(at.Index(i), domain, "is domain, which is the first search domain anyway: remove it here"))
	}

	return errs
}

// dnsRecord checks the name of a DNS record.
func dnsRecord(at *field.Path, name string) field.ErrorList {
	return textRule{
		253, dnsRecordPattern, "must be a DNS name in lower case with its domain and without a dot at the end, such as files01.home.arpa or *.apps.home.arpa",
	}.check(at, name)
}

// Role checks the role of a machine, which becomes a Proxmox tag, or the name of a group of machines.
func Role(at *field.Path, role string) field.ErrorList {
	return textRule{63, rolePattern, "must hold only lower case letters, digits and hyphens, and neither start nor end with a hyphen"}.check(at, role)
}

// Tags checks Proxmox tags.
func Tags(at *field.Path, tags []string) field.ErrorList {
	errs := count(at, len(tags), 32)

	for i, tag := range tags[:min(len(tags), 32)] {
		errs = append(errs, tagRule().meaning(tagOf(tag)).required(at.Index(i), tag)...)
	}

	return append(errs, duplicates(at, tags)...)
}

// noTag is what a tag of Proxmox must not have.
var noTag = regexp.MustCompile(`[^A-Za-z0-9_.+-]+`)

// letters that people write a name with, and what they write where only ASCII is taken.
var letters = strings.NewReplacer( //nolint:gochecknoglobals // A constant table.
	"Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "å", "aa", "Å", "Aa", "ø", "oe", "Ø", "Oe", "æ", "ae", "Æ", "Ae",
	"á", "a", "à", "a", "â", "a", "ç", "c", "é", "e", "è", "e", "ê", "e", "É", "E", "í", "i", "î", "i", "ñ", "n", "ó", "o", "ô", "o", "ú", "u", "û", "u",
)

// tagOf a text that is none, with a hyphen for what it must not have: env-prod for env:prod. Empty where nothing is left.
func tagOf(text string) string {
	if text == "" || len(text) > 63 || tagPattern.MatchString(text) {
		return ""
	}

	text = letters.Replace(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) }) {
		return "" // Half a word is nobody's tag.
	}

	return strings.TrimLeft(strings.TrimRight(noTag.ReplaceAllString(text, "-"), "-"), ".+-")
}

func tagRule() textRule {
	return textRule{63, tagPattern, "must hold only letters, digits, _, -, + and dots, and start with a letter, a digit or _"}
}

// NodeName checks the name of a Proxmox node. One with its domain is that before the first point.
func NodeName(at *field.Path, name string) field.ErrorList {
	if _, err := netip.ParseAddr(name); err == nil {
		return field.ErrorList{field.Invalid(at, name, "is an address: "+nodeRule().message+" (pvesh get /nodes lists them)")}
	}

	return nodeRule().meaning(head(name, ".", nodePattern)).check(at, name)
}

// head of a name that goes on behind a separator, where it is a name by itself; else empty.
func head(name, separator string, is *regexp.Regexp) string {
	if first, _, longer := strings.Cut(name, separator); longer && is.MatchString(first) {
		return first
	}

	return ""
}

func nodeRule() textRule {
	return textRule{63, nodePattern, "must be the name of a Proxmox node: letters, digits and hyphens, such as pve"}
}

// Datastore checks the name of a Proxmox datastore. A volume has its name before the colon.
func Datastore(at *field.Path, name string) field.ErrorList {
	return datastoreRule().meaning(head(name, ":", datastorePattern)).check(at, name)
}

func datastoreRule() textRule {
	return textRule{
		63, datastorePattern,
		"must be the name of a Proxmox datastore: letters, digits, dots, _ and -, starting with a letter, such as local-zfs",
	}
}

// Bridge checks the name of a bridge: letters, digits, hyphens and underscores.
func Bridge(at *field.Path, name string) field.ErrorList {
	if bridge, tag, ok := strings.Cut(name, "."); ok && bridgePattern.MatchString(bridge) && vlanTag.MatchString(tag) {
		return field.ErrorList{field.Invalid(at, name, "is an interface of the node for a VLAN, and no bridge: write bridge: "+bridge+" and vlan: "+tag)}
	}

	return bridgeRule().check(at, name)
}

// portName are names that Linux and Proxmox give to network ports, wireless ones included, and to bonds. A VNet of Proxmox may be called wlan20 or wlguests.
var portName = regexp.MustCompile(`^(?:bond\d+|eth\d+|nic\d+|eno\d+\w*|ens\d+\w*|enp\d+\w+|enx[0-9a-f]{12}|wlan\d|wlo\d+|wlp\d+s\w+|wlx[0-9a-f]{12}|lo)$`)

// NoBridge says of the name of a bridge that it is the name of something else, to which Proxmox connects no guest; empty where nothing is known against it.
func NoBridge(name string) string {
	if !portName.MatchString(name) {
		return ""
	}

	return "has the name of a network port or a bond, to which Proxmox connects no guest: it takes a bridge that has it for a port, such as vmbr0 (ip -br link show type bridge lists those of the node)"
}

var vlanTag = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)

// requiredBridge checks the name of a bridge that has no default.
func requiredBridge(at *field.Path, name string) field.ErrorList {
	if name == "" {
		return bridgeRule().required(at, name)
	}

	return Bridge(at, name)
}

func bridgeRule() textRule {
	return textRule{63, bridgePattern, "must be the name of a bridge of the node: letters, digits, _ and -, such as vmbr0"}
}

// Pool checks the name of a resource pool.
func Pool(at *field.Path, name string) field.ErrorList {
	if strings.HasSuffix(name, "/") || strings.Contains(name, "//") {
		return field.ErrorList{field.Invalid(at, name[:min(len(name), 63)], "a / stands between the names of a pool and of one within it, as in infra/dns, and nowhere else")}
	}

	return textRule{63, poolPattern, "must be the name of a Proxmox resource pool: letters, digits, dots, _, - and /, such as infra"}.check(at, name)
}

// Mapping checks the name of a resource mapping.
func Mapping(at *field.Path, name string) field.ErrorList {
	if deviceAddress.MatchString(name) {
		return field.ErrorList{field.Invalid(at, name, "is the address of a device, which Proxmox lets only root@pam name, and no API token is root@pam: make a resource mapping of it once "+
			"(Datacenter, Resource Mappings), and write its name, such as gpu0")}
	}

	return textRule{
		63, mappingPattern,
		"must be the name of a resource mapping in Proxmox (Datacenter, Resource Mappings): letters, digits, _ and -, starting with a letter, such as gpu0",
	}.required(at, name)
}

// AdminUser checks the name of the account with the SSH keys.
func AdminUser(at *field.Path, name string) field.ErrorList {
	if name == "root" {
		return field.ErrorList{field.Invalid(at, name, "must not be root, because root cannot log in: choose another account, which may use sudo")}
	}

	return textRule{32, accountPattern, "must be a Linux account: lower case letters, digits, _ and -, starting with a letter or _, such as ops"}.check(at, name)
}

// catalogueName checks the form of a name from the catalogue; package resolve checks whether the catalogue has the name.
func catalogueName(at *field.Path, name string, maxRunes int) field.ErrorList {
	return textRule{maxRunes: maxRunes}.check(at, name)
}
