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
)

// env returns the parameters of the bootstrap script as systemd's EnvironmentFile.
// The comment at the top of the script explains them.
func (n Node) env() (string, error) {
	installURL := n.InstallURL
	if installURL == "" {
		installURL = DefaultInstallURL(n.Version)
	}

	dataDir, _ := n.Config["data-dir"].(string)

	return envfile.Marshal(
		envfile.Variable{Name: "NODE_ROLE", Value: string(n.Role)},
		envfile.Variable{Name: "NODE_NAME", Value: n.NodeName},
		envfile.Variable{Name: EnvVersion, Value: n.Version},
		envfile.Variable{Name: EnvInstallURL, Value: installURL},
		envfile.Variable{Name: "INSTALL_SHA256", Value: n.InstallSHA256},
		envfile.Variable{Name: "RELEASE_URL", Value: n.ReleaseURL},
		envfile.Variable{Name: "BINARY_SHA256", Value: n.BinarySHA256},
		envfile.Variable{Name: "JOIN_URL", Value: n.ServerURL},
		envfile.Variable{Name: EnvTokenFile, Value: n.tokenFile()},
		envfile.Variable{Name: "DATA_DIR", Value: dataDir},
		// curl and the installer read these; the installer passes them on to K3s.
		envfile.Variable{Name: "HTTP_PROXY", Value: n.Proxy.HTTP},
		envfile.Variable{Name: "HTTPS_PROXY", Value: n.Proxy.HTTPS},
		envfile.Variable{Name: "NO_PROXY", Value: strings.Join(n.direct(), ",")},
	)
}
