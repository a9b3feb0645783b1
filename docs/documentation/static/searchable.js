// Above each searchable table: a field that leaves only the rows with the words typed there, and the number of these rows.
const WORDS = {
  en: { label: "Only rows with", count: (shown, all) => `${shown} of ${all} rows` },
  zh: { label: "只显示含有这些词的行", count: (shown, all) => `${all} 行中的 ${shown} 行` },
};

function makeSearchable(container, k) {
  const words = document.documentElement.lang.startsWith("zh") ? WORDS.zh : WORDS.en;
  const rows = [...container.querySelectorAll("tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const bar = document.createElement("div");
  bar.className = "searchable-bar";
  const label = document.createElement("label");
  label.textContent = words.label;
  label.htmlFor = `searchable-${k}`;
  const field = Object.assign(document.createElement("input"), { type: "search", id: label.htmlFor, autocomplete: "off" });
  const count = document.createElement("output");
  count.htmlFor = field.id;
  bar.append(label, field, count);
  container.prepend(bar);

  const search = () => {
    const wanted = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, each) => {
      row.hidden = !wanted.every((word) => texts[each].includes(word));
      shown += !row.hidden;
    });
    count.textContent = words.count(shown, rows.length);
  };
  field.addEventListener("input", search);
  search();
}

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(".searchable").forEach(makeSearchable);
});
