package k3s

import (
	"maps"
	"regexp"
	"slices"
)

// balancers are the files of load balancers, in which bind and listen say where these listen.
var (
	balancers = regexp.MustCompile(`^/etc/(?:haproxy/.*\.cfg|nginx/.*|angie/.*)$`)
	bindsTo   = regexp.MustCompile(`(?m)^[ \t]*(?:bind|listen)[ \t]+(?:[^\s;:]*:|\[[^\]]*\]:|:::)?([0-9]{1,5})(?:[\s;,]|$)`)
)

// TakenPort is the first of some files, by path with their contents, by which a load balancer on a server listens where K3s does, on all addresses: the second
// one of the two does not start. Empty where none does, and where the config has K3s listen at one address alone.
func TakenPort(config map[string]any, files map[string]string) (file, port string) {
	if _, bound := setting(config, "bind-address"); bound {
		return "", ""
	}

	port = effects[keyListenPort].Default
	if said, is := setting(config, keyListenPort); is {
		port = said
	}

	for _, file := range slices.Sorted(maps.Keys(files)) {
		for _, found := range bindsTo.FindAllStringSubmatch(files[file], -1) {
			if balancers.MatchString(file) && found[1] == port {
				return file, port
			}
		}
	}

	return "", ""
}
