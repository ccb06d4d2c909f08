package cloudinit

import (
	"fmt"
	"io"
)

// Header is the first line of every user-data document; it tells cloud-init the
// document's format.
const Header = "#cloud-config"

// MaxUserDataBytes is the maximum size of a snippet. Proxmox silently cuts off the
// rest (PVE::QemuServer::Cloudinit, file_get_contents with 1 MiB).
const MaxUserDataBytes = 1 << 20

// A Document is the cloud-config of one machine. The zero value is an empty,
// valid document. Fields are in the order of the output. Pointers
// are booleans for which false and unset differ: for an unset field, cloud-init's
// default or the image's vendor configuration applies.
type Document struct {
	// Hostname is the short host name.
	Hostname string
	// FQDN is the fully qualified name. Without it, cloud-init 22.4 uses the image's old name.
	FQDN string
	// PreferFQDNOverHostname makes FQDN the kernel's host name.
	PreferFQDNOverHostname *bool
	// PreserveHostname: true makes cloud-init ignore Hostname.
	PreserveHostname *bool
	// ManageEtcHosts is "localhost" (adds 127.0.1.1 once), "true" (rewrites
	// /etc/hosts at every boot), "false", or empty.
	ManageEtcHosts string

	// Users are the users to create. A list without [DefaultUser] suppresses the image's own default user.
	Users []User
	// SSHPasswordAuth is ssh_pwauth: true makes sshd accept passwords.
	SSHPasswordAuth *bool
	// DisableRoot prevents SSH logins as root.
	DisableRoot *bool
	// SSHAuthorizedKeys are the keys of the image's default user.
	SSHAuthorizedKeys []string
	// SSHDeleteKeys makes cloud-init remove the image's host keys (cloud-init's default is true).
	SSHDeleteKeys *bool
	// SSHGenKeyTypes are the host key types to generate, for example "ed25519".
	SSHGenKeyTypes []string

	// PackageUpdate refreshes the package lists at first boot.
	PackageUpdate *bool
	// PackageUpgrade upgrades all packages at first boot.
	PackageUpgrade *bool
	// Packages are the packages to install, by the distribution's names.
	Packages []string

	// Extra has additional top-level keys. Values are nil, bool, string, int, int64,
	// float64, []string, []any and map[string]any.
	Extra map[string]any

	// WriteFiles are the files that cloud-init writes before it creates users and installs packages.
	WriteFiles []File
	// FirstCommands are commands that run before the user's, each an argument vector.
	FirstCommands [][]string
	// RunCmd are the last commands of the first boot, each an argument vector.
	// The status of the last command becomes cloud-init's status.
	RunCmd [][]string
	// FinalMessage is the message that cloud-init logs at the end.
	FinalMessage string

	// added has the user's additions from Merge.
	added additions
}

// DefaultUser is the name in Document.Users for the image's own default
// user. Marshal writes such a user as this word.
const DefaultUser = "default"

// A User is an entry of users. Marshal leaves out zero fields.
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
	// Owner is "user:group"; empty means root:root. Another user needs Defer, because
	// cloud-init writes files before it creates users.
	Owner string
	// Content is UTF-8 text.
	Content string
	// Append adds to an existing file instead of replacing it.
	Append bool
	// Defer writes the file in the final stage, after users and packages.
	Defer bool
	// Constant marks content that is part of the function, not of the claim, such as
	// a script. Marshal does not write it; Fingerprint ignores the content.
	Constant bool
	// Secret marks content that must not be guessed from a fingerprint. Marshal does not write the mark; Fingerprint ignores the content.
	Secret bool
	// Since is the first release that writes the file; the zero value is the first release of all. Marshal does not write it;
	// Fingerprint ignores a later release's file, because no claim asked for it. See [Document.As].
	Since Release
	// Former is the content that releases before v0.2.0 wrote; empty where it is the same. Marshal does not write it; Fingerprint ignores
	// it. See [Document.As].
	Former string
}

// Format prints path and size only, for every verb, because a file may contain a
// secret, and a log must not show it.
func (f File) Format(state fmt.State, _ rune) {
	_, _ = io.WriteString(state, fmt.Sprint("file ", f.Path, " (", len(f.Content), " bytes)"))
}
