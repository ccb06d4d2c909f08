// What the editors have, in the fragment of a link: no server sees it.
const prefix = '#claim='

async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer())
}

export async function toFragment(texts) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(texts)), new CompressionStream('deflate-raw'))
  const letters = Array.from(bytes, (b) => String.fromCharCode(b)).join('')

  return prefix + btoa(letters).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

// fromFragment is what a link carries; null where it carries nothing, or nothing that can be read.
export async function fromFragment(fragment) {
  if (!fragment.startsWith(prefix)) return null

  try {
    const letters = atob(fragment.slice(prefix.length).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = await through(Uint8Array.from(letters, (c) => c.charCodeAt(0)), new DecompressionStream('deflate-raw'))
    const { claim = '', catalogue = '', observed = '', before, step } = JSON.parse(new TextDecoder().decode(bytes))
    const texts = { claim: String(claim), catalogue: String(catalogue), observed: String(observed) }

    // A rehearsal has what the edit is from, and the step that is looked at.
    return before ? { ...texts, before: { claim: String(before.claim ?? ''), catalogue: String(before.catalogue ?? '') }, step: Number(step) || 0 } : texts
  } catch {
    return null
  }
}
