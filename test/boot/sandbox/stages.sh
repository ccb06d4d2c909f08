#!/bin/sh
# Runs cloud-init's four stages as a boot does, in the namespaces that the caller has made, on an overlay of a root file
# system.
#
#   stages.sh LOWER WORK
#
# LOWER is the root, left untouched. WORK holds upper (what the run writes), seed (the drive's files), record (what this
# script and the systemctl in the guest write down), links (a file of "NAME MAC" lines, the VM's network devices) and
# systemctl (the program that takes systemctl's place).
set -eu

lower=$1 work=$2
root=$work/root record=$work/record

mkdir -p "$work/upper" "$work/overlay" "$root" "$record"
rm -rf "$work/upper/run"

mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/overlay" "$root"
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
	: >"$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=0700 tmpfs "$root/mnt"
mkdir "$root/mnt/record"
mount --bind "$record" "$root/mnt/record"
mount --bind "$work/systemctl" "$root/usr/bin/systemctl"

# As a NoCloud drive is read, from a folder in place of a disk.
mkdir -p "$root/var/lib/cloud/seed/nocloud"
mount --bind "$work/seed" "$root/var/lib/cloud/seed/nocloud"

ip link set lo up
while read -r name mac; do
	# A cable whose other end hangs free: it is in every kernel that runs containers.
	ip link add "$name" address "$mac" type veth peer name "far-$name"
done <"$work/links"

# What the kernel and systemd have done before cloud-init starts.
hostname localhost
[ ! -s "$root/etc/hostname" ] || hostname "$(cat "$root/etc/hostname")"
mkdir -p "$root/run/sshd"

guest() {
	# A service's environment, not ours.
	env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 chroot "$root" "$@"
}

# fact NAME COMMAND...: its output, and its status if that is not 0.
fact() {
	name=$1
	shift
	guest "$@" >"$record/$name" 2>"$record/$name.err" || echo "$name: status $?" >>"$record/failed"
}

stage() {
	name=$1
	shift
	echo "# $name" >>"$record/calls"
	guest "$@" >"$record/$name.log" 2>&1 || echo "$name: status $?" >>"$record/failed"
	hostname >"$record/hostname-$name"
}

stage init-local cloud-init init --local
stage init cloud-init init
stage config cloud-init modules --mode=config
stage final cloud-init modules --mode=final

cp "$root/run/cloud-init/result.json" "$root/run/cloud-init/status.json" "$record/"
guest cat /etc/hosts >"$record/hosts"
fact etc-hostname cat /etc/hostname
fact fqdn hostname --fqdn
fact passwd getent passwd
fact group getent group
fact shadow getent shadow
fact sshd sshd -T
# Here the programs are that the units name.
for unit in "$root"/etc/systemd/system/*.service; do
	if [ -f "$unit" ] && [ ! -L "$unit" ]; then
		fact "verify-${unit##*/}" systemd-analyze verify --man=no "${unit#"$root"}"
	fi
done
fact links ip -brief link
fact schema cloud-init schema --config-file /var/lib/cloud/seed/nocloud/user-data
