import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

// title of a page: its first heading.
export function title(file) {
  return readFileSync(file, 'utf8').match(/^# (.+)$/m)?.[1].replaceAll('`', '') ?? ''
}

// navigation beside the pages: what docs/README.md links to, in its order and below its headings.
export function navigation(pages) {
  const groups = [{ text: 'Begin', items: [] }]
  const seen = new Set()

  for (const line of readFileSync(resolve(pages, 'docs/index.md'), 'utf8').split('\n')) {
    const heading = line.match(/^\*\*(.+)\*\*$/)
    if (heading) groups.push({ text: heading[1], items: [] })
    if (!line.startsWith('|')) continue

    for (const [, target] of line.matchAll(/\]\(([^)#]+\.md)\)/g)) {
      const path = new URL(target, 'file:///docs/').pathname.replace(/^\/README\.md$/, '/readme.md').replace(/README\.md$/, 'index.md')
      if (seen.has(path) || !existsSync(resolve(pages, `.${path}`))) continue
      seen.add(path)
      groups.at(-1).items.push({ text: title(resolve(pages, `.${path}`)), link: path.replace(/(index)?\.md$/, '') })
    }
  }

  return groups
}
