#!/bin/bash
# Runs in the guest: waits for the end of cloud-init, says over the second serial port what became of the machine, and
# powers it off. The kernel's command line may hold
#   probe.until=COMMAND   to be waited for after cloud-init, blanks written as +
#   probe.limit=SECONDS   for all of the waiting
exec >/dev/ttyS1 2>&1
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin

limit=900 until=true
for word in $(</proc/cmdline); do
  case $word in
    probe.limit=*) limit=${word#*=} ;;
    probe.until=*) until=${word#*=} until=${until//+/ } ;;
  esac
done

# The instance may be new or known; what is waited for is this boot's end.
while [[ ! -e /run/cloud-init/result.json ]] && ((SECONDS < limit)); do sleep 1; done

section() { printf '=== %s\n' "$1"; }
fact() {
  section "$1"
  shift
  "$@" 2>&1
}

nix_order() {
  local after begin
  after=$(systemctl show --property=ActiveEnterTimestampMonotonic --value cloud-final.service)
  begin=$(systemctl show --property=InactiveExitTimestampMonotonic --value nix-gitops-apply.service)
  if ((after > 0 && begin > after)); then
    echo "starts after cloud-final.service"
  else
    echo "cloud-final.service $after, nix-gitops-apply.service $begin"
  fi
}

# At the moment when cloud-init has ended: what somebody sees who looks then.
fact at-the-end systemctl show --property=ActiveState,SubState,Result --value k3s-bootstrap.service
while ! bash -c "$until" && ((SECONDS < limit)); do sleep 1; done

fact uptime cat /proc/uptime
fact status cloud-init status --long
fact result cat /run/cloud-init/result.json
fact hostname hostname
fact uuid cat /sys/class/dmi/id/product_uuid
fact fqdn hostname --fqdn
fact addresses ip -brief address
fact links ip -brief link
fact networkd networkctl list --no-legend --no-pager
fact ifupdown cat /run/network/ifstate
fact routes ip route
fact resolv resolvectl dns
fact bootstrap systemctl show --property=ActiveState --property=NRestarts --property=Result --property=ConditionResult k3s-bootstrap.service
fact journal journalctl --no-pager --output=cat --unit=k3s-bootstrap.service
fact finished cat /var/lib/k3s-bootstrap/done
fact unit cat /etc/systemd/system/k3s.service /etc/systemd/system/k3s-agent.service
fact installs cat /var/lib/stub/installs
fact starts cat /var/lib/stub/starts
fact mounts cat /var/lib/stub/mounts
fact data-disks systemctl show --property=ActiveState --property=NRestarts --property=Result data-disks.service
fact data-disks-journal journalctl --no-pager --output=cat --unit=data-disks.service
fact fstab cat /etc/fstab
fact volumes ls -A /var/lib/volumes
fact join-config cat /etc/rancher/k3s/config.yaml.d/50-join.yaml
fact modes stat --format='%a %U:%G %n' /etc/rancher/k3s/* /etc/k3s-bootstrap/env /etc/rancher/k3s/config.yaml.d/*
fact modules lsmod
fact sysctl sysctl net.ipv4.ip_forward net.bridge.bridge-nf-call-iptables fs.inotify.max_user_instances kernel.panic
fact hostkeys sha256sum /etc/ssh/ssh_host_ed25519_key /etc/ssh/ssh_host_rsa_key
fact sshd sshd -T
fact added cat /etc/added
fact failed systemctl list-units --failed --plain --no-legend
fact early journalctl --no-pager --output=cat --boot --unit=cloud-init-local.service
fact agent systemctl show --property=LoadState,ActiveState --value qemu-guest-agent.service
fact nix-unit systemctl show --property=FragmentPath --property=LoadState nix-gitops-apply.service
fact nix-restarts systemctl show --property=NRestarts --value nix-gitops-apply.service
fact nix-journal journalctl --no-pager --output=cat --boot --unit=nix-gitops-apply.service
fact nix-order nix_order
section end
sync
systemctl poweroff --force
