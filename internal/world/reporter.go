package world

// A Reporter is told of what the world cannot go on after, as a test is. Fatal and Fatalf do not return.
type Reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}
