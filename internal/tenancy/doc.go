// Package tenancy judges what a claim reaches by the rules that the catalogue has for its namespace. It refuses what a claim newly asks for; what a
// machine has already, it leaves alone.
package tenancy
