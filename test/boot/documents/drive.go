package documents

import (
	"crypto/sha1" //nolint:gosec // What Proxmox makes an instance id with.
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
)

// Drive holds the four files of the cloud-init drive (label cidata) that Proxmox makes for a Linux VM: each is the
// snippet that the VM names or what Proxmox generates, chosen independently.
// Source: PVE/QemuServer/Cloudinit.pm of qemu-server, generate_nocloud.
type Drive struct {
	UserData      string
	MetaData      string
	NetworkConfig string
	VendorData    string

	// Secrets are those that stand in one of the files on purpose.
	Secrets []string
}

// hostNameServer is what the node's own resolv.conf says, which Proxmox hands on to a VM without a name server.
const hostNameServer = "192.168.4.1"

// maxDriveBytes is the limit of Proxmox for the sum of all files.
const maxDriveBytes = 3 << 20

// ErrNoDrive says that a machine has no cloud-init.
var ErrNoDrive = errors.New("the VM has no cloud-init drive")

// Drive is what the node makes of the VM, with its rendered snippets and those that lie in the folder "snippets" beside
// the claim.
func (m Machine) Drive() (Drive, error) {
	d := Drive{}

	if At(m.VM, "initialization", "0") == nil {
		return d, ErrNoDrive
	}

	secrets, err := m.secrets()
	if err != nil {
		return d, err
	}

	d.Secrets = secrets

	for field, file := range map[string]*string{
		"userDataFileId": &d.UserData, "metaDataFileId": &d.MetaData, "vendorDataFileId": &d.VendorData, "networkDataFileId": &d.NetworkConfig,
	} {
		id := Text(m.VM, "initialization", "0", field)
		if id == "" {
			continue
		}

		if *file, err = m.snippet(id, &d); err != nil {
			return d, err
		}
	}

	if d.UserData == "" {
		d.UserData = nativeUserData(m.VM)
	}

	if d.NetworkConfig == "" {
		if d.NetworkConfig, err = networkConfig(m.VM); err != nil {
			return d, err
		}
	}

	if d.MetaData == "" {
		d.MetaData = fmt.Sprintf("instance-id: %x\n", sha1.Sum([]byte(d.UserData+d.NetworkConfig))) //nolint:gosec // As above.
	}

	if n := len(d.UserData) + len(d.NetworkConfig) + len(d.MetaData) + len(d.VendorData); n > maxDriveBytes {
		return d, fmt.Errorf("the files of the drive have %d bytes, and Proxmox takes %d", n, maxDriveBytes)
	}

	return d, nil
}

// Placeholders of the snippets in the examples, and what a user puts in.
const (
	exampleHash     = "1c6ebd2b4f64c7c3a9de2bdb9a66a1d6c1f0d7a3e7a9b8c5d4e3f2a1b0c9d8e7"
	examplePassword = "put-in-by-hand-not-a-token"
)

func (m Machine) snippet(id string, d *Drive) (string, error) {
	if content, ok := m.Snippets[id]; ok {
		return content, nil
	}

	name := id[strings.LastIndex(id, "/")+1:]
	host := strings.TrimSuffix(name[strings.LastIndex(name, "-server-")+len("-server-"):], ".yaml")

	content, err := os.ReadFile(filepath.Join(m.Folder, "snippets", name))
	if errors.Is(err, os.ErrNotExist) {
		content, err = os.ReadFile(filepath.Join(m.Folder, "snippets", strings.Replace(name, host, "EXAMPLE", 1)))
	}

	if err != nil {
		return "", fmt.Errorf("the claim names a snippet %s that is neither rendered nor an example: %w", id, err)
	}

	d.Secrets = append(d.Secrets, examplePassword)

	return strings.NewReplacer("<hash>", exampleHash, "<password>", examplePassword, "<host>", host,
		"<token>", "K10"+exampleHash+"::server:"+examplePassword, "AAAA... you@home", exampleKey).Replace(string(content)), nil
}

// exampleKey is a public key whose private half nobody has.
const exampleKey = "AAAAC3NzaC1lZDI1NTE5AAAAIJ4yyXq0Hn7d2M0b5xw1lVxJXr5m1m2oYv2m0uX0exam you@home"

// secrets are the values of the Secrets beside the claim.
func (m Machine) secrets() ([]string, error) {
	file := filepath.Join(m.Folder, "secrets.yaml")
	if _, err := os.Stat(file); err != nil {
		return nil, nil //nolint:nilerr // Most claims need none.
	}

	objects, err := manifests(file)
	if err != nil {
		return nil, err
	}

	values := []string{}

	for _, o := range objects {
		data, _ := o["stringData"].(map[string]any)
		for key := range data {
			values = append(values, Text(data, key))
		}
	}

	return values, nil
}

// nativeUserData is what Proxmox generates from the VM's own settings, where no snippet takes its place.
func nativeUserData(vm map[string]any) string {
	lines := []string{"#cloud-config"}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }

	name, domain, hasDomain := strings.Cut(Text(vm, "name"), ".")
	if !hasDomain {
		domain = Text(vm, "initialization", "0", "dns", "0", "domain")
	}

	add("hostname: %s", name)
	add("manage_etc_hosts: true")

	if domain != "" {
		add("fqdn: %s.%s", name, domain)
	}

	account := At(vm, "initialization", "0", "userAccount", "0")

	user := Text(account, "username")
	if user != "" {
		add("user: %s", user)
	}

	if keys := Texts(account, "keys"); len(keys) > 0 {
		add("ssh_authorized_keys:")

		for _, key := range keys {
			add("  - %s", key)
		}
	}

	add("chpasswd:")
	add("  expire: False")
	add("users:")
	add("  - default")

	if At(vm, "initialization", "0", "upgrade") != false {
		add("package_upgrade: true")
	}

	return strings.Join(lines, "\n") + "\n"
}

// MAC is the hardware address of a VM's network device. Proxmox makes one up, from its own range, for a device without.
func MAC(vm map[string]any, index int) string {
	if mac := Text(vm, "networkDevice", fmt.Sprint(index), "macAddress"); mac != "" {
		return strings.ToLower(mac)
	}

	return fmt.Sprintf("bc:24:11:00:00:%02x", index+1)
}

// networkConfig is version 1, with an interface ethN for each network device that has an ipConfig.
func networkConfig(vm map[string]any) (string, error) {
	lines := []string{"version: 1", "config:"}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }

	for i, config := range List(vm, "initialization", "0", "ipConfig") {
		add("    - type: physical")
		add("      name: eth%d", i)
		add("      mac_address: '%s'", MAC(vm, i))
		add("      subnets:")

		switch address := Text(config, "ipv4", "0", "address"); address {
		case "":
		case "dhcp":
			add("      - type: dhcp4")
		default:
			ip, network, err := net.ParseCIDR(address)
			if err != nil {
				return "", fmt.Errorf("cannot make a network-config: %w", err)
			}

			add("      - type: static")
			add("        address: '%s'", ip)
			add("        netmask: '%s'", net.IP(network.Mask))
			addGateway(add, Text(config, "ipv4", "0", "gateway"))
		}

		switch address := Text(config, "ipv6", "0", "address"); address {
		case "":
		case "dhcp":
			add("      - type: dhcp6")
		case "auto":
			add("      - type: ipv6_slaac")
		default:
			add("      - type: static6")
			add("        address: '%s'", address)
			addGateway(add, Text(config, "ipv6", "0", "gateway"))
		}
	}

	servers := Texts(vm, "initialization", "0", "dns", "0", "servers")
	if len(servers) == 0 {
		servers = []string{hostNameServer}
	}

	add("    - type: nameserver")
	add("      address:")

	for _, server := range servers {
		add("      - '%s'", server)
	}

	if domain := Text(vm, "initialization", "0", "dns", "0", "domain"); domain != "" {
		add("      search:")

		for d := range strings.FieldsSeq(domain) {
			add("      - '%s'", d)
		}
	}

	return strings.Join(lines, "\n") + "\n", nil
}

func addGateway(add func(string, ...any), gateway string) {
	if gateway != "" {
		add("        gateway: '%s'", gateway)
	}
}
