// The page without a network, a new version of it, and its policy.
import assert from "node:assert/strict";
import { addEvent, ready, serve, start, stepTo, test, visit } from "./site.mjs";

/** Waits until the browser has the whole page. */
async function kept(page) {
  await page.getByRole("button", { name: /Follows Apache Spark/ }).click();
  const dialog = page.getByRole("dialog", { name: "Spark 4.3.0" });
  await dialog.getByText("opens without a network").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

test("with the server stopped the page loads again, steps, and has what it had", async () => {
  const site = await start();
  try {
    const page = await site.open();
    await stepTo(page, 1);
    await kept(page);
    await site.closeServer();
    await page.reload();
    await ready(page);
    assert.equal(await page.locator(".rows .row-button").count(), 1);
    await page.getByRole("toolbar").getByRole("button", { name: "Restart from checkpoint" }).click();
    await ready(page);
    await stepTo(page, 2);
    // An address with a workspace is the same page.
    await page.goto(`${site.address}?workspace=other`);
    await ready(page);
    await stepTo(page, 1);
  } finally {
    await site.stop();
  }
});

test("a new version is offered, not forced, and comes with Reload", async () => {
  let version = 1;
  const change = (path, body) => {
    if (version === 1) return body;
    if (path === "/sw.js") return body.toString().replace(/VERSION = "\w+"/, 'VERSION = "next"').replace(/(\["index\.html","\w+)/, "$1x");
    if (path === "/index.html") return body.toString().replace("<title>", "<title>Next ");
    return body;
  };
  const site = await start({ change });
  try {
    const page = await site.open();
    await kept(page);
    await stepTo(page, 1);
    version = 2;
    await page.evaluate(async () => (await navigator.serviceWorker.getRegistration()).update());
    const offer = page.getByRole("region", { name: "New version" });
    await offer.waitFor();
    // The running session is as it was.
    await stepTo(page, 2);
    await offer.getByRole("button", { name: "Later" }).click();
    await offer.waitFor({ state: "detached" });
    await page.reload();
    await ready(page);
    await offer.getByRole("button", { name: "Reload" }).click();
    await page.waitForFunction(() => document.title.startsWith("Next "));
    await ready(page);
    assert.equal(await page.locator(".rows .row-button").count(), 2);
  } finally {
    await site.stop();
  }
});

test("the page can be installed: manifest, icons, and a policy without inline script", async () => {
  const server = await serve();
  try {
    const get = (path) => fetch(new URL(path, server.address));
    const manifest = await (await get("manifest.webmanifest")).json();
    assert.equal(manifest.display, "standalone");
    for (const icon of manifest.icons) assert.equal((await get(icon.src)).headers.get("content-type"), icon.type);
    const index = await get("");
    const policy = index.headers.get("content-security-policy");
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|\*|https?:/);
    assert.match(policy, /connect-src 'self'/);
    const html = await index.text();
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style| style=| on\w+="/);
  } finally {
    await server.close();
  }
});

test("HTML and script in data are text everywhere", async () => {
  const site = await start();
  try {
    const page = await site.open();
    await page.evaluate(() => {
      window.violations = [];
      addEventListener("securitypolicyviolation", (event) => window.violations.push(event.blockedURI));
    });
    await stepTo(page, 1);
    const evil = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
    await addEvent(page, { preset: "On time", fill: { user: evil } });
    // There is no late row before a batch has a watermark.
    for (const count of [2, 3]) await stepTo(page, count);
    await addEvent(page, { preset: "Late", fill: { user: evil } });
    for (const count of [4, 5, 6]) await stepTo(page, count);
    await page.locator(".timeline").focus();
    await page.keyboard.press("End");
    for (const tab of ["Output", "Console", "Progress", "State", "Checkpoint"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
    }
    await page.getByRole("tab", { name: "Console", exact: true }).click();
    await page.locator(".console").waitFor();
    assert.equal(await page.title(), "Tidemark: Spark Structured Streaming in the browser");
    assert.equal(await page.locator("img").count(), 0);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
  } finally {
    await site.stop();
  }
});
