package lifecycle

// lettered is a hash that starts with a letter, since YAML takes some words of digits for numbers.
func lettered(hash string) string { return Lettered(hash) }

// Lettered is a hash that YAML takes for text, also without quotes.
func Lettered(hash string) string { return string('a'+hash[0]%6) + hash[1:] }
