package preview

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// takesFromPool says whether a claim asks for an address of its site's pool.
func (c Claim) takesFromPool() bool {
	pool, _, err := unstructured.NestedBool(c.Object.Object, "spec", "network", "pool")

	return err == nil && pool
}
