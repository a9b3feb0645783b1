// A browser that finds time late, as on a busy machine: what it does by itself, after a program's answer to a key or a click, comes
// LATENCY milliseconds later. Keys and clicks themselves are answered as ever: they are waited for. A test that passes here waits for
// the states that it needs. Asked for by `make browser SLOW_BROWSER=1`.

{
  const LATENCY = 120;
  const wait = window.setTimeout.bind(window);
  const later = (f) => f && ((...given) => void wait(() => f(...given), LATENCY));

  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (f) => frame((now) => wait(() => f(now), LATENCY / 4));

  window.setTimeout = (f, after = 0, ...given) => wait(f, after + LATENCY, ...given);

  for (const name of ["ResizeObserver", "IntersectionObserver"])
    window[name] = class extends window[name] {
      constructor(f, ...options) {
        super(later(f), ...options);
      }
    };

  // Events that a browser sends when it finds time, in place of answering a person. Listeners are not taken away again in between.
  const SENT = ["toggle", "scroll", "resize", "fullscreenchange", "load"];
  const listen = EventTarget.prototype.addEventListener;
  EventTarget.prototype.addEventListener = function (name, f, ...options) {
    return listen.call(this, name, SENT.includes(name) && typeof f === "function" ? later(f) : f, ...options);
  };

  // A page unpacks its player and its payload; the screen is filled.
  for (const [owner, name] of [[Response, "arrayBuffer"], [Response, "text"], [Response, "json"], [Element, "requestFullscreen"]]) {
    const does = owner.prototype[name];
    owner.prototype[name] = async function (...given) {
      await new Promise((done) => wait(done, LATENCY));
      return does.apply(this, given);
    };
  }
}
