// The Web Worker that has the function. It answers one request at a time; of several that wait, the page sends the last one.
import 'wasm-exec'

const gzip = [0x1f, 0x8b]

// read a response, and tell how much of it is there. sizes are those of the module, compressed and not: a host that compresses does not say how
// much it sends, and content-length is then not what the browser hands out.
async function read(response, sizes) {
  const reader = response.body.getReader()
  const chunks = []
  let loaded = 0
  let compressed = false

  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    if (!chunks.length) compressed = gzip.every((b, i) => value[i] === b)
    chunks.push(value)
    loaded += value.length
    globalThis.postMessage({ loaded, total: compressed ? sizes.compressed : sizes.plain })
  }

  return { blob: new Blob(chunks), compressed }
}

// load the module, which is compressed because most hosts of static files do not compress it.
async function load({ url, sizes }) {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`the server answers ${response.status} to ${url}`)

  // A host that sends a .gz file as one that is compressed has the browser decompress it.
  const { blob, compressed } = await read(response, sizes)
  const bytes = await new Response(compressed ? blob.stream().pipeThrough(new DecompressionStream('gzip')) : blob).arrayBuffer()

  const go = new globalThis.Go()
  const { instance } = await WebAssembly.instantiate(bytes, go.importObject)
  const ready = new Promise((resolve) => { globalThis.playgroundReady = resolve })
  go.run(instance)
  await ready
}

let loading

globalThis.onmessage = async ({ data: { id, call, module, request } }) => {
  try {
    loading ??= load(module)
    await loading
    const began = performance.now()
    const answer = call === 'load' ? { result: true } : JSON.parse(globalThis.playground[call](JSON.stringify(request ?? {})))
    globalThis.postMessage({ id, ...answer, took: performance.now() - began })
  } catch (error) {
    globalThis.postMessage({ id, error: String(error?.message ?? error) })
  }
}
