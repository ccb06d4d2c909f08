package cloudinit

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A shape is the only form that cloud-init takes of a key: its schemas have an object there, and its module passes over anything else, or fails at it.
type shape struct {
	key string
	// Example of the key, and what comes of another form; empty where nobody needs one.
	example, outcome string
}

// objects are the keys that must be an object. Those of which cloud-init takes former forms, too, such as rsyslog, are not among them.
var objects = []shape{ //nolint:gochecknoglobals // A constant table.
	{"ansible", "", ""},
	{"apt", "apt: {sources: {docker: {source: deb ...}}}", "cloud-init fails there, and adds no source of packages"},
	{"chef", "", ""},
	{"chpasswd", "chpasswd: {expire: false, users: [{name: app, password: ..., type: hash}]}", "no account gets a password"},
	{"disk_setup", "", ""},
	{"growpart", "growpart: {mode: auto, devices: [/]}", "the boot disk stays as small as the image in the guest"},
	{"keyboard", "keyboard: {layout: de}", "cloud-init fails there"},
	{"landscape", "", ""},
	{"lxd", "", ""},
	{"mcollective", "", ""},
	{"phone_home", "", ""},
	{"power_state", "power_state: {mode: reboot}", "the guest goes on"},
	{"puppet", "", ""},
	{"salt_minion", "", ""},
	{"snap", "snap: {commands: [snap install lxd]}", "cloud-init fails there"},
	{"ssh", "", ""},
	{"ssh_keys", "", ""},
	{"swap", "swap: {filename: /swap.img, size: 2G}", "there is no swap space"},
	{"wireguard", "", ""},
}

// doubtsOfShapes are about keys whose value has another form than cloud-init takes.
func (g Guest) doubtsOfShapes(root *yaml.Node, key string, value *yaml.Node, line int) []Doubt {
	// Nothing, and false, leave out what cloud-init does otherwise, as a person means it.
	if value.Tag == "!!null" || value.Kind == yaml.ScalarNode && slices.Contains(strings.Fields("false off no n"), strings.ToLower(value.Value)) {
		return nil
	}

	if i := slices.IndexFunc(objects, func(s shape) bool { return s.key == key }); i >= 0 && value.Kind != yaml.MappingNode && value.Kind != yaml.AliasNode {
		s := objects[i]

		text := fmt.Sprintf("line %d: %s must be an object, with anything else ", line, key)
		if s.example == "" {
			return []Doubt{{Text: text + "cloud-init does nothing there"}}
		}

		return []Doubt{{Text: text + s.outcome + ": write " + s.example}}
	}

	if lacks := doubtsOfLacks(key, value, line); len(lacks) > 0 {
		return lacks
	}

	switch key {
	case "apt":
		return doubtsOfSourceShapes(lookup(value, "sources"))
	case "growpart":
		return append(doubtsOfGrowing(lookup(value, "mode")), doubtsOfGrown(g.Disks, value)...)
	case "groups":
		return g.doubtsOfMembers(root, value)
	case "mounts":
		return doubtsOfMountShapes(value, line)
	case "ntp":
		return append(doubtsOfClient(value), doubtsOfIdleTime(value)...)
	case "power_state":
		return doubtsOfPower(value, g.StaysOn)
	case "swap":
		return doubtsOfSwap(value)
	case "users":
		return append(doubtsOfGroups(value), g.doubtsOfNumbers(value)...)
	}

	return nil
}

// doubtsOfSourceShapes are about sources of packages as lines: cloud-init ends with a TypeError, and configures nothing else of apt
// (add_apt_sources of cloudinit/config/cc_apt_configure.py).
func doubtsOfSourceShapes(sources *yaml.Node) []Doubt {
	const write = "cloud-init fails at it, and adds no source of packages: write sources: {docker: {source: deb ...}}"

	switch {
	case sources == nil || sources.Tag == "!!null" || sources.Kind == yaml.AliasNode:
		return nil
	case sources.Kind != yaml.MappingNode:
		return []Doubt{{Text: fmt.Sprintf("line %d: apt.sources must be an object with a name for each source: %s", sources.Line, write)}}
	}

	for i := 1; i < len(sources.Content); i += 2 {
		if n := sources.Content[i]; n.Kind != yaml.MappingNode && n.Kind != yaml.AliasNode {
			return []Doubt{{Text: fmt.Sprintf("line %d: apt.sources: each source must be an object: %s", n.Line, write)}}
		}
	}

	return nil
}

// doubtsOfGrowing are about modes of growpart that there are not: cloud-init ends with an error, and grows nothing.
func doubtsOfGrowing(mode *yaml.Node) []Doubt {
	if mode == nil || mode.Kind != yaml.ScalarNode || slices.Contains(strings.Fields("auto growpart gpart off false no n 0"), strings.ToLower(mode.Value)) {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: growpart.mode must be auto, growpart, gpart or off: at another word cloud-init fails, and the boot disk stays as small as the image in the guest", mode.Line)}}
}

// rootDevice is where the root file system of a machine may be: its boot disk is on a SCSI controller, and FreeBSD has names of its own.
var rootDevice = regexp.MustCompile(`^(?:/|/dev/sda[0-9]+|/dev/(?:root|disk/.+|mapper/.+|gpt/.+|ufs/.+|da0p[0-9]+))$`)

// doubtsOfGrown are about devices of growpart without the root file system, such as those of another hypervisor: cloud-init grows these alone.
func doubtsOfGrown(disks []Disk, growpart *yaml.Node) []Doubt {
	mode, devices := orNothing(lookup(growpart, "mode")), lookup(growpart, "devices")
	if devices == nil || devices.Tag == "!!null" || devices.Kind == yaml.AliasNode || len(disks) == 0 || isOff(mode) {
		return nil
	}

	if slices.ContainsFunc(append(items(devices), devices), func(n *yaml.Node) bool { return rootDevice.MatchString(n.Value) }) {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: growpart.devices has no device of the root file system, which stays as small as the image's, whatever spec.size.disk says: write devices: [/]", devices.Line)}}
}

// offBeside is what becomes of a guest that ends its first boot so, where the claim wants the machine running.
var offBeside = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"poweroff": "poweroff switches the guest off at the end of its first boot, and spec.power: Running has it started again, minutes later: write reboot, or spec.power: Unmanaged for a guest that is to stay off",
	"halt":     "halt stops the guest at the end of its first boot, and Proxmox goes on running its VM, so that nobody starts it again: write reboot, or poweroff beside spec.power: Unmanaged for a guest that is to stay off",
}

// doubtsOfPower are about words at which cloud-init fails, and the guest goes on (cloudinit/config/cc_power_state_change.py), and about an end of the guest
// beside a claim that wants it running.
func doubtsOfPower(power *yaml.Node, staysOn bool) []Doubt {
	mode, delay := orNothing(lookup(power, "mode")), orNothing(lookup(power, "delay"))

	line := mode.Line
	if line == 0 {
		line = power.Line
	}

	var out []Doubt

	if mode.Kind != yaml.AliasNode && !slices.Contains([]string{"reboot", "poweroff", "halt"}, mode.Value) {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: power_state.mode must be reboot, poweroff or halt: cloud-init fails there, and the guest goes on", line)})
	}

	if why := offBeside[mode.Value]; why != "" && staysOn && lookup(power, "condition") == nil {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: power_state.mode: %s", mode.Line, why)})
	}

	_, err := strconv.Atoi(strings.TrimSpace(delay.Value))
	if delay.Kind == yaml.ScalarNode && delay.Value != "now" && err != nil {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: power_state.delay must be now, or minutes without a unit, such as +5: cloud-init fails there, and the guest goes on", delay.Line)})
	}

	return out
}

// doubtsOfMountShapes are about mounts that are no list of lists: cloud-init passes over them (cloudinit/config/cc_mounts.py), and what is written there
// gets onto the boot disk.
func doubtsOfMountShapes(mounts *yaml.Node, line int) []Doubt {
	if mounts.Kind == yaml.SequenceNode {
		i := slices.IndexFunc(mounts.Content, func(n *yaml.Node) bool {
			return n.Kind == yaml.MappingNode || n.Kind == yaml.ScalarNode && n.Tag != "!!null"
		})
		if i < 0 {
			return nil
		}

		line = mounts.Content[i].Line
	} else if mounts.Kind == yaml.AliasNode {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: mounts must be a list of lists: cloud-init mounts nothing else, and what is written there gets onto the boot disk. "+
		"Write mounts: [[nas.lab:/srv, /srv, nfs, defaults]]; filesystem and mountPath of spec.disks mount a disk of the machine", line)}}
}

// doubtsOfClient are about programs for the time that cloud-init does not know: it fails, and configures none (cloudinit/config/cc_ntp.py).
func doubtsOfClient(ntp *yaml.Node) []Doubt {
	client := lookup(ntp, "ntp_client")
	known := strings.Fields("auto chrony ntp ntpdate openntpd systemd-timesyncd")

	if client == nil || client.Kind != yaml.ScalarNode || client.Value == "" || slices.Contains(known, client.Value) || lookup(ntp, "config") != nil {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: ntp.ntp_client is none that cloud-init knows, so that it fails there and configures no time server: write %s", client.Line, orList(known))}}
}

func orList(words []string) string {
	last := len(words) - 1

	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// sizeOfSwap is what cloud-init can read as a size (human2bytes of cloudinit/util.py).
var sizeOfSwap = regexp.MustCompile(`^(?:\d+(?:\.\d*)?|\.\d+)[KMGT]?B?$`)

const mebibyte = 1 << 20

// doubtsOfSwap are about swap files that cloud-init does not make: it says so in its log only.
func doubtsOfSwap(swap *yaml.Node) []Doubt {
	var out []Doubt

	if file := lookup(swap, "filename"); file != nil && file.Kind == yaml.ScalarNode && file.Value != "" && !strings.HasPrefix(file.Value, "/") {
		out = append(out, Doubt{Text: fmt.Sprintf("line %d: swap.filename must be an absolute path, otherwise there is no swap space: write /swap.img", file.Line)})
	}

	for _, key := range []string{"size", "maxsize"} {
		size := lookup(swap, key)
		if size == nil || size.Kind != yaml.ScalarNode || size.Value == "" || strings.EqualFold(size.Value, "auto") {
			continue
		}

		bytes, err := strconv.ParseInt(size.Value, 10, 64)

		switch {
		case err == nil && (bytes <= 0 || bytes >= mebibyte):
		case err == nil:
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: swap.%s is %d bytes, which make no swap space: write it with a unit, as %dM", size.Line, key, bytes, bytes)})
		case !sizeOfSwap.MatchString(size.Value):
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: swap.%s must be a number with K, M, G or T, such as 2G, or bytes: cloud-init cannot read it, and there is no swap space", size.Line, key)})
		}
	}

	return out
}
