import { posix } from 'node:path'

// slug of a heading, as GitHub makes it: links between pages work there and here.
export function slug(text) {
  return text.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replace(/\s/g, '-')
}

// inRepository is the path that a page of the site has in the repository. The README of the top folder is not the first page, which is a
// home page of its own.
function inRepository(page) {
  if (page === 'readme.md') return 'README.md'

  return page.replace(/(^|\/)index\.md$/, '$1README.md')
}

// target of a link of a page: another page of the site, or a file of the repository on GitHub. A link to what there is not is an error.
export function target(href, page, { site, repository }) {
  if (/^[a-z]+:/i.test(href) || href.startsWith('#') || href.startsWith('/')) return href

  const [path, anchor] = href.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  const file = posix.normalize(posix.join(posix.dirname(inRepository(page)), decodeURI(path))).replace(/\/$/, '')
  const readme = file === '.' ? 'README.md' : `${file}/README.md`

  for (const candidate of [file, readme]) {
    if (candidate === 'README.md') return `/readme${hash}`
    if (site.pages.includes(candidate)) return `/${candidate.replace(/(^|\/)README\.md$/, '$1').replace(/\.md$/, '')}${hash}`
  }

  if (!site.links.includes(file)) throw new Error(`${page} links to ${href}, which is not in the repository`)

  const folder = site.links.some((other) => other.startsWith(`${file}/`))

  return `${repository}/${folder ? 'tree' : 'blob'}/${site.version}/${file}${hash}`
}

// Tags that pages have. Anything else in angle brackets is a placeholder, such as a name to fill in.
const tags = /^<\/?(a|br|details|img|kbd|picture|source|sub|summary|sup|ClientOnly|Home|Playground)\b/

// labelled has each cell of a table name its column: on a phone the cells of a row stand below each other.
export function labelled(tokens) {
  let headers = []
  let column = 0

  tokens.forEach((token, i) => {
    if (token.type === 'thead_open') headers = []
    if (token.type === 'tr_open') column = 0
    if (token.type === 'th_open') {
      headers.push((tokens[i + 1].children ?? []).map(({ content }) => content).join(''))
      // An empty header says nothing, also to who hears the page.
      if (!headers.at(-1)) token.tag = tokens[i + 2].tag = 'td'
    }
    if (token.type === 'td_open') token.attrSet('data-label', headers[column++] ?? '')
  })
}

// named has the text of a link that is a name of a file, which the site has none of, be the title of the page that it leads to.
function named(text, href, { titleOf }) {
  if (text?.type === 'text' && /^[\w./-]+\.md$/.test(text.content) && href.startsWith('/')) text.content = titleOf(href.split('#')[0]) || text.content
}

// repositoryLinks has pages link as they do on GitHub, and keeps Vue from reading braces in them.
export function repositoryLinks(md, options) {
  md.core.ruler.push('repository-links', (state) => {
    labelled(state.tokens)

    for (const block of state.tokens) {
      (block.children ?? []).forEach((token, i, all) => {
        if (token.type !== 'link_open') return

        const href = target(token.attrGet('href'), state.env.relativePath, options)
        token.attrSet('href', href)
        named(all[i + 1], href, options)
      })
    }
  })

  const inline = md.renderer.rules.html_inline
  md.renderer.rules.html_inline = (tokens, i, ...rest) => {
    const { content } = tokens[i]

    return tags.test(content) ? inline(tokens, i, ...rest) : md.utils.escapeHtml(content)
  }

  const text = md.renderer.rules.text
  md.renderer.rules.text = (...args) => text(...args).replaceAll('{{', '&#123;&#123;')
}
