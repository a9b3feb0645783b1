// The worker in which Python runs. The page never waits for it, and stops a program by ending it.
//
// A message from the page is {start: {pyodide, wheel, runner, bytes}} once, then {run: {id, source, language}} or {picture: {id, step, language}}.

/** The globals through which a program could reach what this site stores for the reader. Programs come from links, too. */
const STORES = ["indexedDB", "caches", "BroadcastChannel", "navigator", "Worker", "SharedWorker", "WebTransport", "WebSocket", "EventSource"];

const scope = /** @type {any} */ (globalThis);

/** @type {any} */
let python;
/** @type {any} */
let runner;

/** Reports how many bytes of a response have arrived. @param {(bytes: number) => void} arrived */
function countBytes(arrived) {
  const plain = scope.fetch.bind(scope);
  scope.fetch = async (/** @type {any[]} */ ...request) => {
    const response = await plain(...request);
    if (!response.body || response.status !== 200) return response;
    const counter = new TransformStream({
      transform(chunk, controller) {
        arrived(chunk.byteLength);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counter), { status: 200, headers: response.headers });
  };
}

/** Removes a global, wherever it is inherited from. @param {string} name */
function remove(name) {
  for (let owner = scope; owner; owner = Object.getPrototypeOf(owner)) Reflect.deleteProperty(owner, name);
  if (name in scope) Object.defineProperty(scope, name, { value: undefined });
}

/** @param {{pyodide: string, wheel: string, runner: string, bytes: number}} from */
async function start({ pyodide, wheel, runner: file, bytes }) {
  let loaded = 0;
  let told = 0;
  countBytes((count) => {
    loaded += count;
    const part = Math.min(0.95, (0.95 * loaded) / bytes);
    if (part - told < 0.01) return;
    told = part;
    postMessage({ progress: part });
  });
  const read = async (/** @type {string} */ address) => {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    return response;
  };
  const files = Promise.all([read(wheel).then((response) => response.arrayBuffer()), read(file).then((response) => response.text())]);
  files.catch(() => {}); // awaited below
  const { loadPyodide } = await import(/* webpackIgnore: true */ `${pyodide}pyodide.mjs`);
  python = await loadPyodide({ indexURL: pyodide, packages: ["numpy"] });
  const [packed, source] = await files;
  python.unpackArchive(packed, "wheel");
  postMessage({ progress: 0.97 });
  python.FS.writeFile("runner.py", source);
  runner = python.pyimport("runner");
  for (const name of STORES) remove(name);
  postMessage({ ready: true });
}

/** @param {{id: number, source: string, language: string}} program */
async function run({ id, source, language }) {
  await python.loadPackagesFromImports(source, { messageCallback: () => {} }).catch(() => {});
  for (;;) {
    const say = (/** @type {string} */ text) => postMessage({ id, output: text });
    const show = (/** @type {string} */ payload, /** @type {number} */ step) => postMessage({ id, payload, step });
    const found = runner.run(source, language, say, show);
    const result = found.toJs({ dict_converter: Object.fromEntries });
    found.destroy();
    if (!result.needs) return postMessage({ id, done: result });
    postMessage({ id, again: result.needs });
    await python.loadPackage(result.needs, { messageCallback: () => {} });
  }
}

addEventListener("message", async ({ data }) => {
  try {
    if (data.start) await start(data.start);
    else if (data.run) await run(data.run);
    else if (data.picture) postMessage({ id: data.picture.id, picture: runner.picture(data.picture.step, data.picture.language) });
  } catch (error) {
    postMessage({ id: data.run?.id ?? data.picture?.id, failed: String(error) });
  }
});
