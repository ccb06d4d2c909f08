// Package validate checks a claim by itself, without the catalogue.
//
// It repeats all checks of the XRDs, because the API server never checked the claims of `crossplane render`, or objects that are
// older than a rule. It adds checks that an XRD cannot express. It reports all faults at once, each with the path that the user
// typed and a correct value or rule. It shortens values, and never shows a value that may be a secret.
//
// An empty string is a field that the user left out; package claim refuses an empty string where it would have no meaning.
package validate
