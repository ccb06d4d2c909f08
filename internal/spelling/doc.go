// Package spelling translates claims and catalogues between the ways to write the same thing, before anything else reads them: the
// spellings of earlier releases, which are accepted for one release, and short forms.
//
// Only what is right is translated. What is wrong stays as the person typed it, so that each fault has the person's path and value.
//
// Values of enumerations are CamelCase, with acronyms in capitals, as Kubernetes' API conventions have them. Words of another program stay
// as that program spells them: roles of K3s (server, agent), cache modes, CPU types, displays and chipsets of Proxmox VE and QEMU, file
// systems of Linux, and operating systems of the catalogue.
package spelling
