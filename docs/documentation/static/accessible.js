// What the theme leaves out for readers who do not see or point: the level of headings, names of regions, tables and code that keys can scroll.
const NAMES = document.documentElement.lang.startsWith("zh")
  ? { pages: "全部页面", contents: "本页内容" }
  : { pages: "All pages", contents: "On this page" };

document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll("[role=heading]:not([aria-level])").forEach((each) => each.setAttribute("aria-level", "2"));
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", NAMES.pages);
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", NAMES.contents);
  document.querySelectorAll(".table-wrapper, pre").forEach((each) => {
    each.tabIndex = 0;
  });
});
