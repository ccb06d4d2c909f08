// Package diagnose tells what is wrong with a managed resource, from what the provider reports of it.
//
// The provider's own texts never leave this package: they can hold its SSH key or a machine's whole user-data. They are
// matched against one table, and answered in our own words. A row of the table is all that an error needs: whether its
// resource is paused, what the conditions and events say, and docs/conditions.md follow from it.
package diagnose
