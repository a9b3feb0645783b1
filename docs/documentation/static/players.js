// The players of the gallery are pages in frames. They follow the switch between light and dark, as this page does.
document.addEventListener("DOMContentLoaded", () => {
  const players = document.querySelectorAll("iframe.player");
  const tell = (player) => player.contentWindow.postMessage({ theme: document.body.dataset.theme || "auto" }, "*");
  players.forEach((player) => player.addEventListener("load", () => tell(player)));
  new MutationObserver(() => players.forEach(tell)).observe(document.body, { attributeFilter: ["data-theme"] });
});
