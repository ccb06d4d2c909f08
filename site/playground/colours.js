// Colours of YAML and of a plan, as HTML whose text is what was given: what is copied from a page is what the command line prints.

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
const span = (name, text) => (text ? `<span class="c-${name}">${escaped(text)}</span>` : '')

const pair = /^(\s*(?:- +)*)("[^"]*"|[^\s#'"{[&*!|>-][^:#]*|-[^\s:][^:]*)(:)(?=\s|$)(.*)$/
const block = /[:-]\s+[|>][+-]?\d?\s*$/

// value of a key, with the comment behind it.
function value(text) {
  const comment = text.search(/(^|\s)#/)
  const quoted = /["']/.test(text)

  return comment < 0 || quoted ? escaped(text) : escaped(text.slice(0, comment)) + span('comment', text.slice(comment))
}

// yaml with its keys and comments coloured, line by line: a manifest has thousands. The text of a block is not read as YAML.
export function yaml(text) {
  let inside = -1

  return text.split('\n').map((line) => {
    const indent = line.search(/\S/)
    if (inside >= 0 && (indent < 0 || indent > inside)) return span('text', line)
    inside = block.test(line) ? indent : -1
    if (/^\s*#/.test(line) || /^---/.test(line)) return span('comment', line)

    const [, lead, key, colon, rest] = line.match(pair) ?? []

    return key === undefined ? value(line) : escaped(lead) + span('key', key) + colon + value(rest)
  }).join('\n')
}

const paints = { 31: 'red', 33: 'yellow' }

// plan in the colours that a terminal gets: a change is painted as its effect is.
export function plan(text) {
  let paint

  return hanging(text, (line) => line.split(/\u001b\[(\d+)m/).map((piece, i) => {
    if (i % 2) paint = paints[piece]

    return i % 2 ? '' : paint ? span(paint, piece) : escaped(piece)
  }).join(''))
}

// lines of a text.
export const lines = (text) => hanging(text, escaped)

// hanging are lines of which one that is too long goes on below its own beginning, and not at the edge.
function hanging(text, html) {
  return text.split(/(?<=\n)/).map((line) => {
    const indent = line.replaceAll(/\u001b\[\d+m/g, '').search(/\S|$/) + 2

    return `<span style="display: block; padding-left: ${indent}ch; text-indent: -${indent}ch">${html(line)}</span>`
  }).join('')
}
