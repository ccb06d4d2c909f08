package cloudinit

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// command is a pattern of a program at the place of a command: at the beginning of a line, or behind what separates commands in a shell.
func command(program string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[;&|(]|\b(?:if|elif|while|until|then|else|do|sudo|exec|sh -c|bash -c|cloud-init-per\s+\S+\s+\S+)\s)[\s"']*(?:/(?:usr/)?s?bin/)?(?:` + program + `)(?:\s|;|$)`)
}

// installsPackages is apt-get at work.
//
//nolint:gochecknoglobals // A constant pattern.
var installsPackages = command(`(?:env\s+)?(?:[A-Z_]+=\S+\s+)*apt(?:-get)?\s+(?:-\S+\s+(?:\w+::\S+\s+)?)*(?:install|upgrade|dist-upgrade|full-upgrade|` +
	`remove|purge|autoremove)`)

// commandText is a command as a shell would have it: a text, or a list of a program and its arguments.
func commandText(item *yaml.Node) string {
	if item.Kind == yaml.ScalarNode {
		return item.Value
	}

	var words []string
	for _, word := range items(item) {
		words = append(words, word.Value)
	}

	return strings.Join(words, " ")
}
