// Package apis holds the public API of function-proxmox-machine, by version.
package apis

//go:generate go tool controller-gen object paths=./v1alpha1
//go:generate go run ../internal/cmd/xrdgen --claims=../package/xrds --namespaced=../package-v2/xrds
//go:generate go run ../internal/cmd/schemagen --claims=../package/xrds --namespaced=../package-v2/xrds --catalogue=./catalogue/v1alpha1 --out=../schemas
