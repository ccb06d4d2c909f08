import { withBase } from 'vitepress'

// The function in its worker: call(name, request) is its answer.
export function startFunction() {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  const url = new URL(withBase('/playground.wasm.gz'), location.href).href
  const waiting = new Map()
  let last = 0

  worker.onmessage = ({ data }) => {
    const { resolve, reject } = waiting.get(data.id)
    waiting.delete(data.id)
    if (data.error) reject(new Error(data.error))
    else resolve(data)
  }

  return {
    call(call, request) {
      const id = ++last
      worker.postMessage({ id, call, url, request })

      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
    stop: () => worker.terminate(),
  }
}
