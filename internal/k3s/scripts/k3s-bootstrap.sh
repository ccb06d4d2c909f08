#!/bin/bash
# Installs K3s and brings this node into its cluster. Started by k3s-bootstrap.service;
# safe to run again, and deletes nothing.
#
#   k3s-bootstrap          a run
#   k3s-bootstrap status   says whether the node is in its cluster, and if not, how the last run ended; fails until it is
#   k3s-bootstrap report   reports to the outside that the node is in its cluster, if it is; for k3s-report.service
#
# What to do is in /etc/k3s-bootstrap/env, the unit's EnvironmentFile. How K3s itself is set
# up is in /etc/rancher/k3s/config.yaml.
#
#   NODE_ROLE       init (the first server of a cluster), server or agent
#   NODE_NAME       the host name that the node must have
#   RELEASE         K3s' release, such as v1.33.6+k3s1
#   INSTALL_URL     where K3s' installer is
#   INSTALL_SHA256  the installer's checksum; empty: it is not checked
#   RELEASE_URL     the folder of K3s' releases: K3s is RELEASE_URL/RELEASE/k3s; empty: the installer fetches it
#   BINARY_SHA256   K3s' checksum; empty: that of the release's list
#   JOIN_URL        the API's address; may be empty for init only
#   TOKEN_FILE      where the join token is; empty for init only: K3s makes one
#   TRUST_ON_FIRST_USE
#                   true: server and agent may join with a short token, and trust whichever cluster answers at JOIN_URL
#   RESTORE_SNAPSHOT
#                   the snapshot of etcd in S3 with which init begins; empty: with an empty state. K3s' options of S3 are in
#                   /etc/rancher/k3s/restore-s3.yaml
#   DATA_DIR        K3s' data-dir, if it is not the default
#   REPORT          None: the machine does not report to the outside how far it has come; else by guest-report
#   HTTP_PROXY, HTTPS_PROXY, NO_PROXY
#                   as curl and the installer read them; the installer passes them on to K3s
#
# No other name starts with K3S_: the installer would copy it into the unit of K3s. The token is
# read from its file only; it must not get into an argument, the environment or a message.
{ # bash reads up to the last line before it runs the first: of a script whose end a power cut has lost, it runs nothing, and fails.
set -Eeuo pipefail
trap 'reason="line $LINENO failed"; printf "k3s-bootstrap: FATAL: %s\n" "$reason" >&2' ERR

ROOT=${BOOTSTRAP_ROOT:-} # Stands before every absolute path; for tests.

JOIN_URL=${JOIN_URL:-}
TOKEN_FILE=${TOKEN_FILE:+$ROOT$TOKEN_FILE}
RELEASE_URL=${RELEASE_URL:-}
BINARY_SHA256=${BINARY_SHA256:-}
REPORT=${REPORT:-}
TRUST_ON_FIRST_USE=${TRUST_ON_FIRST_USE:-}
RESTORE_SNAPSHOT=${RESTORE_SNAPSHOT:-}
DATA_DIR=$ROOT${DATA_DIR:-/var/lib/rancher/k3s}
STATE=$ROOT/var/lib/k3s-bootstrap
METRICS=$ROOT/var/lib/prometheus/node-exporter/k3s_bootstrap.prom
CONFIG=$ROOT/etc/rancher/k3s/config.yaml
JOIN_CONFIG=$CONFIG.d/50-join.yaml
RESTORE_S3=$ROOT/etc/rancher/k3s/restore-s3.yaml
BINARY=$ROOT/usr/local/bin/k3s
UNITS=$ROOT/etc/systemd/system
KUBELET_CONFIG=$ROOT/etc/k3s-bootstrap/kubelet.conf
REPORTER=$ROOT/usr/local/sbin/guest-report
DISKS=/usr/local/sbin/data-disks

# Seconds.
CLOCK_TIMEOUT=${CLOCK_TIMEOUT:-60}
TOKEN_TIMEOUT=${TOKEN_TIMEOUT:-300}
GUARD_TIMEOUT=${GUARD_TIMEOUT:-30}
JOIN_TIMEOUT=${JOIN_TIMEOUT:-1800}
INSTALL_TIMEOUT=${INSTALL_TIMEOUT:-600}
READY_TIMEOUT=${READY_TIMEOUT:-900}
SHOW_AFTER=${SHOW_AFTER:-30}
INSTALLER_LIMIT=${INSTALLER_LIMIT:-1800} # Of one run: its downloads have no limit of their own.
RESTORE_LIMIT=${RESTORE_LIMIT:-1800} # Of one run, with the download of the snapshot.
REPORT_LIMIT=${REPORT_LIMIT:-20}

log() { printf 'k3s-bootstrap: %s\n' "$*"; }
die() {
  reason=$*
  log "FATAL: $*" >&2
  exit 1
}

# retry SECONDS COMMAND...: again and again until it succeeds or the time is over.
retry() {
  local limit=$1 start=$SECONDS pause=2
  shift
  until "$@"; do
    ((SECONDS - start < limit)) || return 1
    sleep "$pause"
    ((pause >= 15)) || pause=$((pause + 2))
  done
}

# tell WORD: the machine reports it to the outside. A system that cannot report sets its node up all the same.
told=true
tell() {
  [[ $REPORT != None && -s $REPORTER ]] || return 0
  if ! timeout --kill-after=5 "$REPORT_LIMIT" bash "$REPORTER" "$1" >/dev/null 2>&1; then
    ! $told || log "cannot report to the outside how far it has come: that takes the kernel's module dummy, modprobe and ip"
    told=false
  fi
}

# failure OUTCOME: the word for a run that ended so, of 15 characters at most.
failure() { printf 'k3s-bad-%.7s' "$1"; }

# stage OUTCOME WORD: a run that fails from here on ends with the outcome, and the machine reports the word. Until a run gets beyond
# the stage in which the one before failed, it reports that failure: who polls every ten minutes would miss it between two runs.
failed=
stage() {
  if [[ $failed == "$outcome" && $1 != "$outcome" ]]; then failed=; fi
  outcome=$1
  if [[ -n $failed ]]; then tell "$(failure "$failed")"; else tell "$2"; fi
}

recall_failure() {
  local ended=
  [[ ! -s $STATE/last-run ]] || { read -r ended && read -r failed; } <"$STATE/last-run" || true
  # A power cut may have left anything.
  [[ $failed =~ ^[a-z0-9]+$ && $failed != success && $failed != interrupted ]] || failed=
}

# A run that was stopped from outside says nothing of the node.
tell_outcome() {
  case $outcome in
    success) tell k3s-joined ;;
    interrupted) ;;
    *) tell "$(failure "$outcome")" ;;
  esac
}

choose_role() {
  case $NODE_ROLE in
    init | server) unit=k3s.service command=server ;;
    agent) unit=k3s-agent.service command=agent ;;
    *) die "NODE_ROLE is '$NODE_ROLE'; it must be init, server or agent" ;;
  esac
  [[ $NODE_ROLE == init || -n $JOIN_URL ]] || die "JOIN_URL is empty, so there is no cluster to join"
  [[ $NODE_ROLE == init || -n $TOKEN_FILE ]] || die "TOKEN_FILE is empty, so there is no token to join with"
}

# Written by cloud-init and not flushed: a machine whose power was cut in its first seconds may have it empty, and K3s would
# start a cluster of its own without it.
check_config() {
  [[ -s $CONFIG ]] || die "$CONFIG is missing or empty, as after a power cut while cloud-init wrote it; run: cloud-init clean --reboot"
}

# A machine with data disks has this folder. Its unit runs the script by a drop-in, as K3s' unit does later: of both a power cut may have
# left an empty file, which systemd takes for nothing to do.
check_disks() {
  [[ -e $ROOT/etc/data-disks ]] || return 0
  local of lost=
  for of in data-disks.service k3s-bootstrap.service.d/10-data-disks.conf "$unit.d/10-data-disks.conf"; do
    grep --quiet --fixed-strings --line-regexp -e "ExecStart=$DISKS" -e "ExecStartPre=$DISKS" "$UNITS/$of" 2>/dev/null || lost+=" $UNITS/$of"
  done
  [[ -z $lost ]] || die "K3s could start without the data disks, since files are missing or empty, as after a power cut while cloud-init wrote them:$lost; run: cloud-init clean --reboot"
  [[ -s $ROOT$DISKS ]] || die "$ROOT$DISKS is missing or empty, as after a power cut while cloud-init wrote it; run: cloud-init clean --reboot"
  "$ROOT$DISKS" || die "the data disks are not mounted: see the lines above, or journalctl --unit data-disks. K3s does not start before"
}

# A node that registered under a wrong name has to be made anew: better not to register. Some systems have the full name.
check_host_name() {
  local name
  name=$(hostname)
  [[ ${name%%.*} == "$NODE_NAME" ]] || die "the host name is '$name', not '$NODE_NAME'; K3s would register the node under a wrong name"
}

# On KVM, systemd makes an empty machine-id from the VM's UUID. Another one was in the template: all its clones have it, and a DHCP
# server that goes by it gives them one address. Nothing is changed here, since the machine would lose the address that it has.
check_machine_id() {
  local id='' uuid=''
  [[ $(systemd-detect-virt --vm 2>/dev/null || true) == kvm ]] || return 0
  { read -r id <"$ROOT/etc/machine-id" && read -r uuid <"$ROOT/sys/class/dmi/id/product_uuid"; } 2>/dev/null || return 0
  uuid=${uuid,,}
  [[ $id == "${uuid//-/}" ]] || log "/etc/machine-id is not made from this VM's UUID: it is probably the template's, and all its clones have it, so that DHCP may give them one address. In the template: truncate --size=0 /etc/machine-id; a machine that exists gets its own by: rm /etc/machine-id && systemd-machine-id-setup && reboot"
}

# cloud-init writes these files after systemd has read their folders in this boot.
load_kernel_settings() {
  modprobe -a overlay br_netfilter || log "cannot load the modules overlay and br_netfilter; K3s tries it again"
  sysctl --quiet --system || log "cannot apply all of /etc/sysctl.d"
}

clock_is_right() { [[ $(timedatectl show --property=NTPSynchronized --value 2>/dev/null) == yes ]]; }

# Certificates are checked against the clock.
wait_for_clock() {
  retry "$CLOCK_TIMEOUT" clock_is_right || log "the clock is not synchronised after ${CLOCK_TIMEOUT}s; going on"
}

apt_installs() { dpkg --configure -a && apt-get update --quiet && apt-get install --yes --quiet --no-install-recommends "$@"; }

# cloud-init installs packages once, on the first boot. What it could not get, for want of a mirror or of power, is made up
# for here; without the guest agent the machine does not count as ready.
install_packages() {
  local missing=()
  command -v qemu-ga >/dev/null || [[ ! -e $ROOT/dev/virtio-ports/org.qemu.guest_agent.0 ]] || missing+=(qemu-guest-agent)
  command -v curl >/dev/null || missing+=(ca-certificates curl)
  ((${#missing[@]})) || return 0
  if command -v apt-get >/dev/null; then
    log "installs what cloud-init did not: ${missing[*]}"
    DEBIAN_FRONTEND=noninteractive apt_installs "${missing[@]}" || log "cannot install ${missing[*]}"
    ! command -v qemu-ga >/dev/null || systemctl start --no-block qemu-guest-agent.service || true
  fi
  command -v curl >/dev/null || die "curl is not installed, and K3s cannot be fetched without it; see /var/log/cloud-init-output.log"
}

# The first request that K3s itself makes, and it needs no credentials. The certificate is
# not checked here: K3s checks it against the hash in the token. Why there is no answer is
# said whenever that changes: a missing name, a closed port and a 503 are mended in different places.
endpoint_problem=
endpoint_answers() {
  local answer problem status=0
  answer=$(curl --fail --silent --show-error --insecure --connect-timeout 5 --max-time 10 --output /dev/null "$JOIN_URL/cacerts" 2>&1) || status=$?
  ((status != 0)) || return 0
  problem=$status
  ((status != 22)) || problem=$answer # It ends with the HTTP status; others have times in them.
  [[ $problem == "$endpoint_problem" ]] || log "no answer from $JOIN_URL yet: ${answer:-curl failed with status $status}"
  endpoint_problem=$problem
  return 1
}

has_cluster_data() { [[ -e $DATA_DIR/server/db/etcd || -e $DATA_DIR/server/db/state.db ]]; }

# A first server with an empty disk must not start a second cluster beside a living one: its
# VM was rebuilt, and it has to join. Once decided, it stays so.
# decide_joining SECONDS: how long to ask.
decide_joining() {
  joining=true
  [[ $NODE_ROLE == init ]] || return 0
  if [[ -s $JOIN_CONFIG ]]; then
    log "joins the cluster at $JOIN_URL, as an earlier run has decided"
  elif has_cluster_data; then
    joining=false
    log "has the data of its cluster already"
  elif [[ -n $JOIN_URL ]] && retry "$1" endpoint_answers; then
    [[ -n $TOKEN_FILE ]] || die "$JOIN_URL serves a cluster already, and there is no token to join it with; this node does not start a second one"
    log "$JOIN_URL serves a cluster already: joins it instead of starting a second one"
    mkdir -p "${JOIN_CONFIG%/*}"
    (umask 077 && printf 'cluster-init: false\nserver: "%s"\n' "$JOIN_URL" >"$JOIN_CONFIG.part")
    # After a power cut an empty file would have K3s start that second cluster.
    sync "$JOIN_CONFIG.part"
    mv "$JOIN_CONFIG.part" "$JOIN_CONFIG"
  else
    joining=false
  fi
}

# Nobody may have answered because this machine's own network or its name server was away. Whoever has fetched K3s since
# has a network: it asks once more.
confirm_new_cluster() {
  ! $joining && ! has_cluster_data || return 0
  decide_joining 0
  check_token
  $joining || [[ -n $RESTORE_SNAPSHOT ]] || log "starts a new cluster"
}

token_is_there() { [[ -s $TOKEN_FILE ]]; }

# The file may be written by this machine's user-data or by a snippet of its host. Messages
# name the file and what is wrong with it, never what is in it.
check_token() {
  [[ -n $TOKEN_FILE ]] || return 0
  token_is_there || log "waits for the token in $TOKEN_FILE (at most ${TOKEN_TIMEOUT}s)"
  retry "$TOKEN_TIMEOUT" token_is_there || die "there is no token in $TOKEN_FILE; write the cluster's token into it, mode 0600"
  chmod 0600 "$TOKEN_FILE"

  local token
  token=$(<"$TOKEN_FILE")
  [[ $token != *'<'*'>'* ]] || die "$TOKEN_FILE holds a placeholder instead of a token"
  [[ $token != *[[:space:]]* ]] || die "$TOKEN_FILE holds white space or more than one line"
  ((${#token} >= 16)) || die "$TOKEN_FILE holds a token that is shorter than 16 characters"

  local full='^K10[0-9a-fA-F]{64}::' bootstrap='^[a-z0-9]{6}[.][a-z0-9]{16}$'
  # K3s takes any word of that form for a bootstrap token, with which no server joins.
  if [[ $TRUST_ON_FIRST_USE == true && $token != K10* ]] && [[ $NODE_ROLE == agent || $NODE_ROLE == server && ! $token =~ $bootstrap ]]; then
    log "joins with a short token: it cannot check whether the cluster at $JOIN_URL is the right one"
    return
  fi
  case $NODE_ROLE in
    init)
      # The hash is that of the cluster's CA, which a new cluster does not have yet.
      $joining || [[ $token != K10* ]] || die "$TOKEN_FILE holds a token of an existing cluster (K10...); a new cluster takes a short one"
      ;;
    server) [[ $token =~ ${full}server:. ]] || die "$TOKEN_FILE holds no server token (K10<hash>::server:<password>); see /var/lib/rancher/k3s/server/token on a server" ;;
    agent) [[ $token =~ ${full}. ]] || die "$TOKEN_FILE holds no full token (K10<hash>::...); see /var/lib/rancher/k3s/server/token on a server" ;;
  esac
}

wait_for_endpoint() {
  $joining || return 0
  log "waits for $JOIN_URL (at most ${JOIN_TIMEOUT}s)"
  retry "$JOIN_TIMEOUT" endpoint_answers || die "$JOIN_URL did not answer within ${JOIN_TIMEOUT}s"
}

fetch_installer() {
  curl --fail --silent --show-error --location --connect-timeout 10 --max-time 120 --output "$STATE/install.sh" "$INSTALL_URL"
}

check_installer() {
  # What a proxy or a portal serves in its place; sh would run what it can of it.
  [[ $(head --bytes=1 "$STATE/install.sh") != '<' ]] || die "$INSTALL_URL serves a page and no script; it was not run"
  [[ -n ${INSTALL_SHA256:-} ]] || return 0
  printf '%s  %s\n' "$INSTALL_SHA256" "$STATE/install.sh" | sha256sum --check --status - && return 0
  rm -f "$STATE/install.sh"
  die "the installer from $INSTALL_URL does not have the checksum $INSTALL_SHA256; it was not run"
}

# have_release: K3s of this release is there, as in an image that brings it.
have_release() {
  local have
  have=$( ("$BINARY" --version 2>/dev/null || true) | awk 'NR == 1 { print $3 }')
  [[ $have == "$RELEASE" ]] || return 1
  [[ -z $BINARY_SHA256 ]] || has_checksum "$BINARY"
}

has_checksum() { printf '%s  %s\n' "$BINARY_SHA256" "$1" | sha256sum --check --status -; }

fetch() { curl --fail --silent --show-error --location --connect-timeout 10 --max-time "$INSTALLER_LIMIT" --output "$2" "$1"; }

# From a mirror, where the installer cannot be told to look.
fetch_binary() {
  local name=k3s list=sha256sum-amd64.txt folder sum
  case $(uname -m) in
    aarch64 | arm64) name=k3s-arm64 list=sha256sum-arm64.txt ;;
    arm*) name=k3s-armhf list=sha256sum-arm.txt ;;
  esac
  folder=${RELEASE_URL:-https://github.com/k3s-io/k3s/releases/download}
  folder=${folder%/}/${RELEASE//+/%2B}
  problem="cannot fetch $folder/$name within ${INSTALL_TIMEOUT}s"
  fetch "$folder/$name" "$STATE/k3s" || return 1
  if [[ -z $BINARY_SHA256 ]]; then
    problem="cannot fetch $folder/$list, and binarySHA256 is not set, so K3s cannot be checked"
    fetch "$folder/$list" "$STATE/$list" || return 1
    sum=$(awk -v name="$name" '$2 == name { print $1 }' "$STATE/$list")
    [[ $sum =~ ^[0-9a-f]{64}$ ]] || die "$folder/$list has no checksum of $name"
  fi
  BINARY_SHA256=${BINARY_SHA256:-$sum} has_checksum "$STATE/k3s" || die "$folder/$name does not have the checksum ${BINARY_SHA256:-$sum}; it was not installed"
  mkdir -p "${BINARY%/*}"
  install -m 0755 "$STATE/k3s" "$BINARY.part"
  mv "$BINARY.part" "$BINARY"
  rm -f "$STATE/k3s"
}

# Without SKIP_START the installer ends with a restart of K3s, which blocks for ever while the
# API is away (Type=notify, TimeoutStartSec=0). With SKIP_ENABLE K3s does not start by itself after a power cut, before this
# script has decided whether it joins.
run_installer() {
  INSTALL_K3S_VERSION=$RELEASE INSTALL_K3S_SKIP_START=true INSTALL_K3S_SKIP_ENABLE=true INSTALL_K3S_SKIP_DOWNLOAD=$1 \
    timeout --kill-after=30 "$INSTALLER_LIMIT" sh "$STATE/install.sh" "$command"
}

# The script is fetched for each try: it may be what is wrong. One that was cut off in the middle may end well and do nothing.
try_to_install() {
  problem="cannot fetch the installer from $INSTALL_URL within ${INSTALL_TIMEOUT}s"
  fetch_installer || return 1
  check_installer
  local skip_download=true
  if have_release; then
    log "K3s $RELEASE is there already: it is not downloaded"
  elif [[ -n $RELEASE_URL$BINARY_SHA256 ]]; then
    fetch_binary || return 1
  else
    skip_download=false
  fi
  problem="the installer failed for ${INSTALL_TIMEOUT}s"
  run_installer "$skip_download" || return 1
  problem="the installer from $INSTALL_URL ends without having installed K3s"
  [[ -e $UNITS/$unit ]]
}

is_in_use() { [[ -e $DATA_DIR/server/db || -e $DATA_DIR/agent/client-kubelet.crt ]]; }

install_k3s() {
  # An empty unit is what a power cut leaves of a new one.
  local have problem
  have=$( ("$BINARY" --version 2>/dev/null || true) | awk 'NR == 1 { print $3 }')
  if [[ -s $UNITS/$unit && $have == "$RELEASE" ]]; then
    log "K3s $have is installed already"
    return
  fi
  if [[ -s $UNITS/$unit && -n $have ]] && is_in_use; then
    # Upgrades, and above all downgrades, are not made by a bootstrap.
    log "K3s $have is installed and in use; it is left as it is, although $RELEASE is asked for"
    return
  fi
  log "installs K3s $RELEASE"
  retry "$INSTALL_TIMEOUT" try_to_install || die "$problem"
  sync "$BINARY" "$UNITS/$unit" || true
}

# K3s' kubelet reads this folder, which may be on a disk that was mounted after cloud-init wrote its files.
configure_kubelet() {
  local drop_in=$DATA_DIR/agent/etc/kubelet.conf.d/50-shutdown.conf
  [[ -s $KUBELET_CONFIG && ! -s $drop_in ]] || return 0
  install -d -m 0700 "${drop_in%/*}"
  install -m 0600 "$KUBELET_CONFIG" "$drop_in"
}

# mark NAME: a file that a power cut leaves as it was, or whole.
mark() {
  date -u +%FT%TZ >"$STATE/$1.part"
  sync "$STATE/$1.part"
  mv "$STATE/$1.part" "$STATE/$1"
  sync "$STATE"
}

# K3s restores before it starts for the first time, and never again: "restored" is there before K3s starts. Until then no state can be lost, so a restore
# that a power cut ended is made again; K3s moves aside what there is of it. A machine that joins restores nothing.
restore_snapshot() {
  [[ -n $RESTORE_SNAPSHOT && ! -e $STATE/restored ]] && ! $joining || return 0
  [[ -e $STATE/restoring ]] || ! has_cluster_data || die "there is the data of a cluster in $DATA_DIR, and snapshot $RESTORE_SNAPSHOT would take its place; nothing was restored"
  [[ -s $RESTORE_S3 ]] || die "there is no $RESTORE_S3 with K3s' options of S3 (etcd-s3-endpoint, etcd-s3-bucket, etcd-s3-access-key, etcd-s3-secret-key), and snapshot $RESTORE_SNAPSHOT is in S3; write it, mode 0600"
  mark restoring
  log "restores etcd from snapshot $RESTORE_SNAPSHOT in S3 (at most ${RESTORE_LIMIT}s)"
  # K3s itself must not have these options afterwards. There is no API server yet that has the Secret which K3s reads them from.
  local settings=$ROOT/run/k3s-restore
  rm -rf "$settings"
  install -d -m 0700 "$settings" "$settings/config.yaml.d"
  cp "$CONFIG" "$settings/config.yaml"
  local file
  for file in "$CONFIG.d"/*.yaml; do [[ ! -e $file ]] || cp "$file" "$settings/config.yaml.d/"; done
  cp "$RESTORE_S3" "$settings/config.yaml.d/98-s3.yaml"
  printf 'etcd-s3: true\netcd-s3-config-secret: ""\n' >"$settings/config.yaml.d/99-restore.yaml"
  timeout --kill-after=30 "$RESTORE_LIMIT" "$BINARY" server --config="$settings/config.yaml" --cluster-reset --cluster-reset-restore-path="$RESTORE_SNAPSHOT" ||
    die "K3s did not restore snapshot $RESTORE_SNAPSHOT: see the lines above; it needs the token of the time when the snapshot was taken, and its release of K3s"
  rm -rf "$settings"
  has_cluster_data || die "K3s ended well, and has restored nothing from snapshot $RESTORE_SNAPSHOT"
  sync --file-system "$DATA_DIR/server"
  mark restored
}

# What stops a node for good, as K3s says it in its journal, and what to do about it in one sentence. Each ends by itself once its
# cause is gone, since K3s goes on asking.
explain() {
  local sentence
  case $1 in
    *'Node password rejected'*)
      sentence="the cluster knows a node $NODE_NAME with another password, as after a replacement of its VM: run on a server: kubectl delete node $NODE_NAME; if there is no such node: kubectl --namespace kube-system delete secret $NODE_NAME.node-password.k3s"
      # With its Node, the only member of a restored etcd would go.
      [[ ! -e $STATE/restored ]] || sentence="the snapshot knows node $NODE_NAME with another password: run here: k3s kubectl --namespace kube-system delete secret $NODE_NAME.node-password.k3s; do not delete the node, which is the only member of etcd"
      ;;
    *'duplicate node name'*)
      sentence="the cluster's etcd still has a member for $NODE_NAME, as after a replacement of its VM: run on another server: kubectl delete node $NODE_NAME"
      ;;
    *'CA hash does not match'*)
      sentence="the token in ${TOKEN_FILE#"$ROOT"} belongs to another cluster than the one at $JOIN_URL: write the token of that cluster into it, which is in /var/lib/rancher/k3s/server/token on its servers"
      ;;
    *'critical configuration'*)
      sentence="the settings of this server differ from those of its cluster's servers where all must be equal: correct ${CONFIG#"$ROOT"} here, and the config of the cluster in the catalogue for nodes to come"
      ;;
    *) return 0 ;;
  esac
  if [[ $sentence != "$refusal" ]]; then
    log "$sentence"
    tell "$(failure refused)"
  fi
  refusal=$sentence
}

# Prints the last lines of K3s' journal since this run has started it, those that differ only in times and numbers once. $1
# stands above them. Fails if there is nothing new.
declare -A shown=()
refusal=
show_journal() {
  local line key new=()
  while IFS= read -r line; do
    # The kubelet and its like say much that is of no interest here: "I1122 07:10:22.123456 ...".
    [[ $line != I[0-9][0-9][0-9][0-9]\ * ]] || continue
    key="line ${line//[0-9]/}"
    [[ -z ${shown[$key]:-} ]] || continue
    shown[$key]=yes
    new+=("$line")
  done < <(journalctl --unit="$unit" --since="@$started" --output=cat --no-pager)
  ((${#new[@]})) || return 1
  log "$1"
  printf '%s\n' "${new[@]}" | tail --lines=20
  for line in "${new[@]}"; do explain "$line"; done
}

# K3s that takes its settings for wrong ends within seconds, and systemd starts it again and again. K3s that is refused by its
# cluster does not end: an agent asks again every few seconds, for ever. Both are shown at once, not when the time is over.
failure_shown=false
show_failure() {
  local restarts
  restarts=$(systemctl show --property=NRestarts --value "$unit")
  if [[ $restarts =~ ^[1-9] ]] && ! $failure_shown; then
    ! show_journal "$unit has failed and is started again; the end of its journal:" || failure_shown=true
  elif ((${#shown[@]} > 0)); then
    show_journal "$unit goes on:" || true
  elif (($(date +%s) - started >= SHOW_AFTER)); then
    show_journal "$unit is not ready after ${SHOW_AFTER}s; the end of its journal:" || true
  fi
}

node_is_ready() {
  systemctl is-active --quiet "$unit" || { show_failure; return 1; }
  if [[ $command == server ]]; then
    KUBECONFIG=$DATA_DIR/server/cred/admin.kubeconfig "$BINARY" kubectl get --raw=/readyz >/dev/null 2>&1
  else
    curl --fail --silent --max-time 5 --output /dev/null http://127.0.0.1:10248/healthz
  fi
}

start_k3s() {
  local started
  started=$(date +%s)
  systemctl daemon-reload
  systemctl enable --quiet "$unit"
  systemctl start --no-block "$unit"
  log "waits for $unit (at most ${READY_TIMEOUT}s)"
  retry "$READY_TIMEOUT" node_is_ready && return 0
  journalctl --unit="$unit" --lines=40 --no-pager || true
  [[ -z $refusal ]] || outcome=refused
  die "$unit is not ready after ${READY_TIMEOUT}s${refusal:+: $refusal}"
}

# How a run ended, as systemd does not say it: a unit that is started again is never "failed". Outcomes are in the words of
# docs/observability.md.
outcome=error reason=

gauge() { printf '# HELP k3s_bootstrap_%s %s\n# TYPE k3s_bootstrap_%s gauge\nk3s_bootstrap_%s%s %s\n' "$1" "$4" "$1" "$1" "$2" "$3"; }

print_metrics() {
  local now
  now=$(date +%s)
  gauge last_run_timestamp_seconds '' "$now" 'Time at which the last run ended.'
  gauge outcome "{outcome=\"$outcome\"}" 1 'How the last run ended.'
  [[ $outcome == success ]] || return 0
  gauge last_success_timestamp_seconds '' "$now" 'Time at which the last successful run ended.'
  gauge info "{revision=\"$RELEASE\"}" 1 'The release of K3s that the node was set up with.'
}

# For node-exporter's textfile collector, which may have another user, and for "k3s-bootstrap status".
report() {
  printf '%s\n' "$(date -u +%FT%TZ)" "$outcome" "$reason" >"$STATE/last-run" &&
    mkdir -p "${METRICS%/*}" && print_metrics >"$METRICS.part" && chmod 0644 "$METRICS.part" && mv "$METRICS.part" "$METRICS"
}

status() {
  local role version since ended
  if [[ -s $STATE/done ]]; then
    read -r role version since <"$STATE/done"
    echo "k3s-bootstrap: done: this node was set up with K3s $version (role $role) on $since"
    return 0
  fi
  case $(systemctl show --property=SubState --value k3s-bootstrap.service 2>/dev/null || true) in
    start) echo "k3s-bootstrap: not done: this node is not in its K3s cluster yet; a run is under way" ;;
    auto-restart) echo "k3s-bootstrap: not done: this node is not in its K3s cluster yet; the next run starts within a minute" ;;
    *) echo "k3s-bootstrap: not done: this node is not in its K3s cluster, and no run is under way; to start one: systemctl start --no-block k3s-bootstrap" ;;
  esac
  if [[ -s $STATE/last-run ]]; then
    { read -r ended && read -r outcome && read -r reason; } <"$STATE/last-run"
    echo "k3s-bootstrap: the last run ended at $ended ($outcome): $reason"
  fi
  echo "k3s-bootstrap: more: journalctl --unit k3s-bootstrap"
  return 1
}

main() {
  install -d -m 0700 "$STATE"
  recall_failure
  trap 'tell_outcome; report || log "cannot report how this run ended; is the disk full?"' EXIT
  trap 'outcome=interrupted reason="stopped from outside"; exit 143' TERM INT
  stage configuration k3s-waiting
  : "${NODE_ROLE:?}" "${NODE_NAME:?}" "${RELEASE:?}" "${INSTALL_URL:?}"
  choose_role
  check_config
  check_disks
  check_host_name
  check_machine_id
  load_kernel_settings
  wait_for_clock
  stage packages k3s-waiting
  install_packages
  stage token k3s-waiting
  decide_joining "$GUARD_TIMEOUT"
  check_token
  stage endpoint k3s-waiting
  wait_for_endpoint
  stage installer k3s-installing
  install_k3s
  stage token k3s-installing
  confirm_new_cluster
  stage k3s k3s-installing
  restore_snapshot
  configure_kubelet
  start_k3s
  printf '%s %s %s\n' "$NODE_ROLE" "$RELEASE" "$(date -u +%FT%TZ)" >"$STATE/done"
  outcome=success
  log "done: $NODE_NAME runs K3s as $command"
}

case ${1:-run} in
  run) main ;;
  status) status || exit ;;
  report) [[ ! -s $STATE/done ]] || tell k3s-joined ;;
  *) die "cannot '$1'; the commands are status and report" ;;
esac
}
