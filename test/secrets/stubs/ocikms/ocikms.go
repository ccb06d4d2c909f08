// Package ocikms stands for a seal by a cloud, which the test's server has not: the cloud's SDK would take minutes to compile.
package ocikms

import wrapping "github.com/hashicorp/go-kms-wrapping/v2"

// A Wrapper is never used.
type Wrapper struct{ wrapping.Wrapper }

// NewWrapper returns a wrapper without methods.
func NewWrapper() *Wrapper { return &Wrapper{} }

// Keys of a configuration.
const (
	KmsConfigKeyId              = "key_id" //nolint:revive // The name that Vault uses.
	KmsConfigCryptoEndpoint     = "crypto_endpoint"
	KmsConfigManagementEndpoint = "management_endpoint"
)
