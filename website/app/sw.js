// The service worker of the playground: what was loaded once is there without a network.
//
// The page itself is asked for each time, so that a new version is seen at once. Everything else never changes at its address: the files of a
// build lie in a folder with its number, and those of Pyodide in one with its version.

const CACHE = "inplacelab-playground-$build";
const PYTHON = "inplacelab-pyodide-$version";
const PYODIDE = new URL("$pyodide", self.location.href).href;
const FILES = $files;

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(["./", ...FILES]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name.startsWith("inplacelab-p") && name !== CACHE && name !== PYTHON).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  if (request.mode === "navigate") return event.respondWith(newest(request));
  if (request.url.startsWith(PYODIDE)) return event.respondWith(once(request, PYTHON));
  if (request.url.startsWith(new URL("./", self.location.href).href)) event.respondWith(once(request, CACHE));
});

/** The page as it is now; without a network, as it was. */
async function newest(request) {
  const cache = await caches.open(CACHE);
  try {
    const response = await fetch(request);
    if (response.ok) cache.put("./", response.clone());
    return response;
  } catch {
    return (await cache.match("./")) ?? Response.error();
  }
}

/** What never changes: from the cache, or else from the network, and then kept. */
async function once(request, name) {
  const cache = await caches.open(name);
  const found = await cache.match(request, { ignoreVary: true });
  if (found) return found;
  const response = await fetch(request);
  if (response.status === 200) cache.put(request, response.clone()).catch(() => {});
  return response;
}
