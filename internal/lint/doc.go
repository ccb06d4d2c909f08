// Package lint finds what is wrong with claims and the catalogue before anybody applies them, and where: every fault has a file, a line
// and a column.
//
// It asks the judges of the cluster and adds no rules of its own for what is refused: the function's own checks (packages claim, resolve,
// bootstrap and validate), and, where the caller has one, a [Judge] that holds an object against the XRDs as the API server does. What is
// accepted and useless is a [Warning].
package lint
