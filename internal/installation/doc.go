// Package installation judges what a cluster has of what this project needs: the versions of Kubernetes, Crossplane, provider and packages and whether they
// go together, the provider's configuration and its Secret, the catalogue, what Proxmox says of both, and what is not healthy. It reads nothing itself, and
// no finding has a value of a Secret. The facts are those of docs/compatibility.md.
package installation
