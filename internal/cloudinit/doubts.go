package cloudinit

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// TopKeys are the keys that cloud-init has at the top of a cloud-config, in one of the releases from 22.4 to 26.2, or had before and still takes: its
// schemas cloudinit/config/schemas/schema-cloud-config-v1.json, and config/cc_apt_configure.py for the old keys of apt.
func TopKeys() []string {
	return strings.Fields(`
allow_public_ssh_keys ansible apk_repos apt apt_pipelining apt_reboot_if_required apt_update apt_upgrade authkey_hash bootcmd byobu_by_default ca-certs
ca_certs chef chpasswd cloud_config_modules cloud_final_modules cloud_init_modules create_hostname_file device_aliases disable_ec2_metadata disable_root
disable_root_opts disk_setup drivers fan final_message fqdn fs_setup groups growpart grub-dpkg grub_dpkg hostname keyboard landscape launch-index locale
locale_configfile lxd manage_etc_hosts manage_resolv_conf mcollective merge_how merge_type migrate mount_default_fields mounts no_ssh_fingerprints ntp
output package_reboot_if_required package_update package_upgrade packages password phone_home power_state prefer_fqdn_over_hostname preserve_hostname
puppet random_seed reporting resize_rootfs resolv_conf rh_subscription rpi rsyslog runcmd salt_minion snap spacewalk ssh ssh_authorized_keys
ssh_deletekeys ssh_fp_console_blacklist ssh_genkeytypes ssh_import_id ssh_key_console_blacklist ssh_keys ssh_publish_hostkeys ssh_pwauth
ssh_quiet_keygen swap system_info timezone ubuntu_advantage ubuntu_pro updates user users vendor_data version wireguard write_files yum_repo_dir
yum_repos zypper
apt_custom_sources_list apt_ftp_proxy apt_http_proxy apt_https_proxy apt_mirror apt_mirror_search apt_mirror_search_dns apt_preserve_sources_list apt_proxy
apt_sources cloud_dir datasource datasource_list debconf_selections debug def_log_file log_cfgs network syslog_fix_perms
unverified_modules warnings`)
}

// otherKeys are keys of other programs' files, and what they are about.
var otherKeys = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"autoinstall": "is for the installer of Ubuntu, which a cloud image does not run: write its parts as cloud-config, such as packages and runcmd",
	"meta-data":   "is a file of its own: the machine's meta-data are spec.hostname and spec.bootstrap.snippets.metaData",
	"user-data":   "is the name of this document: move what is below it to the left",
	"user_data":   "is the name of this document: move what is below it to the left",
	"userdata":    "is the name of this document: move what is below it to the left",
}

var topKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,40}$`)

// A Doubt is about something that cloud-init passes over in a cloud-config, or gives up on.
type Doubt struct {
	Text string
	// Unknown is a key that cloud-init does not have, and that may be a typing error; empty for any other doubt.
	Unknown string
}

// A Guest is what a cloud-config finds on its machine.
type Guest struct {
	// Account that the machine has in place of the image's default user; empty where the default user exists.
	Account string
	// Default is the image's default user, and Has says whether the image has another account. Empty and nil where nobody knows its accounts.
	Default string
	Has     func(account string) bool
	// HasGroup says whether the image has a group that is not an account's; nil where nobody knows its groups.
	HasGroup func(group string) bool
	// Disks are those of the machine, the boot disk first; none where nobody knows.
	Disks []Disk
	// Mounted are those of its disks that the guest mounts by itself, known or not what else it has.
	Mounted []Disk
	// Fixed says that all addresses of the machine are.
	Fixed bool
	// BrokenKey says what is wrong with a public SSH key; nil for nothing.
	BrokenKey func(key string) string
	// StaysOn says that the machine is to run, whoever switches it off.
	StaysOn bool
	// Bootstrap comes after the user's runcmd.
	Bootstrap Bootstrap
}

// Doubts are what cloud-init passes over in a user's cloud-config, or gives up on, in the order of its lines, without values. What is no cloud-config has
// none: see [ParseUserData].
func (p Parsed) Doubts(guest Guest) []Doubt {
	if p.document == nil || len(p.document.Content) == 0 || p.document.Content[0].Kind != yaml.MappingNode {
		return nil
	}

	root := p.document.Content[0]

	var out []Doubt

	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]

		if why, unknown := doubtOfKey(key.Value); why != "" {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s", key.Line, why), Unknown: unknown})
		}

		if why := guest.doubtOfModule(root, key.Value, value); why != "" {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: %s", key.Line, why)})
		}

		out = append(out, doubtsOfSecrets(key.Value, value)...)
		out = append(out, doubtsOfTemplates(root, key.Value, value)...)
		out = append(out, guest.doubtsOfShapes(root, key.Value, value, key.Line)...)

		switch key.Value {
		case keyWriteFiles:
			out = append(out, doubtsOfFiles(value)...)
			out = append(out, guest.doubtsOfOwners(root, value)...)
			out = append(out, guest.doubtsOfPaths(root, value)...)
			out = append(out, guest.doubtsOfWritten(root, value)...)
			out = append(out, guest.Bootstrap.doubtsOfRestarts(value)...)
		case "runcmd", "bootcmd":
			out = append(out, guest.doubtsOfCommands(key.Value, root, value)...)
		case "packages":
			out = append(out, guest.doubtsOfPackages(root, value)...)
			out = append(out, guest.doubtsOfFolders(value)...)
		case "apt":
			out = append(out, slices.Concat(guest.doubtsOfSources(root, value), doubtsOfProxies(value), doubtsOfMirrors(value))...)
			out = append(out, guest.Bootstrap.doubtsOfAptRestarts(value)...)
		case "users":
			out = append(out, slices.Concat(doubtsOfPasswords(value), doubtsOfSudo(value), doubtsOfHomes(value), doubtsOfLoginShells(guest, root, value))...)
			out = append(out, slices.Concat(guest.doubtsOfTakenNames(root, value), doubtsOfKeys(guest, key.Value, value))...)
		case "ssh_authorized_keys":
			out = append(out, doubtsOfKeys(guest, key.Value, value)...)
		case "chpasswd":
			out = append(out, guest.doubtsOfNewPasswords(root, value, key.Line)...)
		case "ntp":
			out = append(out, doubtsOfTime(value, key.Line)...)
		case "ca_certs", "ca-certs":
			out = append(out, doubtsOfAuthorities(value)...)
		case "disk_setup", "fs_setup":
			out = append(out, guest.doubtsOfDisks(key.Value, value)...)
		case "mounts":
			out = append(out, slices.Concat(guest.doubtsOfDisks(key.Value, value), guest.doubtsOfNetworkMounts(root, value))...)
		case "ssh_import_id":
			out = append(out, guest.doubtsOfImports(root, key.Line)...)
		}
	}

	return out
}

// doubtsOfImports of keys for the image's default user, which a machine with an account of its own does not have.
func (g Guest) doubtsOfImports(root *yaml.Node, line int) []Doubt {
	if g.Account == "" || hasDefault(root) {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: ssh_import_id has no effect: it is for the image's default user, in place of which the machine has spec.bootstrap.adminUser. "+
		"Write the keys into spec.bootstrap.sshAuthorizedKeys, or ssh_import_id at an account in users", line)}}
}

func doubtOfKey(name string) (why, unknown string) {
	switch about, other := otherKeys[name]; {
	case other:
		return name + " " + about, ""
	case slices.Contains(TopKeys(), name), strings.HasPrefix(name, "x-"), strings.HasPrefix(name, "x_"), !topKey.MatchString(name), FindSecret(name) != "":
		return "", ""
	}

	return "cloud-init has no key " + name + ", and passes over it", name
}

// encodings of write_files, in lower case (cloudinit/config/cc_write_files.py).
var encodings = strings.Fields("gz gzip gz+b64 gzip+b64 gz+base64 gzip+base64 b64 base64 text/plain") //nolint:gochecknoglobals // A constant list.

func doubtsOfFiles(files *yaml.Node) []Doubt {
	var out []Doubt

	for i, file := range files.Content {
		var f struct {
			Content  yaml.Node `yaml:"content"`
			Encoding string    `yaml:"encoding"`
		}

		if file.Kind != yaml.MappingNode || file.Decode(&f) != nil {
			continue
		}

		encoding := strings.ToLower(strings.TrimSpace(f.Encoding))
		at := fmt.Sprintf("line %d: write_files[%d]", file.Line, i)
		first, _, _ := strings.Cut(f.Content.Value, "\n")

		switch {
		case encoding == "" && strings.HasPrefix(first, "#!") && strings.HasSuffix(first, "\r"):
			// canonical/cloud-init issue 2183.
			out = append(out, Doubt{Text: at + ".content has the line ends of Windows, with which the guest does not find the script's interpreter: save it with the line ends of Linux"})
		case encoding == "":
		case !slices.Contains(encodings, encoding):
			out = append(out, Doubt{Text: at + ".encoding: cloud-init has no such encoding, and writes the content as it is; it has base64, gzip and gz+base64"})
		case strings.HasSuffix(encoding, "64") && !isBase64(f.Content.Value):
			out = append(out, Doubt{Text: at + ".content is not base64, as encoding says: cloud-init gives up, and writes no further file"})
		case strings.HasPrefix(encoding, "gz") && f.Content.Value != "" && f.Content.Tag != "!!binary" && !isPacked(encoding, f.Content.Value):
			out = append(out, Doubt{Text: at + ".content is not what gzip makes, as encoding says, and which no text can be: cloud-init gives up, and writes no further file. " +
				"Write encoding: gz+base64 for a packed file in base64, or leave encoding out"})
		}
	}

	return out
}

func isBase64(text string) bool {
	_, is := unbase64(text)

	return is
}

// isPacked says whether a content that is base64, as its encoding says, has the first signs of gzip (RFC 1952, 2.3.1).
func isPacked(encoding, text string) bool {
	packed, is := unbase64(text)

	return strings.HasSuffix(encoding, "64") && is && strings.HasPrefix(string(packed), "\x1f\x8b")
}

func unbase64(text string) (content []byte, is bool) {
	content, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))

	return content, err == nil
}
