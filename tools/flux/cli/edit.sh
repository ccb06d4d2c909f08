#!/bin/sh
# Flux' command line embeds the manifests of `flux install`, which a release generates and the module proxy's archive has
# not. A file stands in their place: what this program cannot do is install Flux.
set -eu

mkdir -p cmd/flux/manifests
echo "# Manifests of a release are not part of the module." >cmd/flux/manifests/none.yaml
