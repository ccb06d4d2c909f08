// Package input holds the Function's Input, by version, and the root of the Function's package.
package input

//go:generate go tool controller-gen object paths=./v1beta1
//go:generate go tool controller-gen crd paths=./v1beta1 output:crd:artifacts:config=./package/crds
