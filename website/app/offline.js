// Keeps the page for the next visit, which then needs no network.

/** How long the page waits for the service worker before it loads Python, in ms: what is loaded before is not kept. */
const PATIENCE = 1500;

/** Registers the service worker, and waits until it sees what the page loads. Where there is none, as in a private window, the page works online only. */
export async function keepOffline() {
  const { serviceWorker } = navigator;
  if (!serviceWorker) return;
  try {
    await serviceWorker.register(new URL("sw.js", location.href));
  } catch {
    return;
  }
  if (serviceWorker.controller) return;
  await new Promise((resolve) => {
    serviceWorker.addEventListener("controllerchange", resolve, { once: true });
    setTimeout(resolve, PATIENCE);
  });
  // What was loaded before is asked for again, now that it is kept. It comes from the browser's own cache.
  const here = new URL("./", location.href).href;
  for (const { name } of performance.getEntriesByType("resource")) if (name.startsWith(here)) fetch(name).catch(() => {});
}
