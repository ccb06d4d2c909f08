// Completion and descriptions of the fields of claims, from the XRDs' schemas, and of the catalogue, from its own.

const keyOf = /^(\s*(?:-\s+)*)("?[\w./-]+"?):(?:\s|$)/

const plain = (key) => key.replaceAll('"', '')

// flow is what of a line stands in braces that are open at its end: the keys on the way, and whether a value has begun.
function flow(text) {
  const open = []
  let word = ''
  let key = null
  let quote = null

  for (const letter of text) {
    if (quote) {
      if (letter === quote) quote = null
      continue
    }

    if (letter === '"' || letter === "'") quote = letter
    else if (letter === '{' || letter === '[') {
      open.push(key)
      key = null
      word = ''
    } else if (letter === '}' || letter === ']') {
      key = open.pop() ?? null
      word = ''
    } else if (letter === ':') {
      key = word.trim()
      word = ''
    } else if (letter === ',') {
      key = null
      word = ''
    } else word += letter
  }

  return { open, key, word }
}

// above are the keys of the lines above that a line with this indentation belongs to, the outermost first.
function above(lines, index, indent) {
  const path = []

  for (let i = index - 1; i >= 0 && indent > 0; i--) {
    if (/^---/.test(lines[i])) break
    if (/^\s*(#|$)/.test(lines[i])) continue

    const match = lines[i].match(keyOf)
    if (!match) continue

    const dash = match[1].indexOf('-')
    if (match[1].length < indent) {
      path.unshift(plain(match[2]))
      indent = dash < 0 ? match[1].length : dash + 1
    } else if (dash >= 0 && match[1].length === indent) indent = dash + 1
  }

  return path
}

// at is where the cursor is in the claim: the fields above it, the key whose value it stands in, and the word before it.
export function at(text, line, column) {
  const lines = text.split('\n')
  const before = lines[line].slice(0, column)
  if (/(^|\s)#/.test(before)) return null

  const [indent] = before.match(/^\s*(?:-\s+)*/)
  const dash = indent.indexOf('-')
  const path = above(lines, line, dash < 0 ? indent.length : dash + 1)
  const { open, key, word } = flow(before.slice(indent.length))

  return { path: [...path, ...open.filter((k) => k !== null).map(plain)], key: key === null ? null : plain(key), word: word.trimStart() }
}

// kind of the document that a line is in.
export function kindAt(text, line) {
  const lines = text.split('\n')
  let from = line
  while (from > 0 && !/^---/.test(lines[from])) from--
  let to = line + 1
  while (to < lines.length && !/^---/.test(lines[to])) to++

  return lines.slice(from, to).join('\n').match(/^kind:\s*(\w+)/m)?.[1]
}

// below is the schema of a field; undefined where there is none.
export function below(schema, path) {
  for (const key of path) {
    if (schema?.type === 'array') schema = schema.items
    schema = schema?.properties?.[key] ?? (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined)
  }

  return schema
}

const fieldsOf = (schema) => (schema?.type === 'array' ? schema.items : schema)

function detail(schema) {
  const parts = [schema.enum ? schema.enum.join(' | ') : schema.type]
  if (schema.default !== undefined) parts.push(`default ${JSON.stringify(schema.default)}`)

  return parts.filter(Boolean).join(', ')
}

// Fields of every object, which the XRDs leave to Kubernetes.
const metadata = {
  type: 'object',
  description: 'Name, namespace and labels.',
  properties: { name: { type: 'string' }, namespace: { type: 'string' }, labels: { type: 'object' }, annotations: { type: 'object' } },
}

// rooted is the schema of a document of a kind.
export function rooted(schemas, kind) {
  const { apiVersion, spec, data } = schemas[kind]?.properties ?? {}
  const version = apiVersion?.const ?? 'homelab.io/v1alpha1'

  return {
    type: 'object',
    properties: {
      apiVersion: { type: 'string', enum: [version] },
      kind: { type: 'string', enum: Object.keys(schemas) },
      metadata,
      ...(spec ? { spec } : {}),
      ...(data ? { data } : {}),
    },
  }
}

// completions at a place: fields, or the values of one.
export function completions(schemas, text, line, column) {
  const place = at(text, line, column)
  if (!place) return null

  const root = rooted(schemas, kindAt(text, line))
  const parent = fieldsOf(below(root, place.path))

  if (place.key !== null) {
    const schema = fieldsOf(parent?.properties?.[place.key])
    const values = schema?.enum ?? (schema?.type === 'boolean' ? [true, false] : [])

    return { word: place.word, options: values.map((value) => ({ label: String(value), type: 'constant' })) }
  }

  const options = Object.entries(parent?.properties ?? {}).map(([label, schema]) => ({
    label, type: 'property', apply: schema.type === 'object' || schema.type === 'array' ? `${label}:` : `${label}: `,
    detail: detail(schema), info: schema.description,
  }))

  return { word: place.word, options }
}

// described is what a field is, where a key stands at a place of the text.
export function described(schemas, text, line, column) {
  const whole = text.split('\n')[line]
  const end = column + whole.slice(column).match(/^[\w-]*/)[0].length
  const start = column - whole.slice(0, column).match(/[\w-]*$/)[0].length
  if (start === end || whole[end] !== ':') return null

  const place = at(text, line, start)
  const schema = place && below(rooted(schemas, kindAt(text, line)), [...place.path, whole.slice(start, end)])
  if (!schema) return null

  return { start, end, field: [...place.path, whole.slice(start, end)].join('.'), detail: detail(schema), description: schema.description ?? '' }
}
