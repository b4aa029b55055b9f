// The page's side of the service worker, as one global that the app binds (src/offline.rs).
let registration = null;

globalThis.tidemarkOffline = {
  // Keeps the page for use without a network. `onReady` is called once all of it is kept, `onNew` when another version waits.
  start(onReady, onNew) {
    const container = navigator.serviceWorker;
    if (!container) return;
    const watch = (worker) => {
      worker?.addEventListener("statechange", () => {
        if (worker.state === "installed" && container.controller) onNew();
      });
    };
    const registered = (found) => {
      registration = found;
      if (found.waiting && container.controller) onNew();
      watch(found.installing);
      found.addEventListener("updatefound", () => watch(found.installing));
    };
    // A browser that keeps nothing (private windows, plain http) loses only this.
    container.register("sw.js").then(registered, () => {});
    container.ready.then(() => onReady());
  },

  // Gives the page to the version that waits, and loads it.
  update() {
    const reload = () => location.reload();
    if (!registration?.waiting) return reload();
    navigator.serviceWorker.addEventListener("controllerchange", reload, { once: true });
    registration.waiting.postMessage("take over");
  },
};
