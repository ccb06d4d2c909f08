# shellcheck shell=bash
# Stands for the k3s binary, after a line release=RELEASE.
set -eu
: "${release:?}"

data=/var/lib/rancher/k3s
setting() {
  # Files in alphabetical order, the last value wins.
  cat /etc/rancher/k3s/config.yaml /etc/rancher/k3s/config.yaml.d/*.yaml 2>/dev/null | sed -n "s/^$1: *//p" | tail -n 1 | tr -d \"
}

case $1 in
--version)
  echo "k3s version $release (stub)"
  ;;
kubectl)
  [[ -e $data/server/serving ]]
  ;;
server | agent)
  rm -f "$data/server/serving"
  [[ $(hostname) == "$(setting node-name)" ]] || { echo "node-name is $(setting node-name)" >&2; exit 1; }
  token=$(cat "$(setting token-file)" 2>/dev/null || true)
  join=$(setting server)
  if [[ $1 == server && -e $data/server/db/etcd ]]; then
    how=restarted
  elif [[ $1 == server && $(setting cluster-init) == true ]]; then
    how=cluster-init
  elif [[ -n $join && -n $token ]]; then
    # As K3s does, it waits for ever.
    until curl --fail --silent --insecure --output /dev/null "$join/cacerts"; do sleep 5; done
    # And an agent that is refused asks again, for ever, and does not end.
    if [[ $1 == agent ]]; then
      until answer=$(curl --silent --insecure --fail-with-body "$join/v1-k3s/config"); do
        echo "time=\"$(date -u +%FT%TZ)\" level=info msg=\"Waiting to retrieve agent configuration; server is not ready: ${answer}\""
        sleep 5
      done
    fi
    how="joined $join"
  else
    echo "no server to join, or no token" >&2
    exit 1
  fi
  mkdir -p /var/lib/stub "$data/server/cred"
  echo "$1 $how" >>/var/lib/stub/starts
  findmnt --noheadings --raw --output TARGET,FSTYPE --types ext4,xfs >/var/lib/stub/mounts # As K3s finds them.
  [[ $1 == agent ]] || mkdir -p "$data/server/db/etcd"
  : >"$data/server/serving"
  systemd-notify --ready
  if [[ $1 == agent ]]; then
    cd "$(mktemp -d)" && : >healthz && exec python3 -m http.server --bind 127.0.0.1 10248
  fi
  exec sleep infinity
  ;;
esac
