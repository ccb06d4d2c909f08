// Package diagnose finds the error of a managed resource in the conditions that the provider sets.
//
// The provider's messages never leave this package, because they can contain its SSH key or a machine's whole user-data. One
// table maps patterns of these messages to the function's own messages. To support another error, add a row: the pause of the
// resource, the conditions, the events and docs/errors.md follow from the row.
package diagnose
