#!/bin/sh
# Stands for K3s' installer, as far as a bootstrap can notice: it takes role and parameters as the real one does, keeps
# the K3S_* and proxy variables of its environment, and without INSTALL_K3S_SKIP_START ends with a restart that blocks
# while the API is away.
set -eu

role=${1:?the role}
release=${INSTALL_K3S_VERSION:?the release}
name=k3s
[ "$role" = server ] || name=k3s-$role

mkdir -p /var/lib/stub
{
	echo "role=$role arguments=$#"
	env | grep -E '^(INSTALL_K3S_|K3S_|CONTAINERD_|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)' | sort
} >>/var/lib/stub/installs

if [ "${INSTALL_K3S_SKIP_DOWNLOAD:-}" != true ]; then
	cat >/usr/local/bin/k3s <<STUB
#!/bin/bash
release=$release
$(curl --fail --silent --show-error https://github.com/k3s-io/k3s/releases/download/k3s)
STUB
	chmod 0755 /usr/local/bin/k3s
fi
[ -x /usr/local/bin/k3s ]

(
	umask 077
	env | sed -n -E '/^(K3S_|CONTAINERD_)/p' >"/etc/systemd/system/$name.service.env"
)
cat >"/etc/systemd/system/$name.service" <<UNIT
[Unit]
Description=K3s, or what stands for it
Wants=network-online.target
After=network-online.target

[Install]
WantedBy=multi-user.target

[Service]
Type=notify
NotifyAccess=all
EnvironmentFile=-/etc/systemd/system/$name.service.env
KillMode=process
TimeoutStartSec=0
Restart=always
RestartSec=5s
ExecStart=/usr/local/bin/k3s $*
UNIT
# As the real one: who skips this reads the units again, too.
[ "${INSTALL_K3S_SKIP_ENABLE:-}" != true ] || exit 0
systemctl enable "$name" >/dev/null
systemctl daemon-reload
[ "${INSTALL_K3S_SKIP_START:-}" = true ] || systemctl restart "$name"
