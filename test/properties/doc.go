// Package properties makes random machines, sees them half, edits them into random others and back, and holds every answer against
// what would destroy, reboot or wedge a machine. See CONTRIBUTING.md, "What no edit may do".
package properties
