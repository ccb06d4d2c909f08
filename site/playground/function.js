import { withBase } from 'vitepress'

// The function in its worker: call(name, request) is its answer. progress is called with what is loaded so far, and with all there is to load.
export function startFunction(progress) {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  const module = { url: new URL(withBase('/playground.wasm.gz'), location.href).href, sizes: __MODULE_SIZES__ }
  const waiting = new Map()
  let last = 0

  worker.onmessage = ({ data }) => {
    if (data.id === undefined) {
      progress(data.loaded, data.total)
      return
    }

    const { resolve, reject } = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.error) reject(new Error(data.error))
    else resolve(data)
  }

  // A worker whose script does not load answers nothing.
  worker.onerror = (event) => {
    for (const { reject } of waiting.values()) reject(new Error(event.message || 'the script of the function did not load'))
    waiting.clear()
  }

  return {
    call(call, request) {
      const id = ++last
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ id, call, module, request })

      return answer
    },
    stop: () => worker.terminate(),
  }
}

// fetchJSON reads a file of the site.
export async function fetchJSON(path) {
  const response = await fetch(withBase(path))
  if (!response.ok) throw new Error(`the server answers ${response.status} to ${response.url}`)

  return response.json()
}
