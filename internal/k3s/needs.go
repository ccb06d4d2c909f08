package k3s

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Need is what a key of a config needs in the guest before K3s starts, and what nobody is known to bring.
type Need struct {
	Key string
	// File that has to be there; empty for anything else.
	File string
	// What has to be there, in words.
	What string
}

// ofImages are folders that images fill: a file in one of them is probably there.
var ofImages = []string{"/etc/resolv.conf", "/run/", "/usr/", "/etc/ssl/", "/etc/pki/"} //nolint:gochecknoglobals // A constant list.

// Needs are what the keys of a config need in the guest, sorted by key. brought says whether somebody is known to write a file.
func Needs(config map[string]any, brought func(file string) bool) []Need {
	var out []Need

	for _, key := range sortedKeys(config) {
		e := effects[key]

		value, _ := config[key].(string)
		if e.File == FileValue && isCleanPath(value) && value != RegistriesPath && !brought(value) &&
			!slices.ContainsFunc(ofImages, func(at string) bool { return strings.HasPrefix(value, at) }) {
			out = append(out, Need{Key: key, File: value, What: value})
		}

		for _, file := range filesOfArguments(key, config[key]) {
			if !brought(file) && !slices.ContainsFunc(ofImages, func(at string) bool { return strings.HasPrefix(file, at) }) {
				out = append(out, Need{Key: key, File: file, What: file})
			}
		}

		if e.Needs != "" && config[key] != false {
			out = append(out, Need{Key: key, What: e.Needs})
		}

		// containerd passes over the snapshotter otherwise, and K3s does not start (k3s-io/k3s issue 7660).
		if key == "snapshotter" && (value == "zfs" || value == "btrfs") {
			out = append(out, Need{Key: key, What: "a file system " + value + " at agent/containerd in K3s' data-dir, where the node has that of its image or of its data disk"})
		}
	}

	return out
}

// argument is one of a program that K3s runs; a + or - behind its name adds to the value that K3s has itself (pkg/util/args.go of k3s-io/k3s).
var argument = regexp.MustCompile(`^(--)?[A-Za-z][A-Za-z0-9._-]*\+?(=.*)?$`)

// behind is an argument behind another one, as a shell would cut them.
var behind = regexp.MustCompile(`^[^"'=]+=[^"'\s]*\s+(--[a-z][a-z0-9-]*(=|\s|$)|[a-z]+(-[a-z0-9]+)+=)`)

// BadValue says why K3s does not start with the value of a key, or does not do what it says, although the value has the right type; empty if all is
// well. It does not show the value.
func BadValue(key string, value any) string {
	if f, ok := formOf(key); ok && (isTorn(key, value) || !f.holds(value)) {
		return f.want
	}

	if !strings.HasSuffix(key, "-arg") {
		return ""
	}

	for i, item := range itemsOf(value) {
		if !argument.MatchString(item) {
			return fmt.Sprintf("item %d must be name=value, such as max-pods=200 for the kubelet: K3s takes all of it for the name, and the program does not start", i+1)
		}

		if behind.MatchString(item) {
			return fmt.Sprintf("item %d has a further argument behind a blank, and K3s takes both for one value, with which the program does not start: write each as an item of its own", i+1)
		}

		if why := badArgument(key, item); why != "" {
			return fmt.Sprintf("item %d: %s", i+1, why)
		}
	}

	return ""
}
