{{- define "gvDetails" -}}
{{- $gv := . -}}
{{- /* Fields that several kinds share are shown once, with the type that they are written in. */ -}}
{{- $shared := dict -}}
{{- range (index $gv.Types "MachineFields").Members }}{{ $_ := set $shared .Name true }}{{ end -}}
The kinds of `{{ $gv.GroupVersionString }}`:
{{ range $gv.SortedKinds }}
* {{ $gv.TypeForKind . | markdownRenderTypeLink }}
{{- end }}
{{ range $gv.SortedTypes }}
{{- template "type" (dict "type" . "shared" $shared) }}
{{- end }}
{{- end -}}
