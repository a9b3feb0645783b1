// The menu of examples: programs of the lessons, with the pictures that were stored when the site was built.

/**
 * @typedef {Object} Example
 * @property {string} id
 * @property {"paddle" | "torch"} names
 * @property {{en: string, zh: string}} lesson
 * @property {{en: string, zh: string}} title
 * @property {string} code
 */

/** @param {HTMLSelectElement} menu
 * @param {{word: (key: string) => string, language: () => "en" | "zh", assets: (name: string) => string, starts: Object<string, string>, open: (example: Example) => void}} given */
export function makeExamples(menu, { word, language, assets, starts, open }) {
  /** @type {Example[]} */
  let all = [];
  let names = "paddle";
  /** @type {Example | undefined} */
  let chosen;

  const ready = fetch(assets("examples.json"))
    .then((response) => response.json())
    .then((found) => {
      all = found;
      draw();
    });

  function draw() {
    const groups = new Map();
    for (const example of all.filter((each) => each.names === names)) {
      const lesson = example.lesson[language()];
      if (!groups.has(lesson)) groups.set(lesson, Object.assign(document.createElement("optgroup"), { label: lesson }));
      groups.get(lesson).append(new Option(example.title[language()], example.id));
    }
    const own = new Option(word("own_program"), "");
    menu.replaceChildren(own, ...groups.values());
    menu.value = chosen?.id ?? "";
  }

  /** @param {string} id */
  const named = (id) => all.find((each) => each.id === id);

  menu.addEventListener("change", () => {
    chosen = named(menu.value);
    if (chosen) open(chosen);
  });

  return {
    ready,
    named,
    translate: draw,
    /** The one to begin with. */
    first: () => named(starts[names]) ?? all.find((each) => each.names === names),
    /** @param {string} code */
    withCode: (code) => all.find((each) => each.code.trimEnd() === code.trimEnd()),
    /** Shows in the menu which example is open, and whose names the program has. @param {string} code */
    show(code) {
      const example = all.find((each) => each.code.trimEnd() === code.trimEnd());
      const found = example?.names ?? (/\btorch\b/.test(code) ? "torch" : /\bpaddle\b/.test(code) ? "paddle" : names);
      if (example === chosen && found === names) return;
      chosen = example;
      names = found;
      for (const input of document.getElementsByName("names")) {
        const choice = /** @type {HTMLInputElement} */ (input);
        choice.checked = choice.value === names;
      }
      draw();
    },
    /** @param {string} wanted */
    useNames(wanted) {
      names = wanted;
      draw();
    },
    /** The stored picture of an example; undefined if it cannot be had. @param {string} id @returns {Promise<{payload: string, step: number} | undefined>} */
    async stored(id) {
      try {
        return await (await fetch(assets(`examples/${id}.json`))).json();
      } catch {
        return undefined;
      }
    },
  };
}
