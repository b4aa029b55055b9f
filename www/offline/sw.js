// The service worker: the whole page kept for use without a network. www/finish.mjs fills in the lists when the page is built.
const VERSION = "%VERSION%";
// Path below the page's folder, and a hash of the content.
const FILES = new Map(%FILES%);
const PREFIX = "tidemark-";
const CACHE = PREFIX + VERSION;

const page = new URL("./", self.location);
// A file is kept under its content: what a new version did not change is not loaded again.
const key = (path) => `${new URL(path, page)}?kept=${FILES.get(path)}`;

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(takeOver()));
self.addEventListener("message", (event) => {
  if (event.data === "take over") self.skipWaiting();
});

async function fill() {
  const cache = await caches.open(CACHE);
  const load = async (path) => {
    const kept = await caches.match(key(path));
    const response = kept ?? (await fetch(new URL(path, page), { cache: "no-cache" }));
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    await cache.put(key(path), response);
  };
  await Promise.all([...FILES.keys()].map(load));
}

async function takeOver() {
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  }
  await self.clients.claim();
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== page.origin || !url.pathname.startsWith(page.pathname)) return;
  let path = decodeURIComponent(url.pathname.slice(page.pathname.length));
  if (path === "") path = "index.html";
  if (FILES.has(path)) event.respondWith(answer(path, request));
});

async function answer(path, request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(key(path))) ?? fetch(request);
}
