package cloudinit

import "testing"

// TestDoubtsOfFolders: packages are installed before data disks are mounted.
func TestDoubtsOfFolders(t *testing.T) {
	at := func(folder string) Guest {
		return Guest{Default: "debian", Has: func(string) bool { return false }, Mounted: []Disk{{Name: "db", MountPath: folder}}}
	}

	doubt := func(name, folder string) []string {
		return []string{"line 2: packages[0]: " + name + " is installed before disk db is mounted at " + folder + ", and fills the folder: the disk is not mounted then, and the data stay on the boot disk. " +
			"Install it in runcmd, which finds the disk mounted: [apt-get, install, -y, " + name + "]"}
	}

	doubtsAre(t, map[string]doubtCase{
		"Folder":        {reason: "Its installation makes the database.", text: "packages: [mariadb-server]", guest: at("/var/lib/mysql"), want: doubt("mariadb-server", "/var/lib/mysql")},
		"Version":       {reason: "A release is pinned.", text: "packages: [[postgresql, 17+278]]", guest: at("/var/lib/postgresql"), want: doubt("postgresql", "/var/lib/postgresql")},
		"NameOfRelease": {reason: "As the archive of PostgreSQL names it.", text: "packages: [postgresql-17=17.2]", guest: at("/var/lib/postgresql/17"), want: doubt("postgresql-17=17.2", "/var/lib/postgresql/17")},
		"OfRelease":     {reason: "The folder has the release in its name.", text: "packages: [postgresql]", guest: at("/var/lib/postgresql/17/main"), want: doubt("postgresql", "/var/lib/postgresql/17/main")},
		"Started":       {reason: "The program is started at once.", text: "packages: [docker.io]", guest: at("/var/lib/docker"), want: doubt("docker.io", "/var/lib/docker")},
		"Above":         {reason: "What is below it is in it, too.", text: "packages: [nginx]", guest: at("/var/www/"), want: doubt("nginx", "/var/www/")},
		"Beside":        {reason: "The package does not know the folder.", text: "packages: [postgresql, mariadb-server, nginx]", guest: at("/var/lib/postgresql/backup")},
		"OtherPackage":  {reason: "It leaves the folder alone.", text: "packages: [mariadb-client]", guest: at("/var/lib/mysql")},
		"InRuncmd":      {reason: "The disk is mounted then.", text: "runcmd: [[apt-get, install, -y, mariadb-server]]", guest: at("/var/lib/mysql")},
		"OtherImage":    {reason: "Its package may leave the folder empty.", text: "packages: [mariadb-server]", guest: Guest{Mounted: at("/var/lib/mysql").Mounted}},
	})
}
