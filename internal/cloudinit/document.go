package cloudinit

import (
	"fmt"
	"io"
)

// Header is the first line of every user-data document; cloud-init decides by
// it how the rest is read.
const Header = "#cloud-config"

// MaxUserDataBytes is what Proxmox reads of a snippet; the rest is silently cut
// off (PVE::QemuServer::Cloudinit, file_get_contents with 1 MiB).
const MaxUserDataBytes = 1 << 20

// A Document is the cloud-config of one machine. The zero value is an empty,
// valid document. Fields are in the order in which they are written; pointers
// are booleans for which "false" and "not said" differ: cloud-init's own default
// or the image's vendor configuration decides what is not said.
type Document struct {
	// Hostname is the short host name.
	Hostname string
	// FQDN is the full name. Without it cloud-init 22.4 takes the image's old name for it.
	FQDN string
	// PreferFQDNOverHostname makes FQDN the kernel's host name.
	PreferFQDNOverHostname *bool
	// PreserveHostname true makes cloud-init ignore Hostname altogether.
	PreserveHostname *bool
	// ManageEtcHosts is "localhost" (adds 127.0.1.1 once), "true" (rewrites
	// /etc/hosts at every boot), "false", or empty.
	ManageEtcHosts string

	// Users that are created. A list without [DefaultUser] suppresses the image's own default user.
	Users []User
	// SSHPasswordAuth is ssh_pwauth: whether sshd takes passwords.
	SSHPasswordAuth *bool
	// DisableRoot forbids root to log in by SSH.
	DisableRoot *bool
	// SSHAuthorizedKeys are the keys of the image's default user.
	SSHAuthorizedKeys []string
	// SSHDeleteKeys makes cloud-init remove the host keys that the image carries (its default is true).
	SSHDeleteKeys *bool
	// SSHGenKeyTypes are the host key types to generate, for example "ed25519".
	SSHGenKeyTypes []string

	// PackageUpdate refreshes the package lists at first boot.
	PackageUpdate *bool
	// PackageUpgrade upgrades all packages at first boot.
	PackageUpgrade *bool
	// Packages to install, by the distribution's names.
	Packages []string

	// Extra holds further top-level keys. Values are nil, bool, string, int, int64,
	// float64, []string, []any and map[string]any.
	Extra map[string]any

	// WriteFiles are written before users exist and packages are installed.
	WriteFiles []File
	// RunCmd are the last commands of the first boot, each an argument vector.
	// Only the status of the last one becomes cloud-init's own.
	RunCmd [][]string
	// FinalMessage is logged at the end.
	FinalMessage string

	// added is what Merge took from the user.
	added additions
}

// DefaultUser is the name that stands in Document.Users for the user that the
// image defines. Such a user is written as this one word.
const DefaultUser = "default"

// A User is an entry of users. Zero fields are left out.
type User struct {
	Name              string
	Gecos             string
	PrimaryGroup      string
	Groups            []string
	HomeDir           string
	Shell             string
	Sudo              string // A sudoers rule, for example "ALL=(ALL) NOPASSWD:ALL".
	LockPasswd        *bool
	HashedPasswd      string // A crypt(5) hash, never a password.
	SSHAuthorizedKeys []string
}

// A File is an entry of write_files.
type File struct {
	// Path is absolute.
	Path string
	// Permissions is the mode as an octal string, "0644". It must be a string:
	// an unquoted 0644 is the number 420 to YAML.
	Permissions string
	// Owner is "user:group"; empty is root:root. Another user needs Defer, since
	// files are written before users are created.
	Owner string
	// Content is UTF-8 text.
	Content string
	// Append adds to an existing file instead of replacing it.
	Append bool
	// Defer writes the file in the final stage, after users and packages.
	Defer bool
	// Constant marks content that comes from this program and not from the claim,
	// such as a script. It is not serialised; Fingerprint leaves the content out.
	Constant bool
}

// Format prints path and size only, whatever the verb: a file may hold a
// secret, and a file printed by accident must not show it.
func (f File) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, fmt.Sprint("file ", f.Path, " (", len(f.Content), " bytes)"))
}
