// The code editor as one global, `tidemarkEditor`, that the app binds through wasm-bindgen (src/panels/code.rs).
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  EditorView,
  GutterMarker,
  drawSelection,
  gutterLineClass,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { help, knowColumns } from "./help.js";
import { highlightStyle, theme } from "./theme.js";

const setMark = StateEffect.define();

class LineClass extends GutterMarker {
  constructor(name) {
    super();
    this.elementClass = name;
  }
}

// One marked line: { line, kind, title }. It goes when that line is edited, because it spoke of the text that ran.
const markField = StateField.define({
  create: () => null,
  update(mark, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMark)) return effect.value;
    }
    if (!mark || !transaction.docChanged) return mark;
    const before = transaction.startState.doc;
    if (mark.line > before.lines) return null;
    const from = before.line(mark.line).from;
    const to = before.line(mark.line).to;
    if (transaction.changes.touchesRange(from, to)) return null;
    return { ...mark, line: transaction.newDoc.lineAt(transaction.changes.mapPos(from, 1)).number };
  },
  provide: (field) => [
    EditorView.decorations.compute([field], (state) => {
      const mark = state.field(field);
      if (!mark || mark.line > state.doc.lines) return Decoration.none;
      const line = Decoration.line({ class: `tm-mark tm-mark-${mark.kind}`, attributes: { title: mark.title } });
      return Decoration.set([line.range(state.doc.line(mark.line).from)]);
    }),
    gutterLineClass.compute([field], (state) => {
      const builder = new RangeSetBuilder();
      const mark = state.field(field);
      if (mark && mark.line <= state.doc.lines) {
        const from = state.doc.line(mark.line).from;
        builder.add(from, from, new LineClass(`tm-gutter-${mark.kind}`));
      }
      return builder.finish();
    }),
  ],
});

// Tab indents, so that it must be possible to leave: Escape, then Tab, as CodeMirror's own guide has it.
function extensions({ language, label, onChange, onBlur, onSay }) {
  const shared = [
    highlightSpecialChars(),
    history(),
    drawSelection(),
    rectangularSelection(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    bracketMatching(),
    closeBrackets(),
    indentOnInput(),
    EditorState.tabSize.of(4),
    indentUnit.of("    "),
    search({ top: true }),
    theme,
    syntaxHighlighting(highlightStyle),
    markField,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0", spellcheck: "false", autocapitalize: "off" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
      if (update.focusChanged && !update.view.hasFocus) onBlur();
    }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
  ];
  if (language !== "python") return [...shared, EditorView.lineWrapping];
  // Before the shared keys: Escape closes a card of help, Enter takes a completion.
  return [help(onSay), keymap.of(lintKeymap), ...shared, lineNumbers(), lintGutter(), highlightActiveLineGutter(), python()];
}

// Keys of the app (Ctrl-Enter and the like) belong to the page: the editor's own meaning of them goes.
const pageKeys = (event) => (event.ctrlKey || event.metaKey) && event.key === "Enter";

class Editor {
  constructor(host, options) {
    this.options = options;
    this.view = new EditorView({ parent: host, state: this.fresh(options.text) });
  }

  fresh(text) {
    const guard = EditorView.domEventHandlers({ keydown: (event) => pageKeys(event) });
    return EditorState.create({ doc: text, extensions: [guard, ...extensions(this.options)] });
  }

  text() {
    return this.view.state.doc.toString();
  }

  // Replaces the whole text and forgets the undo history: another document is shown.
  setText(text) {
    if (text === this.text()) return;
    this.view.setState(this.fresh(text));
    this.setColumns(this.columns ?? []);
  }

  // Underlines what is certainly wrong: from, to and message of each, flat.
  setProblems(flat) {
    const { length } = this.view.state.doc;
    const problems = [];
    for (let at = 0; at + 2 < flat.length; at += 3) {
      const [from, to, message] = flat.slice(at, at + 3);
      // A place without extent shows nothing: the character before it, if there is one.
      const start = Math.min(from, length);
      const end = Math.min(Math.max(to, start), length);
      problems.push({ from: start === end && start > 0 ? start - 1 : start, to: end, severity: "error", message });
    }
    this.view.dispatch(setDiagnostics(this.view.state, problems));
  }

  setColumns(flat) {
    this.columns = flat;
    const columns = [];
    for (let at = 0; at + 1 < flat.length; at += 2) columns.push({ name: flat[at], type: flat[at + 1] });
    this.view.dispatch({ effects: knowColumns(columns) });
  }

  mark(line, kind, title) {
    const effects = [setMark.of({ line, kind, title })];
    const { doc } = this.view.state;
    if (kind === "error" && line >= 1 && line <= doc.lines) {
      effects.push(EditorView.scrollIntoView(doc.line(line).from, { y: "center" }));
    }
    this.view.dispatch({ effects });
  }

  clearMark() {
    if (this.view.state.field(markField)) this.view.dispatch({ effects: setMark.of(null) });
  }

  // Puts the cursor at the beginning of a line and shows it.
  goTo(line) {
    const { doc } = this.view.state;
    if (line < 1 || line > doc.lines) return;
    const at = doc.line(line).from;
    this.view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.view.focus();
  }

  focus() {
    this.view.focus();
  }

  destroy() {
    this.view.destroy();
  }
}

globalThis.tidemarkEditor = { create: (host, options) => new Editor(host, options) };
