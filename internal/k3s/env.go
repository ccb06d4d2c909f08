package k3s

import (
	"strings"

	"github.com/homelab-io/function-proxmox-machine/internal/envfile"
)

// Variables of the file at [EnvPath] that say with what a node was created.
const (
	EnvVersion    = "RELEASE"
	EnvInstallURL = "INSTALL_URL"
	EnvTokenFile  = "TOKEN_FILE"
	EnvReport     = "REPORT"
	EnvTrust      = "TRUST_ON_FIRST_USE"
	EnvRestore    = "RESTORE_SNAPSHOT"
)

// env returns the parameters of the bootstrap script as systemd's EnvironmentFile.
// The comment at the top of the script explains them.
func (n Node) env() (string, error) {
	installURL := n.InstallURL
	if installURL == "" {
		installURL = DefaultInstallURL(n.Version)
	}

	dataDir, _ := n.Config["data-dir"].(string)

	variables := []envfile.Variable{
		{Name: "NODE_ROLE", Value: string(n.Role)},
		{Name: "NODE_NAME", Value: n.NodeName},
		{Name: EnvVersion, Value: n.Version},
		{Name: EnvInstallURL, Value: installURL},
		{Name: "INSTALL_SHA256", Value: n.InstallSHA256},
		{Name: "RELEASE_URL", Value: n.ReleaseURL},
		{Name: "BINARY_SHA256", Value: n.BinarySHA256},
		{Name: "JOIN_URL", Value: n.ServerURL},
		{Name: EnvTokenFile, Value: n.tokenFile()},
		{Name: "DATA_DIR", Value: dataDir},
		// curl and the installer read these; the installer passes them on to K3s.
		{Name: "HTTP_PROXY", Value: n.Proxy.HTTP},
		{Name: "HTTPS_PROXY", Value: n.Proxy.HTTPS},
		{Name: "NO_PROXY", Value: strings.Join(n.direct(), ",")},
	}

	// Not written otherwise, so that the parameters of existing nodes are as they were.
	if n.Silent {
		variables = append(variables, envfile.Variable{Name: EnvReport, Value: "None"})
	}

	// The first server takes a short token anyway.
	if n.TrustOnFirstUse && n.Role != RoleInit {
		variables = append(variables, envfile.Variable{Name: EnvTrust, Value: "true"})
	}

	if n.Restore != "" {
		variables = append(variables, envfile.Variable{Name: EnvRestore, Value: n.Restore})
	}

	return envfile.Marshal(variables...)
}
