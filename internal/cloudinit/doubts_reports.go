package cloudinit

import (
	"encoding/asn1"
	"encoding/pem"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//nolint:gochecknoglobals // Constant patterns.
var (
	// overNames is a command that writes /etc/resolv.conf, and standsNames what makes a file of its own of it, or another program its owner.
	overNames   = regexp.MustCompile(`(?:>\s*|\btee\s+(?:-\S+\s+)*)/etc/resolv\.conf(?:[\s;&|)"']|$)`)
	standsNames = regexp.MustCompile(`\b(?:rm|unlink|ln|mv|cp|install|chattr)\b[^\n]*resolv\.conf|\b(?:resolvconf|openresolv|NetworkManager)\b|` +
		`\bsystemctl\s+(?:--\S+\s+)*(?:disable|stop|mask)\s[^\n]*systemd-resolved|\b(?:remove|purge)\b[^\n]*systemd-resolved`)
	asksDHCP = command(`(?:dhclient|dhcpcd|udhcpc)[^;&|\n]*`)
	// refreshes is what fetches the lists of packages, and fetchesPackages what needs them.
	refreshes       = regexp.MustCompile(`\bapt(?:-get)?\s[^;&|\n]*\bupdate\b`)
	fetchesPackages = command(`(?:env\s+)?(?:[A-Z_]+=\S+\s+)*apt(?:-get)?\s+(?:-\S+\s+(?:\w+::\S+\s+)?)*install(?:\s+-\S+)*\s+[a-z0-9][^\s/]*`)
	removesAccount  = command(`(?:userdel|deluser)[^;&|\n]*`)
)

// ownNames: on images of Debian and Ubuntu the file is a link to one of systemd-resolved, which writes it anew (systemd-resolved.service(8), /ETC/RESOLV.CONF).
const ownNames = "is a link to a file of systemd-resolved, which writes it anew at the next boot at the latest: write the name servers into spec.network.dns, and the domains into spec.network.searchDomains"

// keepsOwnNames says whether anything in a document makes /etc/resolv.conf a file of its own.
func keepsOwnNames(root *yaml.Node) bool {
	for _, key := range []string{"bootcmd", "runcmd", "packages"} {
		for _, item := range items(lookup(root, key)) {
			if standsNames.MatchString(commandText(item)) {
				return true
			}
		}
	}

	return lookup(root, "manage_resolv_conf") != nil
}

// sayReported says what a command does that people report as broken, with the machine's network and account.
func sayReported(g Guest, root *yaml.Node, key, text string, say func(why string)) {
	if g.Has == nil {
		return
	}

	if overNames.MatchString(text) && !keepsOwnNames(root) {
		say("writes /etc/resolv.conf, which " + ownNames)
	}

	// With -r, -x and -k, an address is given back.
	asks, options := operands(asksDHCP, text)
	first := func(word string) bool { return slices.Contains([]string{"eth0", "ens18", "enp6s18"}, word) }

	if g.Fixed && asks != nil && !slices.ContainsFunc(asks, func(w string) bool { return !first(w) }) && !slices.ContainsFunc(options, givesBack) {
		say("asks a DHCP server for an address beside the fixed one of spec.network: the guest gets a second address, another default route and other name servers. Remove it, or set dhcp: true in place of the address")
	}

	// With a second name, deluser takes an account out of a group.
	if names, _ := operands(removesAccount, text); g.Account != "" && slices.Equal(names, []string{g.Account}) {
		say("removes the account of spec.bootstrap.adminUser, which has the keys of the machine, so that nobody can log in: remove it, or choose another adminUser")
	}

	// Images have no lists of packages: cloud-init fetches them in its last stage.
	if key == "bootcmd" && fetchesPackages.MatchString(text) && !anyCommand(root, refreshes.MatchString, "bootcmd") {
		say("installs packages before anybody has fetched the lists of packages, which a new image does not have, so apt-get finds none: write them into packages, or the command into runcmd")
	}
}

// givesBack says whether an option of a DHCP client ends its lease.
func givesBack(option string) bool {
	return slices.Contains([]string{"-r", "-x", "-k", "--release", "--exit"}, option)
}

// operands of a program that a text runs, and its options: what a shell does with its output is none. Nil where it is not run.
func operands(program *regexp.Regexp, text string) (words, options []string) {
	found := program.FindString(text)
	if found == "" {
		return nil, nil
	}

	all := strings.FieldsFunc(found, func(r rune) bool { return strings.ContainsRune(" \t\n;&|(\"'", r) })
	words = []string{}

	begun := false

	for _, w := range all {
		switch {
		case !begun:
			begun = slices.Contains([]string{"dhclient", "dhcpcd", "udhcpc", "userdel", "deluser"}, w[strings.LastIndex(w, "/")+1:])
		case strings.HasPrefix(w, "-"):
			options = append(options, w)
		case !strings.Contains(w, ">"):
			words = append(words, w)
		}
	}

	return words, options
}

// doubtsOfKeys are about SSH keys that let nobody in: sshd passes over them. value has keys, or accounts with keys.
func doubtsOfKeys(g Guest, key string, value *yaml.Node) []Doubt {
	if g.BrokenKey == nil {
		return nil
	}

	var out []Doubt

	each := func(at string, keys *yaml.Node) {
		for i, k := range items(keys) {
			// A template has the key elsewhere.
			if k.Kind != yaml.ScalarNode || strings.Contains(k.Value, "{{") {
				continue
			}

			if why := g.BrokenKey(k.Value); why != "" {
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s[%d] %s", k.Line, at, i, why)})
			}
		}
	}

	if key != "users" {
		each(key, value)

		return out
	}

	for i, user := range items(value) {
		for _, name := range []string{"ssh_authorized_keys", "ssh-authorized-keys"} {
			each(fmt.Sprintf("users[%d].%s", i, name), lookup(user, name))
		}
	}

	return out
}

// isWholePEM says whether each certificate of a text is one from its beginning to its end.
func isWholePEM(text string) bool {
	blocks, rest := 0, []byte(text+"\n")

	for {
		block, after := pem.Decode(rest)
		if block == nil {
			return blocks > 0 && blocks == strings.Count(text, "-----BEGIN ")
		}

		var whole asn1.RawValue
		if trailing, err := asn1.Unmarshal(block.Bytes, &whole); err != nil || len(trailing) > 0 && block.Type != "TRUSTED CERTIFICATE" {
			return false
		}

		blocks, rest = blocks+1, after
	}
}
