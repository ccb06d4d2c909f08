package cloudinit

import "testing"

// TestDoubtsOfPassing: commands whose effect the guest's next boot does not have, and the end of the guest agent.
func TestDoubtsOfPassing(t *testing.T) {
	guest := Guest{Account: "ops", Default: "debian", Has: func(string) bool { return false }}

	gone := func(instead string) []string {
		return []string{"line 2: runcmd[0] is gone at the guest's next boot, since cloud-init runs runcmd once: " + instead}
	}

	const (
		sysctl  = "write the line into a file such as /etc/sysctl.d/90-own.conf with write_files, and sysctl --system here"
		mounts  = "write it into mounts, or give a disk of the machine filesystem and mountPath in spec.disks"
		address = "an address is ip of spec.network or of one of spec.nics, and a route is written into a file such as /etc/netplan/60-own.yaml with write_files"
		rule    = "use spec.firewall, or keep it with iptables-persistent in packages and netfilter-persistent save behind it"
	)

	agent := []string{"line 2: runcmd[0] " + withoutAgent}

	doubtsAre(t, map[string]doubtCase{
		"Sysctl":       {reason: "Guides for Elasticsearch have it.", text: "runcmd: ['sysctl -w vm.max_map_count=262144']", guest: guest, want: gone(sysctl)},
		"SysctlShort":  {reason: "The same.", text: "runcmd: [[sysctl, net.ipv4.ip_forward=1]]", guest: guest, want: gone(sysctl)},
		"SysctlKept":   {reason: "It is written, too.", text: "runcmd: ['sysctl -w vm.max_map_count=1', 'echo vm.max_map_count=1 > /etc/sysctl.d/a.conf']", guest: guest},
		"SysctlRead":   {reason: "It reads files.", text: "runcmd: [sysctl --system, 'sysctl -p', sysctl net.ipv4.ip_forward]", guest: guest},
		"Mount":        {reason: "Nobody mounts it again.", text: "runcmd: [mount -t nfs nas:/export /mnt]", guest: guest, want: gone(mounts)},
		"MountKept":    {reason: "It is in the table.", text: "runcmd: ['echo nas:/export /mnt nfs >> /etc/fstab', 'mount nas:/export /mnt']", guest: guest},
		"MountBriefly": {reason: "It is taken away.", text: "runcmd: ['mount LABEL=seed /mnt && cp /mnt/a /opt/a && umount /mnt']", guest: guest},
		"MountAll":     {reason: "The table's.", text: "runcmd: [mount -a, mount /mnt/nas]", guest: guest},
		"Address":      {reason: "A virtual address by hand.", text: "runcmd: [ip addr add 192.168.4.9/24 dev eth0]", guest: guest, want: gone(address)},
		"Route":        {reason: "Of another network.", text: "runcmd: [ip route add 10.0.0.0/8 via 192.168.4.2]", guest: guest, want: gone(address)},
		"RouteKept":    {reason: "It is written, too.", text: "write_files: [{path: /etc/netplan/60-own.yaml, content: x}]\nruncmd: [ip route add 10.0.0.0/8 via 192.168.4.2]", guest: guest},
		"RouteShown":   {reason: "It only asks.", text: "runcmd: [ip route get 1.1.1.1, ip addr show]", guest: guest},
		"Rule":         {reason: "Nobody keeps it.", text: "runcmd: [iptables -t nat -A POSTROUTING -j MASQUERADE]", guest: guest, want: gone(rule)},
		"RuleKept":     {reason: "It is kept.", text: "packages: [iptables-persistent]\nruncmd: [iptables -A INPUT -j ACCEPT]", guest: guest},
		"MountListed":  {reason: "cloud-init mounts it.", text: "mounts: [['nas:/export', /mnt]]\nruncmd: ['mount nas:/export /mnt']", guest: guest},
		"EveryBoot":    {reason: "bootcmd comes again.", text: "bootcmd: [sysctl -w vm.max_map_count=1]", guest: guest},
		"OtherImage":   {reason: "Nobody knows it.", text: "runcmd: [sysctl -w vm.max_map_count=1]"},
		"Module":       {reason: "Programs load them when they need them, and so does K3s.", text: "runcmd: [modprobe br_netfilter]", guest: guest},
		"Agent":        {reason: "The machine waits for it.", text: "runcmd: [systemctl disable --now qemu-guest-agent]", guest: guest, want: agent},
		"AgentPurged":  {reason: "The same.", text: "runcmd: [[apt-get, purge, -y, snapd, qemu-guest-agent]]", guest: guest, want: agent},
		"AgentAgain":   {reason: "It comes back.", text: "runcmd: [systemctl stop qemu-guest-agent, systemctl start qemu-guest-agent]", guest: guest},
		"AgentStarted": {reason: "As guides have it.", text: "runcmd: [systemctl enable --now qemu-guest-agent]", guest: guest},
	})
}
