#!/bin/sh
# Renders every claim of example/ in every flavour and has the crossplane command line validate claims, catalogues and
# all that was rendered: unknown fields, types, ranges and CEL rules, against our XRDs, Crossplane's own CRDs and those
# of the Proxmox provider. It needs no network.
#
#   PROVIDER_CRDS=FOLDER OTHER_CRDS=FOLDER hack/validate.sh RENDER_COMMAND CROSSPLANE OUTPUT_FOLDER
#
# PROVIDER_CRDS holds a folder of CRDs for each provider release, and OTHER_CRDS one of its kinds for sites. They are not ours to publish: without them nothing is
# checked, and a message says so; with CI=true that is a failure.
set -eu

render=$1 crossplane=$2 out=$3
examples=${EXAMPLES:-example}
current=v1.18.0 # The releases of the provider that the flavours are for.
legacy=v0.11.1

crds=${PROVIDER_CRDS:?}
sites=${OTHER_CRDS:?}/provider-proxmox-bpg-$current
if [ ! -d "$crds/$current" ] || [ ! -d "$crds/$legacy" ] || [ ! -d "$sites" ]; then
	echo "validate: skipped, since there are no folders $crds/$current, $crds/$legacy and $sites with the provider's CRDs (set PROVIDER_CRDS and OTHER_CRDS)" >&2
	[ "${CI:-}" != true ]
	exit
fi

# The command line wants the CRDs of a Crossplane image and would fetch it. It looks into its cache first, so they are
# put there from the source of the same release.
core=github.com/crossplane/crossplane/v2
version=$(cd tools/cluster && go list -m -f '{{.Version}}' $core)
(cd tools/cluster && go mod download $core)
source=$(cd tools/cluster && go list -m -f '{{.Dir}}' $core)
image=xpkg.crossplane.io/crossplane/crossplane:$version

rm -rf "$out"
cached=$out/cache/$(echo "$image" | tr : @)
mkdir -p "$cached"
for crd in "$source"/cluster/crds/*.yaml; do
	cat "$crd"
	printf '\n---\n'
done >"$cached/package.yaml"

# validate SCHEMAS RESOURCES: both are lists of files and folders with commas between.
validate() {
	"$crossplane" resource validate "$1" "$2" --cache-dir "$PWD/$out/cache" --crossplane-image "$image" \
		--error-on-missing-schemas --skip-success-results
}

# must_fail WHAT PATTERN SCHEMAS RESOURCES: a check that cannot fail checks nothing, so each run shows that it can.
must_fail() {
	if validate "$3" "$4" >"$out/control.log" 2>&1 || ! grep -q "$2" "$out/control.log"; then
		echo "validate: $1 was not refused:" >&2
		cat "$out/control.log" >&2
		exit 1
	fi
}

# with_unknown_field AFTER FROM TO: copies the YAML files, with a field below the first AFTER of each that no schema has.
with_unknown_field() {
	mkdir -p "$3"
	for file in "$2"/*.yaml; do
		awk -v after="$1:" '
			{ print }
			!done && $0 ~ "^ *" after " *$" { match($0, /^ */); printf "%*s  noSuchField: true\n", RLENGTH, ""; done = 1 }
		' "$file" >"$3/$(basename "$file")"
	done
}

# What Flux and Argo CD apply, test/gitops validates; a layer there is called catalogue.yaml, too.
catalogues=$(find "$examples" \( -path "$examples/flux" -o -path "$examples/argocd" \) -prune -o -name catalogue.yaml -print | tr '\n' ',')

for flavour in claims legacy namespaced; do
	case $flavour in
	claims) package=package provider=$crds/$current,$sites ;;
	legacy) package=package provider=$crds/$legacy ;;
	namespaced) package=package-v2 provider=$crds/$current,$sites ;;
	esac

	dir=$out/$flavour
	schemas=$package/xrds,input/package/crds,$provider

	# The function refuses containers and sites with an old provider.
	from=$examples
	if [ $flavour = legacy ]; then
		from=$out/examples
		cp -R "$examples" "$from"
		rm -rf "$from/container" "$from/site-parts"
	fi

	echo "== $flavour: $examples with $package and $provider"
	$render --flavour $flavour -f "$from" --output-dir "$dir"
	validate "$schemas" "$catalogues$package/xrds,$package/compositions,$dir/claims,$dir/rendered"

	with_unknown_field spec "$dir/claims" "$out/control/$flavour/claims"
	with_unknown_field forProvider "$dir/rendered" "$out/control/$flavour/rendered"
	must_fail "a claim with an unknown field" noSuchField "$schemas" "$out/control/$flavour/claims"
	must_fail "a rendered resource with an unknown field" noSuchField "$schemas" "$out/control/$flavour/rendered"
	must_fail "a rendered resource without a schema" "could not find CRD/XRD" "$package/xrds" "$dir/rendered"
done
