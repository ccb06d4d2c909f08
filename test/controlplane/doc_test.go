// Package controlplane holds tests on the real Crossplane: packages are installed as a user installs them, and claims live
// and die there. See README.md.
package controlplane
