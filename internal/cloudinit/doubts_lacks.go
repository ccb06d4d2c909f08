package cloudinit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A lack is a key that a module of cloud-init gives up without, as it reads it and whatever its schema says.
type lack struct {
	module string
	within string // A path of keys below the module, each an object or a list of objects; the key counts where one of them is there.
	key    string
	or     string   // Another key that does as well; empty for none.
	words  []string // The only values that the module takes; none for any.
	write  string
}

// lacks: cloudinit/config/cc_keyboard.py, cc_ansible.py (validate_config), cc_wireguard.py (supplemental_schema_validation) and cc_phone_home.py;
// canonical/cloud-init pull request 1579.
var lacks = []lack{ //nolint:gochecknoglobals // A constant table.
	{"keyboard", "", "layout", "", nil, "write keyboard: {layout: de}"},
	{"ansible", "", "package_name", "", nil, "write package_name: ansible"},
	{"ansible", "", "install_method", "", []string{"pip", "distro"}, "write install_method: distro"},
	{"ansible", "pull", "url", "", nil, "write the address of the repository"},
	{"ansible", "pull", "playbook_name", "playbook_names", nil, "write the file of the playbook in the repository, playbook_name: site.yml"},
	{"wireguard", "interfaces", "name", "", nil, "write name: wg0"},
	{"wireguard", "interfaces", "config_path", "", nil, "write config_path: /etc/wireguard/wg0.conf"},
	{"wireguard", "interfaces", "content", "", nil, "write the file of wg-quick there, with the private key from a file of spec.bootstrap.secrets or secretStore"},
	{"phone_home", "", "url", "", nil, "write the address that cloud-init posts to"},
}

// doubtsOfLacks are about modules that give up for a key that is missing, or has a word that they do not take.
func doubtsOfLacks(module string, value *yaml.Node, line int) []Doubt {
	if value.Kind != yaml.MappingNode {
		return nil
	}

	var out []Doubt

	for _, l := range lacks {
		if l.module != module {
			continue
		}

		for _, at := range l.places(value, line) {
			key := cmp.Or(lookup(at.object, l.key), lookup(at.object, l.or))

			switch {
			case key == nil || key.Tag == "!!null" || key.Kind == yaml.ScalarNode && key.Value == "":
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s has no %s, without which cloud-init fails there: %s", at.line, at.name, l.key, l.write)})
			case len(l.words) > 0 && key.Kind == yaml.ScalarNode && !slices.Contains(l.words, key.Value):
				out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s.%s must be %s, at another word cloud-init fails there: %s", key.Line, at.name, l.key, strings.Join(l.words, " or "), l.write)})
			}
		}
	}

	return out
}

type lackPlace struct {
	object *yaml.Node
	name   string
	line   int
}

// places are the objects in which the key belongs.
func (l lack) places(value *yaml.Node, line int) []lackPlace {
	if l.within == "" {
		return []lackPlace{{value, l.module, line}}
	}

	below := lookup(value, l.within)

	switch {
	case below == nil:
		return nil
	case below.Kind == yaml.MappingNode:
		return []lackPlace{{below, l.module + "." + l.within, below.Line}}
	}

	var out []lackPlace

	for i, one := range items(below) {
		if one.Kind == yaml.MappingNode {
			out = append(out, lackPlace{one, fmt.Sprintf("%s.%s[%d]", l.module, l.within, i), one.Line})
		}
	}

	return out
}

// doubtsOfIdleTime are about time servers beside the word that switches the module off.
func doubtsOfIdleTime(ntp *yaml.Node) []Doubt {
	on := lookup(ntp, "enabled")
	if on == nil || !isOff(on) || lookup(ntp, "servers") == nil && lookup(ntp, "pools") == nil {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: ntp.enabled is false, so that cloud-init passes over the servers beside it: remove one of the two", on.Line)}}
}
