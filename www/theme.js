// Before anything is drawn, so that no one sees the other colours first. A file of its own: the page allows no inline script.
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
let theme = null;
try {
  theme = localStorage.getItem("tidemark.theme");
} catch {}
document.documentElement.dataset.theme = theme === "dark" || (theme !== "light" && dark) ? "dark" : "light";
