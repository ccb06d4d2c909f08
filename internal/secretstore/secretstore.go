// Package secretstore is what fetches secrets from OpenBao or Vault in the guest: a constant program with its unit, and its configuration.
//
// The program is a script for the Python that every image with cloud-init has, and not the agent of OpenBao or Vault: no distribution's archive
// has that, and nothing has to be renewed after the first boot.
package secretstore

import (
	_ "embed" // The scripts.
	"encoding/json"
	"slices"
	"strings"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// ConfigPath is the path of the file that says what to fetch.
const ConfigPath = "/etc/machine-secrets/config.json"

// DefaultSecretIDFile is where the guest has its secret id, unless the claim names another file.
const DefaultSecretIDFile = configFolder + "secret-id"

// Unit is the unit that fetches.
const Unit = "fetch-secrets.service"

const (
	configFolder = "/etc/machine-secrets/"
	stateFolder  = "/var/lib/machine-secrets/"
	scriptPath   = "/usr/local/sbin/fetch-secrets"
	unitPath     = "/etc/systemd/system/" + Unit
	root         = "root:root"
)

var (
	//go:embed scripts/fetch-secrets.py
	script string
	//go:embed scripts/fetch-secrets.service
	service string
)

// A config is the content of the file at [ConfigPath]. The script reads it: an existing guest keeps the script and the file of its first boot.
type config struct {
	Address       string `json:"address"`
	CACertificate string `json:"caCertificate,omitempty"`
	Namespace     string `json:"namespace,omitempty"`
	Mount         string `json:"mount"`
	RoleID        string `json:"roleID"`
	SecretIDFile  string `json:"secretIDFile"`
	Wrapped       bool   `json:"wrapped"`
	Files         []file `json:"files"`
}

type file struct {
	Path   string `json:"path"`
	Mount  string `json:"mount"`
	Secret string `json:"secret"`
	Field  string `json:"field"`
	Mode   string `json:"mode"`
	Owner  string `json:"owner"`
}

// Files returns the program, its unit and its configuration. Without a store there are none. It fails if the configuration cannot be
// marshalled.
func Files(s *machine.SecretStore) ([]cloudinit.File, error) {
	if s == nil {
		return nil, nil
	}

	c := config{
		Address: s.Address, CACertificate: s.CACertificate, Namespace: s.Namespace,
		Mount: s.Mount, RoleID: s.RoleID, SecretIDFile: s.SecretIDFile, Wrapped: s.Wrapped, Files: make([]file, 0, len(s.Files)),
	}

	for _, f := range s.Files {
		c.Files = append(c.Files, file(f))
	}

	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, errors.Wrap(err, "cannot write "+ConfigPath)
	}

	return []cloudinit.File{
		{Path: ConfigPath, Permissions: "0600", Owner: root, Content: string(content) + "\n"},
		{Path: scriptPath, Permissions: "0700", Owner: root, Content: script, Constant: true},
		{Path: unitPath, Permissions: "0644", Owner: root, Content: service, Constant: true},
	}, nil
}

// Owned says whether a file belongs to the program; its configuration does not.
func Owned(path string) bool { return path == scriptPath || path == unitPath }

// FirstCommands returns the commands that come before the user's, which find the files if the server has answered at once.
func FirstCommands() [][]string {
	return [][]string{
		{"systemctl", "daemon-reload"},
		{"systemctl", "enable", Unit},
		{"systemctl", "start", Unit},
	}
}

// LastCommands returns the command with which the first boot ends, because its status becomes cloud-init's.
func LastCommands() [][]string {
	return [][]string{{"systemctl", "is-active", "--quiet", Unit}}
}

// LastCommandsAfter returns one command in place of the last ones of other units, which succeeds if all do.
func LastCommandsAfter(others [][]string) [][]string {
	all := make([]string, 0, len(others)+1)
	for _, c := range append(slices.Clone(others), LastCommands()...) {
		all = append(all, strings.Join(c, " "))
	}

	return [][]string{{"sh", "-c", strings.Join(all, " && ")}}
}

// Own says whether a path is in the folder of the program's configuration, where the file of the secret id may be.
func Own(path string) bool { return strings.HasPrefix(path, configFolder) && path != ConfigPath }

// Reserve adds the paths that the machine's own cloud-config may not write: those of the program and the files that it fetches. The file of
// the secret id is refused in a claim's cloud-config, since that is in Git.
func Reserve(rules cloudinit.Rules, s *machine.SecretStore) cloudinit.Rules {
	if s == nil {
		return rules
	}

	const advice = "it belongs to what fetches secrets; set spec.bootstrap.secretStore"

	rules.Reserved[configFolder] = advice
	rules.Reserved[stateFolder] = advice
	rules.Reserved[unitPath+".d/"] = advice
	rules.Reserved[s.SecretIDFile] = "it is the file of the secret id, which a snippet on the Proxmox node writes (spec.bootstrap.snippets.vendorData)"

	for _, f := range s.Files {
		rules.Reserved[f.Path] = "the guest fetches this file: see spec.bootstrap.secretStore.files"
	}

	return rules
}

// A Change is what differs between two configurations.
type Change struct {
	// Token: the source of the K3s token, and nothing else of the file in which the node has it.
	Token bool
	// Files are the paths of files that are fetched in one of them only, or from another place.
	Files []string
	// Store: the server, or the login.
	Store bool
}

// Compare says what differs between two configurations. tokenFile is the path of the K3s token, empty without K3s. A configuration that
// cannot be read, and an empty one, is one without files.
func Compare(was, is, tokenFile string) Change {
	var (
		out    Change
		before config
		after  config
	)

	_, _ = json.Unmarshal([]byte(was), &before), json.Unmarshal([]byte(is), &after)

	had, has := map[string]file{}, map[string]file{}
	for _, f := range before.Files {
		had[f.Path] = f
	}

	for _, f := range after.Files {
		has[f.Path] = f
	}

	differs := func(f file) {
		switch {
		case had[f.Path] == has[f.Path]:
		case f.Path == tokenFile:
			out.Token = true
		default:
			out.Files = append(out.Files, f.Path)
		}
	}

	for _, f := range before.Files {
		differs(f)
	}

	for _, f := range after.Files {
		if _, both := had[f.Path]; !both {
			differs(f)
		}
	}

	before.Files, after.Files = nil, nil
	out.Store = !equal(before, after)

	return out
}

func equal(a, b config) bool {
	return a.Address == b.Address && a.CACertificate == b.CACertificate && a.Namespace == b.Namespace && a.Mount == b.Mount &&
		a.RoleID == b.RoleID && a.SecretIDFile == b.SecretIDFile && a.Wrapped == b.Wrapped
}
