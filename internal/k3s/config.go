package k3s

import (
	"bytes"

	"go.yaml.in/yaml/v3"

	"github.com/crossplane/function-sdk-go/errors"
)

// config is K3s's config.yaml: first the keys of the claim's fields, in this
// order, then the additional keys in alphabetical order. The three keys of type any
// are fields that spec.k3s.config may override with another form.
type config struct {
	ClusterInit         bool           `yaml:"cluster-init,omitempty"`
	Server              string         `yaml:"server,omitempty"`
	TokenFile           string         `yaml:"token-file,omitempty"`
	NodeName            string         `yaml:"node-name"`
	NodeIP              any            `yaml:"node-ip,omitempty"`
	FlannelIface        any            `yaml:"flannel-iface,omitempty"`
	WriteKubeconfigMode any            `yaml:"write-kubeconfig-mode,omitempty"`
	TLSSANs             []string       `yaml:"tls-san,omitempty"`
	Disable             []string       `yaml:"disable,omitempty"`
	NodeLabels          []string       `yaml:"node-label,omitempty"`
	NodeTaints          []string       `yaml:"node-taint,omitempty"`
	Further             map[string]any `yaml:",inline"`
}

// configYAML returns /etc/rancher/k3s/config.yaml.
func (n Node) configYAML() (string, error) {
	own := config{
		TokenFile:    n.tokenFile(),
		NodeName:     n.NodeName,
		NodeIP:       unlessEmpty(n.NodeIP),
		FlannelIface: unlessEmpty(n.FlannelIface),
		NodeTaints:   n.Taints,
		Further:      make(map[string]any, len(n.Config)),
	}

	for _, key := range sortedKeys(n.Labels) {
		own.NodeLabels = append(own.NodeLabels, key+"="+n.Labels[key])
	}

	if n.Role.server() {
		own.WriteKubeconfigMode = "0600"
		own.TLSSANs = n.TLSSANs
		own.Disable = n.Disable
	}

	// A first server must not have a server to join; its bootstrap adds one if the cluster already runs.
	if own.ClusterInit = n.Role == RoleInit; !own.ClusterInit {
		own.Server = n.ServerURL
	}

	for key, value := range n.Config {
		switch key {
		case "node-ip":
			own.NodeIP = value
		case "flannel-iface":
			own.FlannelIface = value
		case "write-kubeconfig-mode":
			own.WriteKubeconfigMode = value
		default:
			own.Further[key] = wholeNumber(value)
		}
	}

	// A node's config.yaml is the same in each call, and writing YAML is an eighth of the garbage of a call.
	return textOf(configs, own, func() (string, error) { return toYAML(own) })
}

func toYAML(value any) (string, error) {
	const indent = 2

	var out bytes.Buffer

	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(indent)

	if err := errors.Join(encoder.Encode(value), encoder.Close()); err != nil {
		return "", errors.Wrap(err, "cannot write YAML")
	}

	return out.String(), nil
}

// unlessEmpty returns nil for an empty string, so that its key is left out.
func unlessEmpty(text string) any {
	if text == "" {
		return nil
	}

	return text
}

// wholeNumber converts a whole floating point number of JSON into an integer.
// ValidateConfig refuses other floating point numbers.
func wholeNumber(value any) any {
	if number, ok := value.(float64); ok {
		return int64(number)
	}

	return value
}
