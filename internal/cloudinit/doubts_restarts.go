package cloudinit

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Files by which a guest restarts itself, at a time that nobody chooses.
var (
	// unattended is unattended-upgrades' own restart (https://ubuntu.com/server/docs/how-to/software/automatic-updates/), also in the braces of apt.conf(5).
	unattended = regexp.MustCompile(`(?m)^(?:[^/#\n]|/[^/])*\bAutomatic-Reboot\s+"?(?i:true|yes|on|with|enable|1)\b`)
	// dnfRestarts is dnf-automatic's: automatic.conf of dnf.
	dnfRestarts = regexp.MustCompile(`(?m)^\s*reboot\s*=\s*when-(?:needed|changed)\b`)
	// cronRestarts is a line of a crontab, or of a script that cron runs.
	cronRestarts = regexp.MustCompile(`(?m)^(?:[^#\n]*[\s;&|(])?(?:/(?:usr/)?s?bin/)?` +
		`(?:reboot|poweroff|halt|shutdown|systemctl\s+(?:--\S+\s+)*(?:reboot|poweroff|halt)|init\s+[06])(?:[\s;&]|$)`)
	cronFolder = regexp.MustCompile(`^/(?:etc/cron\.(?:d|hourly|daily|weekly|monthly)/|etc/crontab$|var/spool/cron/)`)
)

// aptOfNodes is a K3s node's own file for apt, which leaves restarts to others. apt reads the folder in the order of the names, and the file beside it after
// them: apt.conf(5). What it read last counts.
const (
	aptFolder  = "/etc/apt/apt.conf.d/"
	aptFile    = "/etc/apt/apt.conf"
	aptOfNodes = "90-k3s-node"
)

const byClock = "restarts the node at a time that nobody chooses, and nothing drains it; servers that restart in the same hour take the quorum of etcd with them: remove it, " +
	"and restart the nodes one after the other, by spec.lifecycle.reboot or with kured"

// doubtsOfRestarts are about files of a K3s node that restart it again and again.
func (b Bootstrap) doubtsOfRestarts(files *yaml.Node) []Doubt {
	if b != BootstrapK3s {
		return nil
	}

	var out []Doubt

	for _, w := range writtenFiles(files) {
		if restartsByClock(w.path, w.content) {
			out = append(out, Doubt{Text: fmt.Sprintf("line %d: write_files[%d].content %s", w.node.Line, w.place, byClock)})
		}
	}

	return out
}

// doubtsOfAptRestarts are about apt.conf of cloud-init, which it writes into a file that apt reads after the node's own
// (https://docs.cloud-init.io/en/latest/reference/modules.html, Apt Configure: 94cloud-init-config).
func (b Bootstrap) doubtsOfAptRestarts(apt *yaml.Node) []Doubt {
	conf := orNothing(lookup(apt, "conf"))
	if b != BootstrapK3s || !unattended.MatchString(conf.Value) {
		return nil
	}

	return []Doubt{{Text: fmt.Sprintf("line %d: apt.conf %s", conf.Line, byClock)}}
}

func restartsByClock(file, content string) bool {
	switch {
	case file == aptFile, strings.HasPrefix(file, aptFolder) && path.Base(file) > aptOfNodes:
		return unattended.MatchString(content)
	case file == "/etc/dnf/automatic.conf":
		return dnfRestarts.MatchString(content)
	}

	return cronFolder.MatchString(file) && cronRestarts.MatchString(content)
}
