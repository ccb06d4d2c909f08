// Package plane brings up a Kubernetes control plane with Crossplane on it, on free ports of the loopback interface and
// without containers: etcd, kube-apiserver, kube-controller-manager, Crossplane with its RBAC manager, a package registry,
// and what runs Functions. All programs are the real ones; a Plane starts them, restarts single ones, and stops only what
// it started.
package plane
