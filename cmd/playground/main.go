//go:build js && wasm

// Command playground is the site's playground: the function and its previews as WebAssembly. A Web Worker calls it with JSON, and it answers
// with JSON. It has no file, no network and no clock to ask.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/homelab-io/function-proxmox-machine/internal/playground"
)

// gcPercent lets the heap grow to five times what is in use: an answer then rarely waits for the garbage collector.
const gcPercent = 400

func main() {
	debug.SetGCPercent(gcPercent)

	p, err := playground.New()
	if err != nil {
		panic(err)
	}

	js.Global().Set("playground", js.ValueOf(map[string]any{
		"answer":   called(func(req playground.Request) (any, error) { return p.Answer(context.Background(), req), nil }),
		"running":  called(func(req playground.Request) (any, error) { return p.Running(context.Background(), req) }),
		"schemas":  called(func(playground.Request) (any, error) { return p.Schemas(), nil }),
		"rehearse": called(func(e playground.Edit) (any, error) { return p.Rehearse(context.Background(), e) }),
		"playOn":   called(func(playground.Edit) (any, error) { return p.PlayOn() }),
	}))

	if ready := js.Global().Get("playgroundReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}

	select {} // JavaScript calls from now on.
}

// called is a function for JavaScript: a request as JSON in, {result} or {error} as JSON out.
func called[T any](f func(req T) (any, error)) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) any {
		result, err := run(f, args)
		if err != nil {
			return marshalled(map[string]any{"error": err.Error()})
		}

		return marshalled(map[string]any{"result": result})
	})
}

// run f. A fault in it is an error, and the next call is answered.
func run[T any](f func(req T) (any, error), args []js.Value) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("this is a fault of the program: %v", p)
		}
	}()

	var req T

	if len(args) == 1 {
		if err := json.Unmarshal([]byte(args[0].String()), &req); err != nil {
			return nil, fmt.Errorf("cannot read the request: %w", err)
		}
	}

	return f(req)
}

func marshalled(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return `{"error": "cannot write the answer"}`
	}

	return string(b)
}
