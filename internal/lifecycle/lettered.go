package lifecycle

// Lettered is a hash that YAML takes for text, also without quotes: it starts with a letter, since YAML takes some words of digits for numbers.
func Lettered(hash string) string { return string('a'+hash[0]%6) + hash[1:] }
