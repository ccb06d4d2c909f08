// Package secretstore is what fetches secrets from OpenBao or Vault in the guest: a constant program with its unit, and its configuration.
//
// The program is a script for the Python that every image with cloud-init has, and not the agent of OpenBao or Vault: no distribution's archive
// has that, and it has no token to renew.
package secretstore

import (
	_ "embed" // The scripts.
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/machine"
)

// ConfigPath is the path of the file that says what to fetch.
const ConfigPath = "/etc/machine-secrets/config.json"

// Where the guest has what it logs in with, unless the claim names other files.
const (
	DefaultSecretIDFile    = configFolder + "secret-id"
	DefaultCertificateFile = configFolder + "tls.crt"
	DefaultKeyFile         = configFolder + "tls.key"
)

// Unit is the unit that fetches.
const Unit = "fetch-secrets.service"

// refreshUnit fetches again, and refreshTimer says when.
const (
	refreshUnit  = "fetch-secrets-refresh.service"
	refreshTimer = "fetch-secrets-refresh.timer"
)

// unitFolder has the units.
const unitFolder = "/etc/systemd/system/"

const (
	configFolder = "/etc/machine-secrets/"
	stateFolder  = "/var/lib/machine-secrets/"
	scriptPath   = "/usr/local/sbin/fetch-secrets"
	unitPath     = unitFolder + Unit
	root         = "root:root"
)

var (
	//go:embed scripts/fetch-secrets.py
	script string
	//go:embed scripts/fetch-secrets.service
	service string
	//go:embed scripts/fetch-secrets-refresh.service
	refreshService string
)

// A config is the content of the file at [ConfigPath]. The script reads it: an existing guest keeps the script and the file of its first boot.
type config struct {
	Address       string `json:"address"`
	CACertificate string `json:"caCertificate,omitempty"`
	Namespace     string `json:"namespace,omitempty"`
	Mount         string `json:"mount"`
	RoleID        string `json:"roleID,omitempty"`
	SecretIDFile  string `json:"secretIDFile,omitempty"`
	Wrapped       *bool  `json:"wrapped,omitempty"`
	TLS           *login `json:"tls,omitempty"` // In place of the three above.
	Refresh       string `json:"refresh,omitempty"`
	Files         []file `json:"files"`
}

// A login with a certificate.
type login struct {
	Role            string `json:"role,omitempty"`
	CertificateFile string `json:"certificateFile"`
	KeyFile         string `json:"keyFile"`
}

type file struct {
	Path    string   `json:"path"`
	Mount   string   `json:"mount"`
	Secret  string   `json:"secret"`
	Field   string   `json:"field"`
	Mode    string   `json:"mode"`
	Owner   string   `json:"owner"`
	Restart []string `json:"restart,omitempty"`
	Once    bool     `json:"once,omitempty"`
}

// Files returns the program, its unit and its configuration. Without a store there are none. It fails if the configuration cannot be
// marshalled.
func Files(s *machine.SecretStore) ([]cloudinit.File, error) {
	if s == nil {
		return nil, nil
	}

	c := config{
		Address: s.Address, CACertificate: s.CACertificate, Namespace: s.Namespace,
		Mount: s.Mount, Files: make([]file, 0, len(s.Files)),
	}

	if s.TLS != nil {
		c.TLS = new(login(*s.TLS))
	} else {
		c.RoleID, c.SecretIDFile, c.Wrapped = s.RoleID, s.SecretIDFile, &s.Wrapped
	}

	if s.Refresh > 0 {
		c.Refresh = s.Refresh.String()
	}

	for _, f := range s.Files {
		c.Files = append(c.Files, file(f))
	}

	content, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return nil, errors.Wrap(err, "cannot write "+ConfigPath)
	}

	out := []cloudinit.File{
		{Path: ConfigPath, Permissions: "0600", Owner: root, Content: string(content) + "\n"},
		{Path: scriptPath, Permissions: "0700", Owner: root, Content: script, Constant: true},
		{Path: unitPath, Permissions: "0644", Owner: root, Content: service, Constant: true},
	}

	if s.Refresh > 0 {
		out = append(out,
			cloudinit.File{Path: unitFolder + refreshUnit, Permissions: "0644", Owner: root, Content: refreshService, Constant: true},
			cloudinit.File{Path: unitFolder + refreshTimer, Permissions: "0644", Owner: root, Content: timer(s.Refresh), Constant: true},
		)
	}

	return out, nil
}

// timer says when to fetch again. It counts from the end of the last run, and from each start of the guest, which makes up for the time in which
// it was off: Persistent= would do nothing here, since it is for OnCalendar= alone. The delay spreads the guests of a site.
func timer(refresh time.Duration) string {
	return fmt.Sprintf(`[Unit]
Description=Fetch secrets from OpenBao or Vault again

[Timer]
OnBootSec=2min
OnUnitInactiveSec=%ds
RandomizedDelaySec=%ds
AccuracySec=1s

[Install]
WantedBy=timers.target
`, int(refresh.Seconds()), int(min(refresh/refreshSpread, time.Hour).Seconds()))
}

// refreshSpread is the part of the time between two refreshes by which one may be late.
const refreshSpread = 10

// Owned says whether a file belongs to the program; its configuration does not.
func Owned(path string) bool {
	return path == scriptPath || path == unitPath || path == unitFolder+refreshUnit || path == unitFolder+refreshTimer
}

// FirstCommands returns the commands that come before the user's, which find the files if the server has answered at once. The last one is for a
// guest that refreshes: it comes after the first fetch, whether that has succeeded or not.
func FirstCommands(refreshes bool) [][]string {
	out := [][]string{
		{"systemctl", "daemon-reload"},
		{"systemctl", "enable", Unit},
		{"systemctl", "start", Unit},
	}

	if refreshes {
		out = append(out, []string{"systemctl", "enable", "--now", refreshTimer})
	}

	return out
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

// Own says whether a path is in the folder of the program's configuration, where the files with which the guest logs in may be.
func Own(path string) bool { return strings.HasPrefix(path, configFolder) && path != ConfigPath }

// Reserve adds the paths that the machine's own cloud-config may not write: those of the program and the files that it fetches. The files
// with which it logs in are refused in a claim's cloud-config, since that is in Git.
func Reserve(rules cloudinit.Rules, s *machine.SecretStore) cloudinit.Rules {
	if s == nil {
		return rules
	}

	const advice = "it belongs to what fetches secrets; set spec.bootstrap.secretStore"

	rules.Reserved[configFolder] = advice
	rules.Reserved[stateFolder] = advice
	rules.Reserved[unitPath+".d/"] = advice

	if s.Refresh > 0 {
		rules.Reserved[unitFolder+refreshUnit+".d/"] = advice
		rules.Reserved[unitFolder+refreshTimer+".d/"] = advice
	}

	what := "the file of the secret id"
	if s.TLS != nil {
		what = "a file of the certificate with which the machine logs in"
	}

	for _, path := range s.LoginFiles() {
		rules.Reserved[path] = "it is " + what + ", which a snippet on the Proxmox node writes (spec.bootstrap.snippets.vendorData)"
	}

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

	had, has := before.byPath(), after.byPath()

	differs := func(f file) {
		switch {
		case reflect.DeepEqual(had[f.Path], has[f.Path]):
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
	out.Store = !reflect.DeepEqual(before, after)

	return out
}

// byPath returns the files by their paths, without what follows from the refresh.
func (c config) byPath() map[string]file {
	out := map[string]file{}

	for _, f := range c.Files {
		f.Once = false
		out[f.Path] = f
	}

	return out
}
