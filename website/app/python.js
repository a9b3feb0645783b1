// Python in a worker, as the page sees it: started once, ended by Stop, and started again.

/**
 * @typedef {Object} Told  What the page is told.
 * @property {(part: number) => void} progress  How much of the first load is done, from 0 to 1.
 * @property {() => void} ready
 * @property {(text: string) => void} output
 * @property {(payload: string, step: number) => void} picture
 * @property {(name: string) => void} again  A package is being loaded, and the program is run again.
 * @property {(result: {steps: number, line: number}) => void} done
 * @property {(reason: string) => void} failed
 */

/** A worker made of a blob follows the content policy of this page, which one with an address of its own would not: so a program reaches
 * no other host. @param {string} address */
function confined(address) {
  const blob = URL.createObjectURL(new Blob([`import ${JSON.stringify(address)};`], { type: "text/javascript" }));
  const worker = new Worker(blob, { type: "module" });
  worker.addEventListener("message", () => URL.revokeObjectURL(blob), { once: true });
  return worker;
}

/** @param {{pyodide: string, wheel: string, runner: string, worker: string, bytes: number}} from  Absolute addresses. @param {Told} told */
export function makePython(from, told) {
  /** @type {Worker | undefined} */
  let worker;
  let isReady = false;
  let run = 0;
  /** @type {{source: string, language: string} | undefined} */
  let waiting;
  /** @type {Map<number, (picture: string) => void>} */
  const asked = new Map();
  let pictures = 0;

  function start() {
    if (worker) return;
    worker = confined(from.worker);
    worker.addEventListener("message", ({ data }) => heard(data));
    worker.addEventListener("error", (event) => told.failed(event.message || "worker"));
    worker.postMessage({ start: from });
  }

  /** @param {any} data */
  function heard(data) {
    if (data.progress !== undefined) return told.progress(data.progress);
    if (data.ready) return begin();
    if (data.picture !== undefined) return answer(data.id, data.picture);
    if (data.id !== undefined && data.id !== run) return; // of a program that was replaced
    if (data.output !== undefined) told.output(data.output);
    else if (data.payload !== undefined) told.picture(data.payload, data.step);
    else if (data.again) told.again(data.again);
    else if (data.done) told.done(data.done);
    else if (data.failed) failed(data.failed);
  }

  /** @param {string} reason */
  function failed(reason) {
    // A worker that could not start is started again on the next run.
    if (!isReady) stop();
    told.failed(reason);
  }

  function begin() {
    isReady = true;
    told.ready();
    sendWaiting();
  }

  function sendWaiting() {
    if (waiting) worker?.postMessage({ run: { id: run, ...waiting } });
    waiting = undefined;
  }

  /** @param {number} id @param {string} picture */
  function answer(id, picture) {
    asked.get(id)?.(picture);
    asked.delete(id);
  }

  function stop() {
    worker?.terminate();
    worker = undefined;
    isReady = false;
    waiting = undefined;
    for (const give of asked.values()) give("");
    asked.clear();
  }

  return {
    start,
    stop,
    isReady: () => isReady,
    isStarted: () => worker !== undefined,
    /** @param {string} source @param {string} language */
    run(source, language) {
      run += 1;
      waiting = { source, language };
      start();
      if (isReady) sendWaiting();
    },
    /** The picture of a step of the last program, as SVG; "" without one. @param {number} step @param {string} language @returns {Promise<string>} */
    picture(step, language) {
      if (!isReady) return Promise.resolve("");
      return new Promise((resolve) => {
        pictures += 1;
        asked.set(pictures, resolve);
        worker?.postMessage({ picture: { id: pictures, step, language } });
      });
    },
  };
}
