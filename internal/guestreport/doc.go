// Package guestreport has the words that a guest reports of itself without network and credentials: each is the name of a dummy
// network link. The QEMU guest agent lists the names of the guest's links, and the provider copies them to
// status.atProvider.networkInterfaceNames.
//
// One table has the names, for the constant scripts that make the links and for the function that reads them. A word is as old as the
// provider's last poll, 10 minutes by default, and whoever is root in the guest can write any: it decides nothing that could harm a
// machine. No word means that nothing is known: the machine is older than this package, its kernel has no module dummy, the report is
// switched off, or the agent does not answer.
package guestreport
