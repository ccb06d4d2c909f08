package preview

// Followed are no files: a page in a browser has none.
func Followed([]string) []string { return nil }

// LayerCatalogues are none, either.
func LayerCatalogues([]string) []string { return nil }
