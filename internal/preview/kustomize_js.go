package preview

import "github.com/crossplane/function-sdk-go/errors"

// A browser has no folders, and Kustomize is a fifth of the program.

func kustomization(string) string { return "" }

func buildFolder(folder string) ([]document, error) {
	return nil, errors.Errorf("cannot build %s: there is no Kustomize in a browser", folder)
}
