// Package v1alpha1 holds version v1alpha1 of the catalogue: what claims can name. A catalogue is the data of an EnvironmentConfig, or
// catalog.inline of a Composition's Input.
//
// The function and `kubectl machine lint` decode catalogues into these types, and `make generate` generates schemas/catalogue.json from
// them, which editors read.
package v1alpha1
