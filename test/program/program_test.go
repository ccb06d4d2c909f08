package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestWrite runs what was written while other goroutines start processes. With os.WriteFile alone, some of the runs are refused.
func TestWrite(t *testing.T) {
	var (
		busy sync.WaitGroup
		done = make(chan struct{})
	)

	for range 4 {
		busy.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					_ = exec.Command("/bin/true").Run()
				}
			}
		})
	}

	file := filepath.Join(t.TempDir(), "program")

	for i := range 200 {
		if err := Write(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}

		if err := exec.Command(file).Run(); err != nil {
			t.Errorf("run %d: %v", i, err)

			break
		}
	}

	close(done)
	busy.Wait()

	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("mode: %v, %v", info.Mode(), err)
	}
}

// TestNobodyElseWritesPrograms: no test of any module writes a file that may be run, or one whose mode cannot be read in the call, but here or with
// syscall.ForkLock in the same function. One run of the presubmit was lost to a script that was "busy".
func TestNobodyElseWritesPrograms(t *testing.T) {
	const root = "../.."

	read := 0

	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}

		name, _ := filepath.Rel(root, path)

		switch {
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || strings.HasPrefix(entry.Name(), "_") || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case filepath.Ext(name) != ".go" || !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "test/"):
			return nil
		}

		read++

		set := token.NewFileSet()

		parsed, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}

		for _, at := range unguarded(parsed) {
			t.Errorf("%s:%d: a file that a test runs is written with test/program, or while no process is started", name, set.Position(at).Line)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	if read < 300 {
		t.Errorf("only %d files were read", read)
	}
}

// TestUnguarded: what the rule finds, and what it lets be.
func TestUnguarded(t *testing.T) {
	cases := map[string]struct {
		reason string
		body   string
		found  int
	}{
		"Program":  {"Anybody may run it.", `os.WriteFile(f, b, 0o755)`, 1},
		"Owner":    {"Its owner may run it.", `os.OpenFile(f, os.O_WRONLY, 0700)`, 1},
		"Variable": {"It is run when the mode says so.", `os.WriteFile(f, b, mode)`, 1},
		"Nested":   {"A call is found inside of another one.", `errors.Join(os.WriteFile(f, b, 0o711))`, 1},
		"Guarded":  {"No process is started meanwhile.", `syscall.ForkLock.RLock(); os.WriteFile(f, b, 0o755)`, 0},
		"File":     {"Nobody runs it.", `os.WriteFile(f, b, 0o600)`, 0},
		"Folder":   {"Nothing is opened for writing.", `os.MkdirAll(f, 0o755)`, 0},
	}

	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			parsed, err := parser.ParseFile(token.NewFileSet(), name, "package p\nfunc f() {"+tc.body+"}", 0)
			if err != nil {
				t.Fatal(err)
			}

			if got := len(unguarded(parsed)); got != tc.found {
				t.Errorf("%s\n%d found, want %d", tc.reason, got, tc.found)
			}
		})
	}
}

// unguarded are the calls that write what may be run, in functions that do not hold the lock.
func unguarded(file *ast.File) []token.Pos {
	var found []token.Pos

	for _, decl := range file.Decls {
		var calls []token.Pos

		guarded := false

		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				guarded = guarded || n.Sel.Name == "ForkLock"
			case *ast.CallExpr:
				if writesProgram(n) {
					calls = append(calls, n.Pos())
				}
			}

			return true
		})

		if !guarded {
			found = append(found, calls...)
		}
	}

	return found
}

// writesProgram of os.WriteFile and os.OpenFile: their last argument is the mode.
func writesProgram(call *ast.CallExpr) bool {
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) != 3 || !slices.Contains([]string{"WriteFile", "OpenFile"}, called.Sel.Name) {
		return false
	}

	if in, ok := called.X.(*ast.Ident); !ok || in.Name != "os" {
		return false
	}

	literal, ok := call.Args[2].(*ast.BasicLit)
	if !ok {
		return true
	}

	mode, err := strconv.ParseUint(literal.Value, 0, 32)

	return err != nil || mode&0o111 != 0
}
