// Completion and help for the names of pyspark and for columns. The table of names (www/help.json) is fetched when the
// editor is first used, so that nothing of it is loaded with the page.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import { Prec, StateEffect, StateField } from "@codemirror/state";
import { EditorView, hoverTooltip, keymap, showTooltip } from "@codemirror/view";
import { Infer, columnsIn } from "./infer.js";

let table = null;
let loading = null;

/** The table of names; an empty one where it cannot be had. */
function load() {
  loading ??= fetch(new URL("help.json", document.baseURI))
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(response.statusText))))
    .catch(() => ({ functions: {}, types: {}, triggers: {}, classes: {}, options: {} }))
    .then((names) => (table = names));
  return loading;
}

const MODES = {
  append: "Rows that are final: with a watermark, a window once it has closed.",
  update: "Rows that have changed in this batch.",
  complete: "The whole result, every batch. Aggregations only.",
};
const FORMATS = {
  DataStreamReader: ["json", "csv", "text", "parquet", "kafka", "socket", "rate", "rate-micro-batch"],
  DataFrameReader: ["json", "csv", "text", "parquet", "kafka", "statestore", "state-metadata"],
  DataStreamWriter: ["console", "memory", "json", "csv", "parquet", "text", "kafka", "noop"],
  DataFrameWriter: ["json", "csv", "parquet", "text", "kafka", "noop"],
};
// Methods and functions whose text arguments are no columns.
const NO_COLUMNS = /^(format|load|path|queryName|appName|config|master|start|toTable|table|sql|print|open|get|set|json|csv|parquet|text|lit|alias)$/;
const INTERVALS = { withWatermark: 1, window: 1, session_window: 1 };

const kindOf = (owner) => (owner?.endsWith("Writer") ? "write" : owner?.endsWith("Reader") ? "read" : null);

/** Names and words of the options that a chain's format has. */
function optionsOf(kind, chain) {
  const all = table.options[kind] ?? {};
  const format = chain.match(/\.format\(\s*["']([\w-]+)["']/)?.[1] ?? chain.match(/\.(json|csv|text|parquet)\(/)?.[1];
  const file = { ...all.file };
  if (format && all[format] && !["json", "csv", "text", "parquet"].includes(format)) return { ...all.any, ...all[format] };
  if (format) return { ...all.any, ...file, ...all[format] };
  return Object.assign({}, ...Object.values(all));
}

const shownType = (type) => (type ? ` ${type}` : "");

function columns(state) {
  const known = state.field(columnsField);
  const own = columnsIn(state.doc.toString()).filter(({ name }) => !known.some((column) => column.name === name));
  return [...known, ...own];
}

const columnOptions = (state) =>
  columns(state).map(({ name, type }) => ({ label: name, type: "property", detail: type, boost: 10, info: () => card(name, shownType(type), "A column.") }));

/** A card of help: text only, whatever the names hold. */
function card(name, signature, words) {
  const dom = document.createElement("div");
  dom.className = "tm-help";
  const head = dom.appendChild(document.createElement("code"));
  head.textContent = name + signature;
  if (words) dom.appendChild(document.createElement("p")).textContent = words;
  return dom;
}

const withInfo = (label, type, signature, words, more = {}) => ({ label, type, detail: undefined, info: () => card(label, signature, words), ...more });

const members = (owner) => {
  const found = owner === "functions" ? table.functions : (table.classes[owner] ?? null);
  if (!found) return null;
  return Object.entries(found).map(([name, [signature, words]]) => withInfo(name, signature ? "method" : "property", signature, words));
};

async function complete(context) {
  await load();
  const { state, pos } = context;
  const infer = new Infer(state);
  const node = infer.tree.resolveInner(pos, -1);
  if (/Comment/.test(node.name)) return null;
  if (/String/.test(node.name)) return inString(context, infer, node);
  const word = context.matchBefore(/\w*/);
  const before = state.sliceDoc(Math.max(0, word.from - 1), word.from);
  if (before === ".") return afterDot(infer, word);
  if (!context.explicit && word.from === word.to) return null;
  return bare(infer, word, state);
}

function inString(context, infer, node) {
  const { state, pos } = context;
  const around = infer.callAt(node.from);
  if (!around) return null;
  const open = state.sliceDoc(node.from, node.to).match(/^\w{0,2}("""|'''|"|')/)?.[0].length ?? 1;
  const from = node.from + open;
  if (pos < from || state.sliceDoc(from, pos).includes("\n")) return null;
  const { method, place, keyword, owner } = around;
  const kind = owner ? infer.of(owner) : null;
  let options = null;
  if (method === "outputMode" || keyword === "outputMode") options = Object.entries(MODES).map(([name, words]) => withInfo(name, "enum", "", words));
  else if (method === "format" && FORMATS[kind]) options = FORMATS[kind].map((label) => ({ label, type: "enum" }));
  else if (method === "option" && place === 0) {
    const known = optionsOf(kindOf(kind) ?? "read", infer.chain(around.call));
    options = Object.entries(known).map(([name, words]) => withInfo(name, "property", "", words));
  } else if (!NO_COLUMNS.test(method) && method !== "option" && !(place >= (INTERVALS[method] ?? 99)) && method !== "trigger" && method !== "schema") {
    options = columnOptions(state);
  }
  return options?.length ? { from, options, validFor: /^[\w.-]*$/ } : null;
}

function afterDot(infer, word) {
  const node = infer.tree.resolveInner(word.from - 1, 1);
  const member = node.name === "." ? node.parent : infer.tree.resolveInner(word.from, -1).parent;
  const owner = member?.firstChild ? infer.of(member.firstChild) : null;
  const options = owner ? members(owner) : null;
  return options?.length ? { from: word.from, options, validFor: /^\w*$/ } : null;
}

function bare(infer, word, state) {
  const options = [];
  const { imports } = infer;
  const around = infer.callAt(word.from);
  if (around?.method === "trigger" && !around.keyword) {
    for (const [name, words] of Object.entries(table.triggers)) options.push(withInfo(name, "keyword", "=", words, { apply: `${name}=`, boost: 20 }));
  }
  const offered = imports.star ? Object.keys(table.functions).map((name) => [name, name]) : [...imports.functions];
  for (const [bound, name] of offered) {
    const [signature, words] = table.functions[name] ?? [];
    if (signature !== undefined) options.push(withInfo(bound, "function", signature, words));
  }
  const types = imports.typesStar ? Object.keys(table.types) : [...imports.types].filter((name) => name in table.types);
  for (const name of types) options.push(withInfo(name, "class", "()", table.types[name]));
  return options.length ? { from: word.from, options, validFor: /^\w*$/ } : null;
}

/** What is known of the name at a place: { from, to, name, signature, words }. */
function known(state, pos, side) {
  const infer = new Infer(state);
  const node = syntaxTree(state).resolveInner(pos, side);
  const place = { from: node.from, to: node.to };
  if (/String/.test(node.name)) {
    const name = state.sliceDoc(node.from, node.to).replace(/^\w{0,2}["']+|["']+$/g, "");
    const around = infer.callAt(node.from);
    if (!around) return null;
    if (around.method === "option") {
      const words = optionsOf(kindOf(infer.of(around.owner)) ?? "read", infer.chain(around.call))[name];
      return around.place === 0 && words ? { ...place, name, signature: "", words } : null;
    }
    if (around.method === "outputMode" && MODES[name.toLowerCase()]) return { ...place, name, signature: "", words: MODES[name.toLowerCase()] };
    const column = NO_COLUMNS.test(around.method) ? null : columns(state).find((column) => column.name === name);
    return column ? { ...place, name, signature: shownType(column.type), words: "A column." } : null;
  }
  if (!/^(VariableName|PropertyName)$/.test(node.name)) return null;
  const name = infer.text(node);
  if (node.name === "PropertyName") {
    const owner = infer.of(node.parent.firstChild);
    const entry = owner === "functions" ? table.functions[name] : table.classes[owner]?.[name];
    return entry ? { ...place, name: owner === "functions" ? name : `${owner}.${name}`, signature: entry[0], words: entry[1] } : null;
  }
  const around = infer.callAt(node.from);
  if (around?.method === "trigger" && table.triggers[name]) return { ...place, name, signature: "", words: table.triggers[name] };
  const meant = infer.function(name);
  if (meant && table.functions[meant]) return { ...place, name, signature: table.functions[meant][0], words: table.functions[meant][1] };
  return name in table.types && table.types[name] ? { ...place, name, signature: "", words: table.types[name] } : null;
}

const tooltip = (found) => ({ pos: found.from, end: found.to, above: true, create: () => ({ dom: card(found.name, found.signature, found.words) }) });

const hover = hoverTooltip(async (view, pos, side) => {
  await load();
  const found = known(view.state, pos, side);
  return found && tooltip(found);
});

// Help by the keyboard: a card at the cursor until the cursor moves or Escape.
const setCard = StateEffect.define();
const cardField = StateField.define({
  create: () => null,
  update(shown, transaction) {
    for (const effect of transaction.effects) if (effect.is(setCard)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : shown;
  },
  provide: (field) => showTooltip.from(field, (found) => found && tooltip(found)),
});

/** Shows the help of the name at the cursor; `say` tells it to a screen reader. */
const showCard = (say) => (view) => {
  load().then(() => {
    const at = view.state.selection.main.head;
    const found = known(view.state, at, -1) ?? known(view.state, at, 1);
    view.dispatch({ effects: setCard.of(found) });
    say(found ? `${found.name}${found.signature}: ${found.words}` : "There is no help for this place.");
  });
  return true;
};

const hideCard = (view) => {
  if (!view.state.field(cardField)) return false;
  view.dispatch({ effects: setCard.of(null) });
  return true;
};

// Columns that the running queries have, as the app knows them.
const setKnown = StateEffect.define();
const columnsField = StateField.define({
  create: () => [],
  update: (columns, transaction) => transaction.effects.find((effect) => effect.is(setKnown))?.value ?? columns,
});

export const knowColumns = (columns) => setKnown.of(columns);

export const help = (say) => [
  columnsField,
  cardField,
  hover,
  autocompletion({ override: [complete], defaultKeymap: false, icons: false, maxRenderedOptions: 60 }),
  Prec.highest(keymap.of([{ key: "Escape", run: hideCard }])),
  keymap.of([...completionKeymap, { key: "Alt-h", run: showCard(say) }]),
  EditorView.domEventHandlers({ focus: () => void load() }),
];
