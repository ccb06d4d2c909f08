import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { HighlightStyle, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, lintKeymap, linter, setDiagnostics } from '@codemirror/lint'
import { EditorState } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, hoverTooltip, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { completions, described } from './schema.js'

// Colours are those of the theme, so that an editor follows it.
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--vp-c-brand-1)' },
  { tag: tags.comment, color: 'var(--vp-c-text-2)', fontStyle: 'italic' },
  { tag: [tags.string, tags.content], color: 'var(--vp-c-text-1)' },
  { tag: [tags.keyword, tags.meta, tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--vp-c-text-2)' },
])

const look = EditorView.theme({
  '&': { color: 'var(--vp-c-text-1)', backgroundColor: 'var(--vp-c-bg-alt)', fontSize: '13px', height: '100%' },
  '&.cm-focused': { outline: '2px solid var(--vp-c-brand-1)', outlineOffset: '-2px' },
  '.cm-content': { caretColor: 'var(--vp-c-text-1)' },
  '.cm-cursor': { borderLeftColor: 'var(--vp-c-text-1)' },
  '.cm-scroller': { fontFamily: 'var(--vp-font-family-mono)', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--vp-c-bg-alt)', color: 'var(--vp-c-text-2)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--vp-c-default-soft)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--vp-c-brand-soft)' },
  '.cm-tooltip': { backgroundColor: 'var(--vp-c-bg-elv)', color: 'var(--vp-c-text-1)', border: '1px solid var(--vp-c-divider)', maxWidth: 'min(34rem, 92vw)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--vp-c-brand-soft)', color: 'var(--vp-c-text-1)' },
  '.cm-panels': { backgroundColor: 'var(--vp-c-bg)', color: 'var(--vp-c-text-1)', borderColor: 'var(--vp-c-divider)' },
  '.cm-panel.cm-panel-lint ul': { maxHeight: '10.5em' },
  '.cm-panel.cm-panel-lint ul [aria-selected], .cm-panel.cm-panel-lint ul:focus [aria-selected]': { background: 'var(--vp-c-default-soft)', color: 'inherit' },
  '.cm-panel.cm-panel-lint button[name="close"]': { color: 'var(--vp-c-text-1)' },
  '.cm-diagnostic': { padding: '4px 24px 4px 10px', fontFamily: 'var(--vp-font-family-mono)', fontSize: '12.5px', overflowWrap: 'anywhere' },
  '.cm-completionInfo, .playground-hover': { whiteSpace: 'pre-wrap', padding: '6px 10px', fontSize: '12px', lineHeight: '1.45' },
})

// place of a position: its line and column, from 0.
function place(state, position) {
  const line = state.doc.lineAt(position)

  return [state.doc.toString(), line.number - 1, position - line.from]
}

// help are completion and descriptions from schemas, which are there when the function is.
function help(schemas) {
  const complete = (context) => {
    const found = completions(schemas(), ...place(context.state, context.pos))
    if (!found?.options.length || (!context.explicit && !found.word)) return null

    return { from: context.pos - found.word.length, options: found.options, validFor: /^[\w-]*$/ }
  }

  const hover = hoverTooltip((view, position) => {
    const [text, line, column] = place(view.state, position)
    const found = described(schemas(), text, line, column)
    if (!found) return null

    const from = view.state.doc.line(line + 1).from

    return {
      pos: from + found.start, end: from + found.end, above: true,
      create: () => {
        const dom = document.createElement('div')
        dom.className = 'playground-hover'
        dom.textContent = `${found.field}: ${found.detail}\n${found.description}`

        return { dom }
      },
    }
  })

  return [autocompletion({ override: [complete] }), hover]
}

// leave the editor with Escape and then Tab, however long it takes between them. Any other key makes Tab indent again.
const leave = EditorView.domEventHandlers({
  keydown(event, view) {
    if (event.key === 'Escape') view.setTabFocusMode(true)
    else if (event.key !== 'Tab' && event.key !== 'Shift') view.setTabFocusMode(false)
  },
  blur(event, view) { view.setTabFocusMode(false) },
})

// placed is where a fault is in a document. Lines and columns begin at 1, and columns count letters.
function placed(doc, fault) {
  const line = doc.line(Math.min(Math.max(fault.line, 1), doc.lines))
  const from = line.from + Array.from(line.text).slice(0, fault.column - 1).join('').length
  const word = line.text.slice(from - line.from).match(/^("[^"]*"|[^\s,{}[\]]+)/)

  return { from, to: Math.max(word ? from + word[0].length : line.to, from) }
}

// diagnostic of a fault: a mark in the gutter, and its line and words in the panel below the text.
function diagnostic(doc, fault) {
  const message = fault.path ? `${fault.path}: ${fault.message}` : fault.message

  return {
    ...placed(doc, fault), severity: fault.severity, message,
    renderMessage: () => {
      const dom = document.createElement('span')
      dom.textContent = `${fault.line}: ${message}`

      return dom
    },
  }
}

// newEditor in an element. changed is called with the text whenever somebody edits it.
export function newEditor({ parent, label, schemas, changed }) {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), history(), drawSelection(), indentOnInput(), bracketMatching(), highlightActiveLine(), lintGutter(), linter(null, { autoPanel: true }), leave, yaml(), indentUnit.of('  '),
        EditorView.lineWrapping, EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': label, 'aria-describedby': 'playground-keys' }),
        syntaxHighlighting(colours), look, schemas ? help(schemas) : [],
        keymap.of([...completionKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(update.state.doc.toString()) }),
      ],
    }),
  })

  return {
    get text() { return view.state.doc.toString() },
    set text(insert) { view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert } }) },
    mark(faults) { view.dispatch(setDiagnostics(view.state, faults.map((fault) => diagnostic(view.state.doc, fault)))) },
    // show a fault: the cursor goes to it.
    show(fault) {
      view.dispatch({ selection: { anchor: placed(view.state.doc, fault).from }, scrollIntoView: true })
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}
