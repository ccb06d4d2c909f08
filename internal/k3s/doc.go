// Package k3s says what a machine's cloud-config needs to make it a K3s node:
// files, packages and commands, and which settings a person may make.
//
// All of K3s' settings are in /etc/rancher/k3s/config.yaml, the token is in a file
// of its own, and the work is done by a script that is the same for every node and
// takes its parameters from an environment file. Nothing secret gets into an
// argument, the environment or a unit. See [Node].
//
// The package follows K3s' documentation of its configuration file
// (https://docs.k3s.io/installation/configuration), of its tokens
// (https://docs.k3s.io/cli/token) and the flags in pkg/cli/cmds of k3s-io/k3s.
package k3s
