// Every view, tab and dialog of the page, as the tests of accessibility go through them.
//
// A new tab or dialog is one more entry: `open` brings it onto the screen of a page whose example has run some batches.
// On a narrow screen the panel has to be chosen first; `panel` names it.
import { ready } from "./site.mjs";

const tab = (name) => (page) => page.getByRole("tab", { name, exact: true }).click();

const narrow = (page) => page.getByRole("navigation", { name: "Panels" }).isVisible();

async function lessons(page) {
  if (await narrow(page)) await panel(page, "Lessons");
  else await page.getByRole("banner").getByRole("button", { name: "Lessons", exact: true }).click();
  await page.locator("#pane-lessons").waitFor();
}

async function closeLessons(page) {
  if (await narrow(page)) return panel(page, "Script");
  await page.getByRole("button", { name: "Close the lessons" }).click();
}

export const VIEWS = [
  { name: "the script", panel: "Script", open: async () => {} },
  { name: "files", panel: "Files", open: tab("Files") },
  {
    name: "a new file",
    panel: "Files",
    open: (page) => page.getByRole("button", { name: "New file" }).click(),
    close: (page) => page.getByRole("button", { name: "Cancel" }).click(),
  },
  {
    name: "an open file",
    panel: "Files",
    open: async (page) => {
      await page.locator("#pane-files .entry", { hasText: ".json" }).first().click();
      await page.locator("#pane-files .cm-content").waitFor();
    },
    close: (page) => page.getByRole("button", { name: "Back to the files" }).click(),
  },
  { name: "add event", panel: "Files", open: tab("Add event") },
  { name: "Kafka", panel: "Files", open: tab("Kafka") },
  { name: "socket", panel: "Files", open: tab("Socket") },
  { name: "event time", panel: "Time", open: (page) => page.locator(".timeline").focus() },
  { name: "batches", panel: "Batches", open: async () => {} },
  { name: "output", panel: "Detail", open: tab("Output") },
  {
    name: "the fate of a row",
    panel: "Time",
    open: async (page) => {
      await page.locator(".timeline").focus();
      await page.keyboard.press("Home");
      await page.keyboard.press("Enter");
      await page.locator(".fate-step").first().waitFor();
    },
  },
  { name: "console", panel: "Detail", open: tab("Console") },
  { name: "progress", panel: "Detail", open: tab("Progress") },
  { name: "state", panel: "Detail", open: tab("State") },
  { name: "plan", panel: "Detail", open: tab("Plan") },
  {
    name: "checkpoint",
    panel: "Detail",
    open: async (page) => {
      await tab("Checkpoint")(page);
      await page.locator(".checkpoint .file-row").first().click();
    },
  },
  { name: "lessons", open: lessons, close: closeLessons },
  {
    name: "a lesson",
    open: async (page) => {
      await lessons(page);
      await page.locator("#pane-lessons").getByRole("button", { name: /A first stream/ }).click();
      await page.locator("#lessons-title").waitFor();
    },
    close: closeLessons,
  },
  {
    name: "example queries",
    open: async (page) => {
      await lessons(page);
      await page.locator("#pane-lessons").getByRole("button", { name: "Examples", exact: true }).click();
    },
    close: closeLessons,
  },
  {
    name: "share and save",
    open: async (page) => {
      await page.keyboard.press("Alt+s");
      await page.getByLabel("Link to this workspace").waitFor();
    },
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "a new script",
    panel: "Script",
    open: (page) => page.getByRole("button", { name: "New script" }).click(),
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "runs so far",
    panel: "Script",
    open: (page) => page.getByRole("button", { name: "Runs so far" }).click(),
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "which Spark",
    open: (page) => page.getByRole("button", { name: /^Follows Apache Spark/ }).click(),
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "the crash menu",
    open: (page) => page.getByRole("button", { name: "Crash", exact: true }).click(),
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "the question before a reset",
    open: (page) => page.getByRole("button", { name: "Reset", exact: true }).click(),
    close: (page) => page.keyboard.press("Escape"),
  },
  {
    name: "may I restart",
    open: async (page) => {
      await page.getByRole("toolbar").getByRole("button", { name: "May I restart?" }).click();
      await page.getByRole("dialog", { name: "May I restart with this script?" }).locator("[data-verdict]").waitFor();
    },
    close: (page) => page.keyboard.press("Escape"),
  },
  { name: "compare", panel: "Detail", open: tab("Compare") },
  {
    name: "two runs beside each other",
    panel: "Detail",
    open: async (page) => {
      await page.getByLabel("Watermark delay").fill("8");
      await page.getByRole("button", { name: "Run it beside" }).click();
      await page.locator(".runs .caption").first().waitFor();
    },
  },
  { name: "help", open: (page) => page.keyboard.press("F1"), close: (page) => page.keyboard.press("Escape") },
];

/** Chooses a panel where the screen shows one at a time. */
export async function panel(page, name) {
  const views = page.getByRole("navigation", { name: "Panels" });
  if (name && (await narrow(page))) await views.getByRole("button", { name, exact: true }).click();
}

/** Goes through the views; `look` is called with the name of each while it is open. */
export async function throughAll(page, look) {
  for (const view of VIEWS) {
    await panel(page, view.panel);
    await view.open(page);
    await ready(page);
    await look(view.name);
    await view.close?.(page);
  }
}
