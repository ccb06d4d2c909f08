// Package nix tests what a NixOS machine runs to converge from its flake: the scripts and units of internal/nixos/scripts
// and the example flake of example/nix.
//
// The scripts run for real, in bash, against a directory that stands for the machine's root and programs that stand for
// nix, nixos-rebuild and systemctl (package file machine_test.go). The Nix files are parsed and evaluated by a real Nix with
// a small library in testdata in place of nixpkgs, which a test cannot download.
//
// Needed: bash, git, util-linux, systemd, nix-bin and shellcheck of Debian. What needs a missing one is skipped with a message;
// with CI=true in the environment it fails.
package nix
