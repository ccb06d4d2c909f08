package k3s

import (
	"maps"
	"regexp"
	"slices"
	"strings"
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

// webServers are packages of Debian and Ubuntu that listen at port 80 once they are installed, and the word that whoever has them listen elsewhere writes.
var webServers = map[string]string{ //nolint:gochecknoglobals // A constant table.
	"nginx": "nginx", "nginx-light": "nginx", "nginx-full": "nginx", "nginx-extras": "nginx", "apache2": "apache2", "lighttpd": "lighttpd", "caddy": "caddy",
}

// HiddenServer is the first of some packages whose web server nobody reaches: ServiceLB hands port 80 of every node to Traefik before the node's own programs
// are asked. Empty where K3s brings no such Service, and where the user-data say more of the web server than its package.
func HiddenServer(disabled, packages []string, userData string) string {
	if slices.Contains(disabled, servicelb) || slices.Contains(disabled, "traefik") {
		return ""
	}

	i := slices.IndexFunc(packages, func(name string) bool {
		word := webServers[name]
		return word != "" && strings.Count(userData, word) == 1
	})
	if i < 0 {
		return ""
	}

	return packages[i]
}
