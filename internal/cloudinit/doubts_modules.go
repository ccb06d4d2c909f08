package cloudinit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// zoneOfMap is a time zone as Debian and Ubuntu have it in tzdata: a part of the world and a place, or UTC. Since Debian 13 and Ubuntu 24.04 all others,
// such as US/Eastern and Japan, are in the package tzdata-legacy (canonical/cloud-init issue 6495, systemd/systemd pull request 39007).
var zoneOfMap = regexp.MustCompile(`^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)/[A-Za-z0-9_+/-]+$`)

// plainZones are those without a part of the world that images have.
var plainZones = strings.Fields("UTC GMT CET CST6CDT EET EST EST5EDT HST MET MST MST7MDT PST8PDT WET Factory localtime") //nolint:gochecknoglobals // A constant list.

// doubtOfZone is about a time zone that there is no file of: the module fails, and the guest stays with UTC.
func doubtOfZone(zone *yaml.Node) string {
	if zone.Kind != yaml.ScalarNode || zone.Value == "" || zoneOfMap.MatchString(zone.Value) || slices.Contains(plainZones, zone.Value) {
		return ""
	}

	return "timezone is none that Ubuntu 24.04, Debian 13 and later ones have, so that cloud-init fails there, and the guest stays with UTC: write a part of the world and a place, such as Europe/Berlin or America/New_York"
}

// serverOfTime is the address of a time server with a scheme or a path, as no program for it takes one.
var serverOfTime = regexp.MustCompile(`://|/`)

// doubtsOfTime are about ntp as other tools have it: cloud-init gives up at anything but an object (cloudinit/config/cc_ntp.py).
func doubtsOfTime(ntp *yaml.Node, line int) []Doubt {
	if ntp.Kind == yaml.SequenceNode || ntp.Kind == yaml.ScalarNode && ntp.Tag == "!!str" {
		return []Doubt{{Text: fmt.Sprintf("line %d: ntp must be an object, at anything else cloud-init fails: write ntp: {servers: [0.pool.ntp.org]}", line)}}
	}

	var out []Doubt

	for _, key := range []string{"servers", "pools"} {
		if one := lookup(ntp, key); one != nil && one.Kind == yaml.ScalarNode && one.Tag == "!!str" {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: ntp.%s must be a list, cloud-init takes each letter of a text for a server: write it in brackets", one.Line, key)})
		}

		for i, server := range items(lookup(ntp, key)) {
			if serverOfTime.MatchString(server.Value) {
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: ntp.%s[%d] must be a name or an address alone: no time comes from it otherwise", server.Line, key, i)})
			}
		}
	}

	return out
}

// doubtsOfAuthorities are about certificates by their path, and those that are cut off: cloud-init writes what is in trusted into a file, and the guest trusts
// nobody by it (cloudinit/config/cc_ca_certs.py).
func doubtsOfAuthorities(certs *yaml.Node) []Doubt {
	trusted := lookup(certs, "trusted")

	list := items(trusted)
	if trusted != nil && trusted.Kind == yaml.ScalarNode {
		list = []*yaml.Node{trusted}
	}

	var out []Doubt

	for i, cert := range list {
		switch {
		case cert.Kind != yaml.ScalarNode || cert.Value == "" || strings.Contains(cert.Value, "{{"):
		case strings.Contains(cert.Value, "-----BEGIN") && !isWholePEM(cert.Value):
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: ca_certs.trusted[%d] is not whole: it is cut off, or its lines are run together, and the guest does not trust it. Write - | and below it "+
				"the whole file, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----", cert.Line, i)})
		case !strings.Contains(cert.Value, "-----BEGIN"):
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: ca_certs.trusted[%d] must be the certificate itself, from -----BEGIN CERTIFICATE----- on: cloud-init does not read it from a path or an "+
				"address, and the guest does not trust it", cert.Line, i)})
		}
	}

	return out
}
