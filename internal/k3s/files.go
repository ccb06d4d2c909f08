package k3s

import (
	_ "embed"

	"github.com/crossplane/function-sdk-go/errors"

	"github.com/homelab-io/function-proxmox-machine/internal/cloudinit"
	"github.com/homelab-io/function-proxmox-machine/internal/guestreport"
)

// BootstrapPath is the path of the constant script that installs K3s on the node.
const BootstrapPath = "/usr/local/sbin/k3s-bootstrap"

// Paths of the node's parameters: K3s's settings, and those of the bootstrap script.
const (
	ConfigPath = "/etc/rancher/k3s/config.yaml"
	EnvPath    = "/etc/k3s-bootstrap/env"
)

// RestoreS3Path is the path of the file with K3s' options of S3 for [Node.Restore], which K3s reads for that alone.
const RestoreS3Path = "/etc/rancher/k3s/restore-s3.yaml"

const (
	bootstrapUnit = "k3s-bootstrap.service"
	reportUnit    = "k3s-report.service"
	unitFolder    = "/etc/systemd/system/"
	reporterPath  = "/usr/local/sbin/guest-report"
	root          = "root:root"
)

// Files that are the same on every node.
var (
	//go:embed scripts/k3s-bootstrap.sh
	bootstrapScript string
	//go:embed scripts/former/k3s-bootstrap-v0.1.0.sh
	bootstrapScriptV010 string
	//go:embed scripts/k3s-bootstrap.service
	bootstrapService string
	//go:embed scripts/former/k3s-bootstrap-v0.1.0.service
	bootstrapServiceV010 string
	//go:embed scripts/k3s-report.service
	reportService string
	//go:embed scripts/report.network
	reportNetwork string
	//go:embed scripts/modules.conf
	modulesConf string
	//go:embed scripts/sysctl.conf
	sysctlConf string
	//go:embed scripts/sshd.conf
	sshdConf string
	//go:embed scripts/apt.conf
	aptConf string
	//go:embed scripts/kubelet.conf
	kubeletConf string
	//go:embed scripts/motd.sh
	motdScript string
)

// Files returns the files that the node needs before its first command
// runs: the bootstrap script with its parameters, K3s's settings, the token
// if there is one, and settings of the kernel, of SSH and of apt.
//
// It returns an error for a node that K3s cannot run. No error shows the token.
func (n Node) Files() ([]cloudinit.File, error) {
	if err := n.check(); err != nil {
		return nil, err
	}

	config, err := n.configYAML()
	if err != nil {
		return nil, errors.Wrap(err, "cannot write K3s' config.yaml")
	}

	former, err := n.formerConfig(config)
	if err != nil {
		return nil, errors.Wrap(err, "cannot write K3s' config.yaml as an earlier release did")
	}

	env, err := n.env()
	if err != nil {
		return nil, errors.Wrap(err, "cannot write the environment of the K3s bootstrap")
	}

	// All at once: a file takes much memory, and every call makes the list.
	files := make([]cloudinit.File, 0, maxFiles)
	files = append(files,
		constant("/etc/modules-load.d/90-k3s.conf", "0644", modulesConf),
		constant("/etc/sysctl.d/90-k3s.conf", "0644", sysctlConf),
		constant("/etc/ssh/sshd_config.d/10-hardening.conf", "0644", sshdConf),
		constant("/etc/apt/apt.conf.d/90-k3s-node", "0644", aptConf),
		cloudinit.File{Path: ConfigPath, Permissions: "0600", Owner: root, Content: config, Former: former},
	)
	files = append(files, n.aptProxy()...)

	if n.Token != "" {
		files = append(files, cloudinit.File{Path: n.tokenFile(), Permissions: "0600", Owner: root, Content: n.Token.reveal() + "\n"})
	}

	return append(files,
		cloudinit.File{Path: EnvPath, Permissions: "0600", Owner: root, Content: env},
		added("/etc/k3s-bootstrap/kubelet.conf", "0644", kubeletConf),
		added("/etc/update-motd.d/90-k3s-bootstrap", "0755", motdScript),
		added(reporterPath, "0755", guestreport.Script),
		added("/etc/systemd/network/05-k3s-report.network", "0644", reportNetwork),
		added(unitFolder+reportUnit, "0644", reportService),
		constant(BootstrapPath, "0700", bootstrapScript),
		constant(unitFolder+bootstrapUnit, "0644", bootstrapService),
	), nil
}

// maxFiles is how many files a node has, with those that a caller adds.
const maxFiles = 16

// UIDPath is the path of the file that labels the Node with the VM that it stands for. K3s reads it beside its config.yaml.
const UIDPath = "/etc/rancher/k3s/config.yaml.d/90-machine-uid.yaml"

// UIDFile is the file with a label that tells whose Node it is: see package node. It adds to the labels of config.yaml, and is
// nothing that a claim asked for: a node without the file is as current as one with it.
func UIDFile(label, uid string) (cloudinit.File, error) {
	content, err := toYAML(struct {
		NodeLabels []string `yaml:"node-label+"` // K3s appends a list whose key ends with a plus.
	}{[]string{label + "=" + uid}})

	return added(UIDPath, "0600", content), errors.Wrap(err, "cannot write the label of the node")
}

// formerConfig is K3s's config.yaml as releases before v0.2.0 wrote it; empty where that is the same.
func (n Node) formerConfig(config string) (string, error) {
	if n.Former == nil {
		return "", nil
	}

	n.NodeIP, n.FlannelIface = n.Former.NodeIP, n.Former.FlannelIface

	former, err := n.configYAML()
	if former == config {
		return "", err
	}

	return former, err
}

// Former returns the constant files of earlier releases, by path, as far as they differ from the present ones. They are never
// written to a new node.
func Former() map[cloudinit.Release]map[string]string {
	return map[cloudinit.Release]map[string]string{cloudinit.ReleaseV010: {
		BootstrapPath: bootstrapScriptV010, unitFolder + bootstrapUnit: bootstrapServiceV010,
	}}
}

// added is a constant file that VMs of the first release were made without.
func added(path, mode, content string) cloudinit.File {
	file := constant(path, mode, content)
	file.Since = cloudinit.ReleaseV020

	return file
}

func constant(path, mode, content string) cloudinit.File {
	return cloudinit.File{Path: path, Permissions: mode, Owner: root, Content: content, Constant: true}
}
