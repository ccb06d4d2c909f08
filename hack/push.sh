#!/bin/sh
# Pushes the packages that hack/xpkg.sh built to a registry, under one version, and prints their names.
#
#   hack/push.sh OUTPUT_FOLDER REGISTRY VERSION
#
# REGISTRY is host and organisation, such as ghcr.io/homelab-io. Whoever is logged in there with docker, podman or cosign is so here.
set -eu

out=$1 registry=$2 version=$3

crossplane=.tools/bin/crossplane

case $registry in
'' | REGISTRY | *://* | */)
	echo "REGISTRY=$registry is none: want host and organisation, such as REGISTRY=ghcr.io/you" >&2
	exit 1
	;;
esac

# One name for all architectures of a package: the registry answers with the one that a cluster needs.
push() {
	name=$1
	shift
	for file in "$@"; do
		if [ ! -f "$file" ]; then
			echo "there is no $file: make packages builds it" >&2
			exit 1
		fi
	done

	files=
	for file in "$@"; do
		files="$files --package-files $file"
	done
	# shellcheck disable=SC2086 # A list of flags; no file here has a blank in its name.
	"$crossplane" xpkg push "$registry/$name:$version" $files >/dev/null
	echo "$registry/$name:$version"
}

push function-proxmox-machine "$out"/function-proxmox-machine-*.xpkg
push configuration-proxmox-machine "$out/configuration-proxmox-machine.xpkg"
push configuration-proxmox-machine-namespaced "$out/configuration-proxmox-machine-namespaced.xpkg"
