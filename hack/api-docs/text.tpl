{{- define "text" -}}
{{- range (splitList "\n" .) }}{{ with trim . }}
  {{ if hasPrefix "Example: " . }}Example: `{{ trimPrefix "Example: " . }}`{{ else }}{{ template "prose" . }}{{ end }}{{ end }}{{ end }}
{{- end -}}

{{- /* Links of Go are names here, and what stands for a name is code, because a page would take it for HTML. */ -}}
{{- define "prose" -}}
{{- $text := regexReplaceAll "\\[([A-Z][A-Za-z0-9]*)\\]" . "${1}" -}}
{{- if contains "`" $text }}{{ $text }}{{ else }}{{ regexReplaceAll "[A-Za-z0-9_./-]*<[a-z-]+>[A-Za-z0-9_/<>-]*" $text "`${0}`" }}{{ end }}
{{- end -}}

{{- define "of" -}}
{{- markdownRenderType . | replace "[any](#any)" "any" | replace "keys:" "keys: " | replace "values:" "values: " -}}
{{- end -}}
