package gitops

import (
	"context"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// argocd are Argo CD's words for what Flux makes of an object.
var argocd = map[string]string{current: "Healthy", failed: "Degraded", inProgress: "Progressing"}

// script is the health check of docs/argocd.md.
func script(t *testing.T) healthScript {
	t.Helper()

	m := regexp.MustCompile("(?s)<!-- argocd-cm -->\n\n```yaml\n(.*?)```").FindStringSubmatch(read(t, filepath.Join(repository, "docs/argocd.md")))
	if m == nil {
		t.Fatal("docs/argocd.md shows no ConfigMap")
	}

	of, ok := scripts(t, m[1])["homelab.io/*"]
	if !ok || !of.open {
		t.Fatal("docs/argocd.md has no script for homelab.io, or one without libraries")
	}

	return of
}

// A healthScript is one of the ConfigMap.
type healthScript struct {
	text string
	open bool // Whether Argo CD gives it all of Lua's libraries.
}

// scripts of a ConfigMap, by the kinds that they judge.
func scripts(t *testing.T, text string) map[string]healthScript {
	t.Helper()

	cm := struct{ Data map[string]string }{}
	if err := yaml.Unmarshal([]byte(text), &cm); err != nil {
		t.Fatal(err)
	}

	kinds := map[string]struct {
		Health  string `json:"health.lua"`
		UseOpen bool   `json:"health.lua.useOpenLibs"`
	}{}
	if err := yaml.UnmarshalStrict([]byte(cm.Data["resource.customizations"]), &kinds); err != nil {
		t.Fatal(err)
	}

	out := map[string]healthScript{}
	for kind, s := range kinds {
		out[kind] = healthScript{text: s.Health, open: s.UseOpen}
	}

	return out
}

// luaHealth runs a script as Argo CD does (util/lua/lua.go of v3), with the interpreter that it has: obj is the object, and the script returns a table with
// the status, within a second.
func luaHealth(t *testing.T, script healthScript, o *unstructured.Unstructured) string {
	t.Helper()

	l := lua.NewState(lua.Options{SkipOpenLibs: !script.open})
	defer l.Close()

	for name, open := range map[string]lua.LGFunction{lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			t.Fatal(err)
		}
	}

	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	l.SetContext(ctx)

	l.SetGlobal("obj", luaValue(l, o.Object))

	if err := l.DoString(script.text); err != nil {
		t.Fatal(err)
	}

	answer, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		t.Fatalf("the script returns %s", l.Get(-1).Type())
	}

	if answer.RawGetString("message").Type() != lua.LTString {
		t.Error("want a message beside the health")
	}

	return answer.RawGetString("status").String()
}

func luaValue(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case string:
		return lua.LString(v)
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		out := l.NewTable()
		for _, e := range v {
			out.Append(luaValue(l, e))
		}

		return out
	case map[string]any:
		out := l.NewTable()
		for k, e := range v {
			out.RawSetString(k, luaValue(l, e))
		}

		return out
	default:
		return lua.LNil
	}
}

// TestArgoCD holds the script of docs/argocd.md to the same claims in the same states as the expressions for Flux.
func TestArgoCD(t *testing.T) {
	health := script(t)

	for name, tc := range machineStates() {
		for _, cluster := range []string{"claims", "namespaced"} {
			t.Run(name+"/"+cluster, func(t *testing.T) {
				o := recorded(t, cluster, tc.state)
				for _, c := range tc.changes {
					c(t, o)
				}

				if got := luaHealth(t, health, o); got != argocd[tc.want] {
					t.Errorf("%s: %s, want %s", tc.reason, got, argocd[tc.want])
				}
			})
		}
	}

	t.Run("Deleted", func(t *testing.T) {
		o := recorded(t, "claims", "healthy")
		set("2026-11-22T11:40:00Z", "metadata", "deletionTimestamp")(t, o)

		if got := luaHealth(t, health, o); got != "Progressing" {
			t.Errorf("A claim that is being deleted is not healthy: %s", got)
		}
	})
}
