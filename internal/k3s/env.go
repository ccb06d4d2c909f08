package k3s

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crossplane/function-sdk-go/errors"
)

// env returns the parameters of the bootstrap script as systemd's EnvironmentFile.
// The script's head says what they mean.
func (n Node) env() (string, error) {
	installURL := n.InstallURL
	if installURL == "" {
		installURL = DefaultInstallURL(n.Version)
	}

	dataDir, _ := n.Config["data-dir"].(string)

	var out strings.Builder

	for _, parameter := range []struct{ name, value string }{
		{"NODE_ROLE", string(n.Role)},
		{"NODE_NAME", n.NodeName},
		{"RELEASE", n.Version},
		{"INSTALL_URL", installURL},
		{"INSTALL_SHA256", n.InstallSHA256},
		{"JOIN_URL", n.ServerURL},
		{"TOKEN_FILE", n.tokenFile()},
		{"DATA_DIR", dataDir},
	} {
		if parameter.value == "" {
			continue
		}

		quoted, err := quoteEnv(parameter.value)
		if err != nil {
			return "", errors.Wrapf(err, "cannot write %s", parameter.name)
		}

		out.WriteString(parameter.name + "=" + quoted + "\n")
	}

	return out.String(), nil
}

// quoteEnv quotes a value for systemd's EnvironmentFile (systemd.exec(5)), in the
// part of its syntax that a shell reads alike. It returns an error, without the
// value, if the value is not one line of text.
func quoteEnv(value string) (string, error) {
	if !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl) {
		return "", errors.New("the value must be one line of text")
	}

	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_./:@%+,=-", r)
	}

	if value != "" && strings.TrimFunc(value, plain) == "" {
		return value, nil
	}

	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`).Replace(value) + `"`, nil
}
