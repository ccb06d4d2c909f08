#!/bin/sh
# Builds the playground's WebAssembly module: hack/playground.sh FILE.
#
# Two modules are built from copies without one file each, because the linker cannot tell that nothing calls it, and a browser would have to
# load it: the gRPC client and server of Crossplane's protocol, with all of gRPC; and the reader of watches of an API server, with an HTTP/2 client.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
work=$root/_output/playground

cd "$root"
rm -rf "$work"
mkdir -p "$work" "$(dirname "$out")"
cp go.mod go.sum "$work"

# without MODULE FILE: builds with a copy of the module that lacks the file.
without() {
	copy=$work/${1##*/}
	go mod download "$1"
	cp -R "$(go list -m -f '{{.Dir}}' "$1")" "$copy"
	chmod -R u+w "$copy"
	rm "$copy/$2"
	go mod edit -replace "$1=$copy" "$work/go.mod"
}

without github.com/crossplane/function-sdk-go proto/v1/run_function_grpc.pb.go
without k8s.io/apimachinery pkg/watch/streamwatcher.go

# An inlined call is one more copy of what it calls. What an answer spends little time in has none: a browser loads a tenth less. What the function does for each
# edit keeps them: without, an answer takes half as long again.
set --
for of in lint preview diagnose strict why tenancy site world rehearse cluster nixos secretstore datadisks privilege externaldns succession usage; do
	set -- "$@" "-gcflags=github.com/homelab-io/function-proxmox-machine/internal/$of=-l"
done
for of in crypto/... math/big log/slog encoding/xml encoding/asn1 golang.org/x/... go.yaml.in/yaml/v2/... google.golang.org/protobuf/... \
	k8s.io/... sigs.k8s.io/... github.com/crossplane/... github.com/fxamacker/... github.com/json-iterator/...; do
	set -- "$@" "-gcflags=$of=-l"
done

GOOS=js GOARCH=wasm CGO_ENABLED=0 go build -modfile="$work/go.mod" -trimpath -buildvcs=false "$@" -ldflags "-s -w" -o "$out" ./cmd/playground
