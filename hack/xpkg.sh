#!/bin/sh
# Builds the three packages from the function binary and the package roots, and reads each back.
#
#   hack/xpkg.sh OUTPUT_FOLDER ARCH
set -eu

out=$1 arch=$2

crossplane=.tools/bin/crossplane
runtimeimage=.tools/bin/runtimeimage
binary=$out/function-linux-$arch

# The name of the package in its meta file.
name_of() {
	awk '/^metadata:/ { meta = 1 } meta && /^  name:/ { print $2; exit }' "$1/crossplane.yaml"
}

# No examples in a package: they are shown by one registry only, and a package is fetched by every cluster.
build() {
	root=$1 file=$2
	shift 2
	"$crossplane" xpkg build --package-root "$root" --examples-root "$root/examples" --package-file "$file" "$@" >/dev/null
}

"$runtimeimage" build -binary "$binary" -arch "$arch" -output "$out/runtime-$arch.tar"
function=$out/$(name_of input/package)-$arch.xpkg
build input/package "$function" --embed-runtime-image-tarball "$out/runtime-$arch.tar"
"$runtimeimage" check -package "$function" -root input/package -binary "$binary" -arch "$arch"

for root in package package-v2; do
	configuration=$out/$(name_of "$root").xpkg
	build "$root" "$configuration"
	"$runtimeimage" check -package "$configuration" -root "$root"
done
