package cloudinit

import (
	"regexp"
	"slices"
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

// anyCommand says whether a command below one of the keys of a document is one that is looked for.
func anyCommand(root *yaml.Node, is func(text string) bool, keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool {
		return slices.ContainsFunc(items(lookup(root, key)), func(item *yaml.Node) bool { return is(commandText(item)) })
	})
}

// containing is a command in which a name stands, as a part of a word, too.
func containing(name string) func(text string) bool {
	return func(text string) bool { return strings.Contains(text, name) }
}
