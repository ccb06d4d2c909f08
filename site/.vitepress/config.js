import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { navigation, title } from './navigation.js'
import { repositoryLinks, slug } from './markdown.js'

// hack/site.sh sets these.
const root = resolve(fileURLToPath(import.meta.url), '../../..')
const pages = process.env.SITE_PAGES ?? resolve(root, 'site/pages')
const base = process.env.SITE_BASE ?? '/'
const wasmExec = process.env.WASM_EXEC

const site = JSON.parse(readFileSync(resolve(pages, 'site.json'), 'utf8'))
const repository = 'https://github.com/homelab-io/function-proxmox-machine'

// What the playground loads, for its progress bar: a server that compresses does not say how much comes.
const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0
const titleOf = (link) => title(resolve(pages, `.${link.replace(/\/$/, '/index')}.md`))
const moduleSizes = { compressed: sizeOf(resolve(pages, 'public/playground.wasm.gz')), plain: sizeOf(resolve(root, '_output/playground.wasm')) }

export default defineConfig({
  srcDir: pages,
  outDir: process.env.SITE_OUT ?? resolve(root, '_output/site', site.version),
  cacheDir: resolve(root, '_output/site-cache'),
  base,
  lang: 'en',
  title: 'function-proxmox-machine',
  description: 'Machines on Proxmox VE from Git, with Crossplane',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  cleanUrls: false,
  metaChunk: true,
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slug },
    toc: { slugify: slug },
    config: (md) => repositoryLinks(md, { site, repository, root, titleOf }),
    languageAlias: { console: 'shell' },
  },
  themeConfig: {
    version: site.version,
    logo: { src: '/icon.svg', alt: '' },
    socialLinks: [{ icon: 'github', link: repository, ariaLabel: 'Source on GitHub' }],
    nav: [
      { text: 'Docs', link: '/docs/', activeMatch: '^/docs/' },
      { text: 'Examples', link: '/example/', activeMatch: '^/example/' },
      { text: 'Playground', link: '/playground' },
      { text: site.version, link: '/CHANGELOG' },
    ],
    sidebar: navigation(pages),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
    docFooter: { prev: false, next: false },
    footer: { message: `function-proxmox-machine ${site.version}, Apache-2.0` },
    externalLinkIcon: true,
  },
  transformPageData: (page) => ({ title: page.title || title(resolve(pages, page.filePath)) }),
  ignoreDeadLinks: false,
  vite: {
    publicDir: resolve(pages, 'public'),
    define: { __MODULE_SIZES__: JSON.stringify(moduleSizes) },
    resolve: { alias: { 'wasm-exec': wasmExec, 'home-data': resolve(pages, 'home.json') } },
    build: { chunkSizeWarningLimit: 2000 },
    worker: { format: 'es' },
  },
})
