// Package site decides about bridges, VLAN interfaces and resource pools: what the managed resources of a ProxmoxSite are, and what is to be said of them.
//
// An interface can cut a node off, or all of its VMs. So the provider looks first whether there is one of the name, and creates it only where there is none;
// what is found is ours only if its comment says so. An interface that exists is written as the provider has read it, but for comments and for what
// the claim allows by a hash. The provider may change it only while there is something to change.
package site
