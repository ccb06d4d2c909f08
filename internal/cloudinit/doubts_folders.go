package cloudinit

import (
	"fmt"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// filled are the folders that a package of Debian and Ubuntu fills when it is installed, or the program in it, which is started at once. A part may be a
// pattern of [path.Match].
var filled = map[string][]string{ //nolint:gochecknoglobals // A constant table.
	"mariadb-server": {mysqlFolder}, "mysql-server": {mysqlFolder}, "default-mysql-server": {mysqlFolder},
	"postgresql": {postgresFolder}, "postgresql-contrib": {postgresFolder},
	"docker.io": {dockerFolder, containerdFolder}, "docker-ce": {dockerFolder, containerdFolder},
	"containerd": {containerdFolder}, "containerd.io": {containerdFolder},
	"nginx": {"/var/www/html"}, "apache2": {"/var/www/html"}, "rabbitmq-server": {"/var/lib/rabbitmq"}, "slapd": {"/var/lib/ldap"},
	"samba": {"/var/lib/samba"}, "libvirt-daemon-system": {"/var/lib/libvirt/images"}, "incus": {"/var/lib/incus"}, "prometheus": {"/var/lib/prometheus"},
	"etcd-server": {"/var/lib/etcd"}, "nfs-kernel-server": {"/var/lib/nfs"},
}

const (
	mysqlFolder, postgresFolder    = "/var/lib/mysql", "/var/lib/postgresql/[0-9]*/main"
	dockerFolder, containerdFolder = "/var/lib/docker/volumes", "/var/lib/containerd"
)

// doubtsOfFolders are about packages that fill the folder of a data disk: cloud-init installs packages before it runs commands, the first of which mounts the
// disks (cloud_final_modules of its cloud.cfg). A folder with something in it is not mounted over, so that the disk stays unused and the data get onto the boot
// disk, which a replacement of the VM throws away. Nothing is said of other images.
func (g Guest) doubtsOfFolders(packages *yaml.Node) []Doubt {
	if g.Has == nil {
		return nil
	}

	var out []Doubt

	for i, item := range items(packages) {
		name := item
		if parts := items(item); len(parts) > 0 {
			name = parts[0]
		}

		for _, d := range g.Mounted {
			if !fills(name.Value, d.MountPath) {
				continue
			}

			out = append(out, Doubt{Text: fmt.Sprintf("line %d: packages[%d]: %s is installed before disk %s is mounted at %s, and fills the folder: the disk is not mounted then, and the data stay on the boot disk. "+
				"Install it in runcmd, which finds the disk mounted: [apt-get, install, -y, %s]", name.Line, i, name.Value, d.Name, d.MountPath, name.Value)})
		}
	}

	return out
}

// fills says whether a package fills a folder, or one below it.
func fills(name, folder string) bool {
	// As in postgresql-17, mysql-server-8.0 and nginx=1.26.
	name, _, _ = strings.Cut(name, "=")

	for _, pattern := range filled[strings.TrimRight(name, "-.0123456789")] {
		for ; pattern != "/"; pattern = path.Dir(pattern) {
			if ok, err := path.Match(pattern, path.Clean(folder)); ok && err == nil {
				return true
			}
		}
	}

	return false
}
