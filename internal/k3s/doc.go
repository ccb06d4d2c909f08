// Package k3s renders the parts of a machine's cloud-config that make it a K3s node:
// files, packages and commands. It also validates the settings of a claim.
//
// /etc/rancher/k3s/config.yaml has all settings of K3s, and a separate file has the
// token. A constant script installs K3s; it reads its parameters from an
// environment file. No secret is in an argument, the environment or a unit. See [Node].
//
// The package follows K3s's documentation of its configuration file
// (https://docs.k3s.io/installation/configuration), of its tokens
// (https://docs.k3s.io/cli/token) and the flags in pkg/cli/cmds of k3s-io/k3s.
package k3s
