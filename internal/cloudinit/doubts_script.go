package cloudinit

import (
	"regexp"

	"go.yaml.in/yaml/v3"
)

// An absent program is one that the images of Debian and Ubuntu do not have, and that guides take for granted.
type absent struct {
	runs *regexp.Regexp
	// brings is what in the document may install it.
	brings   *regexp.Regexp
	family   string // The default user of the only images without it; empty for both.
	name, by string
}

var absents = []absent{ //nolint:gochecknoglobals // A constant table.
	{
		command(`docker\s+(?:run|compose|pull|login|network|volume|swarm|build|load|stack)(?:\s[^\n]*)?`),
		regexp.MustCompile(`docker\.io|docker-ce|get\.docker\.com|snap\s+install\s+docker|podman-docker`), "", "docker",
		"add docker.io to packages",
	},
	{
		command(`(?:ifconfig|netstat|route\s+add)(?:\s[^\n]*)?`), regexp.MustCompile(`net-tools`), "", "of net-tools",
		"add net-tools to packages, or write ip and ss",
	},
	{command(`unzip\s[^\n]*`), regexp.MustCompile(`\bunzip$|install\s[^\n]*unzip`), "", "unzip", "add unzip to packages"},
	{command(`make(?:\s[^\n]*)?`), regexp.MustCompile(`build-essential|^make$|install\s[^\n]*make`), "", "make", "add build-essential to packages"},
	{command(`git\s+(?:clone|pull|config)(?:\s[^\n]*)?`), regexp.MustCompile(`^git(?:-core)?$|install\s[^\n]*git`), "debian", "git", "add git to packages"},
	{command(`ufw(?:\s[^\n]*)?`), regexp.MustCompile(`^ufw$|install\s[^\n]*ufw`), "debian", "ufw", "add ufw to packages, or write what may connect into spec.firewall"},
	{
		command(`firewall-cmd(?:\s[^\n]*)?`), regexp.MustCompile(`^firewalld$|install\s[^\n]*firewalld`), "", "firewall-cmd",
		"add firewalld to packages, or write what may connect into spec.firewall",
	},
}

var (
	// endsScript is an exit that is a command of its own: cloud-init writes all of runcmd into one script of sh (canonical/cloud-init issue 7037).
	endsScript = regexp.MustCompile(`^\s*exit(?:\s+[0-9]+)?\s*$`)
	// byPassword is sshd's word in its own file, which comes after the files of its folder, and in sshd the first one counts (sshd_config(5);
	// canonical/cloud-init issue 5934).
	byPassword  = regexp.MustCompile(`PasswordAuthentication\s+(yes|no)`)
	ownFile     = regexp.MustCompile(`/etc/ssh/sshd_config(?:[\s"';&|)]|$)`)
	ofTheFolder = regexp.MustCompile(`sshd_config\.d`)
)

// sayScript says what of a command of a script does not come, or keeps others from coming. behind is how many commands there are after it.
func sayScript(g Guest, root *yaml.Node, text, script string, behind int, say func(why string)) {
	if endsScript.MatchString(text) && behind > 0 {
		say("ends all of it, since cloud-init runs the commands as one script: those behind it never run. Remove it")
	}

	if g.Has == nil {
		return
	}

	if words := byPassword.FindAllStringSubmatch(text, -1); len(words) > 0 && words[len(words)-1][1] == "yes" && ownFile.MatchString(text) && !ofTheFolder.MatchString(text) {
		say("has no effect, since a file of /etc/ssh/sshd_config.d comes before, with which login is by key only, as on every machine: remove it, and give the account ssh_authorized_keys")
	}

	for _, a := range absents {
		if a.runs.MatchString(text) && (a.family == "" || a.family == g.Default) && !asksFirst.MatchString(script) && !says(root, "", a.brings.MatchString) {
			say("finds no program " + a.name + ", which the images do not have: " + a.by)
		}
	}
}
