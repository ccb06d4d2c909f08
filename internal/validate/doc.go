// Package validate checks what a person wrote in a claim, with nothing but the claim at hand.
//
// It checks all that the XRDs check, because `crossplane render`, and objects from before a rule existed, never met the API
// server, and what the XRDs cannot express. Every fault is reported at once, with the path that was typed and what
// would be right. Values are shortened, and what may be a secret is never shown.
//
// Empty text is a field that was left out; package claim refuses it where a person wrote it and it means nothing.
package validate
