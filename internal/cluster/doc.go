// Package cluster decides what becomes of the nodes of a K3sCluster: which are created, which of them has its turn, and which goes.
//
// Every node is a composite of kind K3sNode, which decides about its own VM. So a cluster only decides what is in the spec of each node:
// a node that has its turn gets the spec that the claim describes now, and every other node keeps the spec that it has.
package cluster
