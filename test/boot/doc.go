// Package boot shows that what the function renders becomes the machine that the claim describes: Debian's cloud-init
// runs over every example's documents. See the README for what is needed and what is checked.
package boot
