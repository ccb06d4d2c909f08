#!/bin/bash
# Formats and mounts this machine's data disks. Started by data-disks.service at every boot, and by K3s' units before K3s; safe to run
# again. Fails unless every disk is mounted.
#
# What to do is in /etc/data-disks/table, a line for each disk:
#
#   NAME FILESYSTEM PATH     NAME is the disk's serial number, FILESYSTEM ext4 or xfs, PATH where it is mounted
#
# A table without a line for a disk says nothing, unless it has a comment: a power cut leaves none.
# A disk is formatted once: if /etc/fstab has nothing for PATH yet, and if the disk is empty in every respect that can be checked. A
# disk that has ext4 or xfs is mounted as it is. Whatever else is on a disk stays, and the run fails. From then on the line in
# /etc/fstab counts, and whoever edits it decides. To do without a disk, remove its line from both files, and without the last one, put a
# comment in its place.
{ # bash reads up to the last line before it runs the first: of a script whose end a power cut has lost, it runs nothing, and fails.
set -Eeuo pipefail
trap 'printf "data-disks: FATAL: line %s failed\n" "$LINENO" >&2' ERR

ROOT=${DATA_DISKS_ROOT:-} # Stands before every absolute path; for tests.
TABLE=$ROOT/etc/data-disks/table
FSTAB=$ROOT/etc/fstab
STATE=$ROOT/var/lib/data-disks
DEVICE_TIMEOUT=${DEVICE_TIMEOUT:-60} # Seconds for each disk.

log() { printf 'data-disks: %s\n' "$*"; }
die() {
  log "FATAL: $*" >&2
  exit 1
}

# devices NAME: the disks with this serial number. Read from the kernel, because the names in /dev/disk/by-id have the serial number
# with Proxmox VE 8 only, and the disk's slot (drive-scsi1) since.
devices() {
  local block serial
  for block in "$ROOT"/sys/block/*; do
    serial=
    if [[ -e $block/device/vpd_pg80 ]]; then # SCSI: a head of four bytes, and the serial number.
      serial=$(tail --bytes=+5 "$block/device/vpd_pg80" | tr -d '\0 ')
    elif [[ -e $block/serial ]]; then # VirtIO.
      serial=$(tr -d '\0 ' <"$block/serial")
    fi
    [[ $serial != "$1" ]] || printf '%s\n' "${block##*/}"
  done
}

# find_device NAME: sets block, such as sdb, and device, such as /dev/sdb.
find_device() {
  local start=$SECONDS found
  until found=$(devices "$1") && [[ -n $found ]]; do
    ((SECONDS - start < DEVICE_TIMEOUT)) || die "no disk of this machine has the serial number $1 (lsblk -o PATH,SERIAL); attach it to the VM"
    sleep 2
  done
  [[ $found != *$'\n'* ]] || die "several disks have the serial number $1: ${found//$'\n'/, }; detach all but one"
  block=$found device=$ROOT/dev/$found
}

# check_free: nothing of this system uses the disk or a part of it.
check_free() {
  local part holder
  for part in "$ROOT/sys/block/$block/$block"*; do
    [[ ! -e $part ]] || refuse "has partitions"
  done
  for holder in "$ROOT/sys/block/$block/holders"/*; do
    [[ ! -e $holder ]] || refuse "is part of ${holder##*/}"
  done
}

# What wipefs leaves is still data, so that a person formats.
refuse() {
  die "disk $name ($device) $1, so it is neither formatted nor mounted. If it is to be used as it is, mount it at $path in /etc/fstab. If nobody needs what is on it: wipefs --all $device && mkfs.$filesystem $device"
}

# samples: prints parts of the disk: its first and its last MiB, and 64 KiB at each of 129 places from its start to its end, of which one is
# its middle. To read all of a large disk takes hours. Fails if a part cannot be read.
samples() {
  local sectors part=128 head=2048 last place
  sectors=$(<"$ROOT/sys/block/$block/size") || return 1 # Of 512 bytes each, whatever the disk's own are.
  [[ $sectors =~ ^[1-9][0-9]*$ ]] || return 1
  ((head <= sectors)) || head=$sectors
  ((part <= sectors)) || part=$sectors
  last=$((sectors - head))
  dd if="$device" bs=512 count="$head" status=none || return 1
  dd if="$device" bs=512 count="$head" skip="$last" status=none || return 1
  for ((place = 0; place <= 128; place++)); do
    dd if="$device" bs=512 count="$part" skip=$(((sectors - part) * place / 128)) status=none || return 1
  done
}

# content: prints ext4 or xfs, nothing for an empty disk, and fails for everything else. Two tools look for signatures of file systems,
# partition tables, LVM, RAID, LUKS, swap and so on; a disk with a byte that is not zero holds something that neither knows.
content() {
  local signatures probed=0 bytes
  signatures=$(wipefs --no-act --noheadings --output TYPE "$device") || refuse "cannot be read"
  blkid --probe "$device" >/dev/null || probed=$?
  if [[ -n $signatures || $probed != 2 ]]; then
    [[ $probed == 0 && ($signatures == ext4 || $signatures == xfs) ]] || refuse "holds something (${signatures//$'\n'/, })"
    printf '%s\n' "$signatures"
    return
  fi
  bytes=$(samples | tr -d '\0' | wc --bytes) || refuse "cannot be read"
  ((bytes == 0)) || ! began_to_format || refuse "was empty when this machine began to format it at $(<"$STATE/formats-$name"), and was cut off"
  ((bytes == 0)) || refuse "holds something that is no known file system"
}

# A run that was cut off in mkfs leaves a disk that is not empty any more. Nobody can say whether the same disk is attached today, so that
# the next run does not format it, and says what may be on it.
began_to_format() { [[ -s $STATE/formats-$name ]]; }

note_formatting() {
  mkdir -p "$STATE"
  date -u +%FT%TZ >"$STATE/formats-$name.part"
  sync "$STATE/formats-$name.part"
  mv "$STATE/formats-$name.part" "$STATE/formats-$name"
  sync "$STATE"
}

install_mkfs() {
  ! command -v "mkfs.$1" >/dev/null || return 0
  if [[ $1 != xfs ]] || ! command -v apt-get >/dev/null; then die "mkfs.$1 is not installed"; fi
  log "installs xfsprogs, which cloud-init did not"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update --quiet || true # What is known of the mirror may be enough.
  apt-get install --yes --quiet xfsprogs || die "cannot install xfsprogs"
}

# check_folder: a mount hides what is in its folder.
check_folder() {
  [[ ! -e $ROOT$path || -d $ROOT$path ]] || die "$path is not a folder"
  [[ -z $(ls -A "$ROOT$path" 2>/dev/null) ]] || die "$path is not empty on the boot disk, and mounting disk $name would hide what is in it; move it away"
}

in_fstab() { awk -v path="$path" '$1 !~ /^#/ && $2 == path { found = 1 } END { exit !found }' "$FSTAB"; }

# nofail: without its disk the system boots all the same, and can be repaired over SSH; K3s waits for the disk. The other
# options grow the file system with its disk, and have K3s stop before the disk is unmounted.
add_to_fstab() {
  local filesystem=$1 uuid pass=2
  uuid=$(blkid --probe --match-tag UUID --output value "$device")
  [[ -n $uuid ]] || die "the file system on disk $name ($device) has no UUID"
  [[ $filesystem != xfs ]] || pass=0
  cp --preserve "$FSTAB" "$FSTAB.data-disks"
  # A file without a last line end would swallow the line.
  [[ ! -s $FSTAB || -z $(tail --bytes=1 "$FSTAB") ]] || echo >>"$FSTAB.data-disks"
  printf 'UUID=%s %s %s defaults,nofail,x-systemd.device-timeout=60s,x-systemd.growfs,x-systemd.before=k3s-bootstrap.service,x-systemd.before=k3s.service,x-systemd.before=k3s-agent.service 0 %s\n' \
    "$uuid" "$path" "$filesystem" "$pass" >>"$FSTAB.data-disks"
  sync "$FSTAB.data-disks"
  mv "$FSTAB.data-disks" "$FSTAB"
  sync "${FSTAB%/*}"
}

# not_mounted: the provider puts an empty disk in the place of one that somebody detached in Proxmox. It is not formatted: its data are on the
# other one, as the line in /etc/fstab says.
not_mounted() {
  local found
  found=$(devices "$name")
  if [[ -n $found && $found != *$'\n'* ]] && ! blkid --probe "$ROOT/dev/$found" >/dev/null && [[ -z $(wipefs --no-act --noheadings "$ROOT/dev/$found") ]]; then
    die "disk $name ($ROOT/dev/$found) is empty, and is not the one that was mounted at $path, which somebody detached from the VM: it is neither formatted nor mounted. Attach the former disk in Proxmox in place of this one, with the same serial number. To begin anew with the empty one, remove the line of $path from /etc/fstab"
  fi
  die "$path cannot be mounted as /etc/fstab says (disk $name); see systemctl status $path"
}

set_up() {
  name=$1 filesystem=$2 path=$3
  ! mountpoint --quiet "$ROOT$path" || return 0
  if ! in_fstab; then
    find_device "$name"
    check_free
    check_folder
    local has
    has=$(content) || exit 1
    if [[ -z $has ]]; then
      install_mkfs "$filesystem"
      log "formats disk $name ($device) with $filesystem"
      note_formatting
      "mkfs.$filesystem" -q "$device"
      sync "$device"
      has=$filesystem
    else
      log "disk $name ($device) has $has already: it is not formatted"
    fi
    mkdir -p "$ROOT$path"
    add_to_fstab "$has"
    systemctl daemon-reload
  fi
  rm -f "$STATE/formats-$name" # Before a disk is mounted over it.
  systemctl start "$(systemd-escape --path --suffix=mount "$path")" || true
  mountpoint --quiet "$ROOT$path" || not_mounted
  log "disk $name is mounted at $path"
}

# check_table: cloud-init does not flush what it writes, so that a power cut may have left an empty table, one of NUL bytes, or a part of
# one. What is not mounted for want of its line would be missed by nobody: K3s would write to the boot disk.
check_table() {
  local number=0 disks=0 comments=0 line fields remedy
  remedy="as after a power cut while cloud-init wrote it. In the first boot, run: cloud-init clean --reboot. Later, write it again: a line 'NAME FILESYSTEM PATH' for each disk with a mountPath in spec.disks of the claim, or a comment (# none) to do without disks. Nothing is mounted"
  [[ -s $TABLE ]] || die "$TABLE is missing or empty, $remedy"
  [[ $(tr -dc '\000-\010\013-\037\177' <"$TABLE" | wc --bytes) == 0 ]] || die "$TABLE has bytes that are no text, $remedy"
  [[ -z $(tail --bytes=1 "$TABLE") ]] || die "the last line of $TABLE has no line end and may lack its rest, $remedy"
  while read -r line; do
    number=$((number + 1))
    case $line in
      '') continue ;;
      '#'*)
        comments=$((comments + 1))
        continue
        ;;
    esac
    read -ra fields <<<"$line"
    [[ ${#fields[@]} == 3 && ${fields[1]} =~ ^(ext4|xfs)$ && ${fields[2]} == /?* ]] ||
      die "line $number of $TABLE is not 'NAME FILESYSTEM PATH', with ext4 or xfs, and a path that begins with /, $remedy"
    disks=$((disks + 1))
  done <"$TABLE"
  ((disks + comments > 0)) || die "$TABLE has no line, $remedy"
}

if [[ ${1:-} == set-up ]]; then
  shift
  set_up "$@"
  exit
fi

# One run at a time. Each disk has a process of its own: one that fails does not keep the others from being mounted.
mkdir -p "$ROOT/run"
exec 9>"$ROOT/run/data-disks.lock"
flock 9
check_table
failed=()
while read -r name filesystem path; do
  [[ -z $name || $name == \#* ]] || "$0" set-up "$name" "$filesystem" "$path" </dev/null || failed+=("$name")
done <"$TABLE"
((${#failed[@]} == 0)) || die "not mounted: ${failed[*]}; systemd tries again. K3s does not start before"
# What cloud-init has written so far, such as the files that keep K3s from starting without the disks, is safe before anything enables K3s.
sync --file-system "$ROOT/etc"
}
