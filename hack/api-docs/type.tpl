{{- define "type" -}}
{{- $type := .type -}}
{{- $shared := .shared -}}
{{- $inherits := or (eq $type.Name "MachineSpec") (eq $type.Name "K3sNodeSpec") -}}
{{- if markdownShouldRenderType $type }}

## {{ $type.Name }}

{{ template "prose" $type.Doc }}
{{- with $type.UnderlyingType }}

A value is {{ template "of" . }}{{ range $type.Validation }}{{ template "rule" . }}{{ end }}.
{{- end }}
{{- with $type.References }}
{{- $names := list }}{{ range . }}{{ $names = append $names .Name }}{{ end }}
{{- $links := list }}
{{- range $type.SortedReferences }}
{{- if not (and (has "MachineFields" $names) (or (eq .Name "MachineSpec") (eq .Name "K3sNodeSpec"))) }}{{ $links = append $links (markdownRenderTypeLink .) }}{{ end }}
{{- end }}

In: {{ join ", " $links }}
{{- end }}
{{- if $type.GVK }}

* `apiVersion`: `{{ $type.GVK.Group }}/{{ $type.GVK.Version }}`
* `kind`: `{{ $type.GVK.Kind }}`
{{- else if $type.Members }}
{{ end }}
{{- if $inherits }}
* all fields of [MachineFields](#machinefields)
{{- end }}
{{- range $type.Members }}
{{- if not (and $inherits (hasKey $shared .Name)) }}
* **`{{ .Name }}`** {{ template "members" . }}
{{- end }}
{{- end }}
{{- with $type.EnumValues }}
{{ range . }}
* `{{ .Name }}`{{ with .Doc }}: {{ . | replace "\n" "\n  " }}{{ end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
