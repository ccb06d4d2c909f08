// Package provider lets the real Terraform and the real bpg plugin judge what the function renders.
//
// provider-proxmox-bpg is Upjet in CLI mode: it writes every managed resource into a Terraform workspace of its own and
// runs Terraform 1.5.7 with the plugin bpg/proxmox in it. This package does the same, one workspace a managed resource,
// against a simulated Proxmox VE: validate, read what is there, plan, apply, and then a second plan, which must be
// empty. A value that the provider cannot store as given would otherwise show only on a running cluster, as a loop of
// updates with all conditions green.
//
// What is real: Terraform, the plugin, the way of a snippet over SSH. What is simulated: the Proxmox API and the SSH
// daemon of the node, which accepts exactly the commands that the plugin sends.
//
// It is a module of its own, so that the SSH and SFTP libraries of a test never appear in the dependencies of the
// function that is shipped.
package provider
