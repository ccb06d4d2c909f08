// The Web Worker that has the function. It answers one request at a time; of several that wait, the page sends the last one.
import 'wasm-exec'

const gzip = [0x1f, 0x8b]

// load the module, which is compressed because most hosts of static files do not compress it.
async function load(url) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`cannot load the function: ${response.status}`)

  let bytes = await response.arrayBuffer()
  const head = new Uint8Array(bytes, 0, gzip.length)

  // A host that sends a .gz file as one that is compressed has the browser decompress it.
  if (gzip.every((b, i) => head[i] === b)) {
    bytes = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer()
  }

  const go = new globalThis.Go()
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
  const ready = new Promise((resolve) => { globalThis.playgroundReady = resolve })
  go.run(instance)
  await ready
}

let loading

globalThis.onmessage = async ({ data: { id, call, url, request } }) => {
  try {
    loading ??= load(url)
    await loading
    const began = performance.now()
    const answer = JSON.parse(globalThis.playground[call](JSON.stringify(request ?? {})))
    globalThis.postMessage({ id, ...answer, took: performance.now() - began })
  } catch (error) {
    globalThis.postMessage({ id, error: String(error?.message ?? error) })
  }
}
