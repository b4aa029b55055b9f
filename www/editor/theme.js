// Colours come from the page's custom properties, so that light and dark need no second theme.
import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

export const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "transparent", fontSize: "var(--text-body)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "8px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 12px 0 8px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "1.5px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-faint)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 4px 0 12px", minWidth: "32px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--hover)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink-soft)" },
  ".cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--select)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--select)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--select)", outline: "none" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-tint)" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--ink)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)", color: "var(--ink)", border: "1px solid var(--line-strong)", borderRadius: "6px",
    boxShadow: "var(--shadow)", maxWidth: "min(460px, calc(100vw - 24px))",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--text-note)", maxHeight: "14em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--on-accent)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.8" },
  ".cm-tooltip.cm-completionInfo": { padding: "0" },
  ".tm-help": { padding: "6px 10px", fontSize: "var(--text-note)", lineHeight: "1.45" },
  ".tm-help code": { overflowWrap: "anywhere", color: "var(--accent-ink)" },
  ".tm-help p": { marginTop: "2px", color: "var(--ink)" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--bad)", fontSize: "var(--text-note)", whiteSpace: "pre-wrap" },
  ".cm-lintRange-error": {
    backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1px", textUnderlineOffset: "3px",
  },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-lint-marker": { width: "10px", height: "10px" },
  ".cm-lint-marker-error": {
    content: "none", marginTop: "4px", borderRadius: "50%", backgroundColor: "var(--bad)", border: "2px solid var(--surface)",
  },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--select)", color: "var(--ink)" },
  ".tm-mark-error": { backgroundColor: "var(--bad-tint) !important" },
  ".tm-mark-parked": { backgroundColor: "var(--accent-tint) !important" },
  ".tm-gutter-error": { color: "var(--bad) !important", fontWeight: "600" },
  ".tm-gutter-parked": { color: "var(--accent-ink) !important", fontWeight: "600" },
});

export const highlightStyle = HighlightStyle.define([
  { tag: [t.keyword, t.controlKeyword, t.moduleKeyword, t.operatorKeyword, t.definitionKeyword], color: "var(--code-keyword)" },
  { tag: [t.string, t.special(t.string), t.docString], color: "var(--code-string)" },
  { tag: [t.number, t.bool, t.null, t.atom], color: "var(--code-number)" },
  { tag: [t.lineComment, t.blockComment], color: "var(--ink-faint)", fontStyle: "italic" },
  { tag: [t.function(t.variableName), t.function(t.propertyName)], color: "var(--code-call)" },
  { tag: [t.className, t.definition(t.variableName), t.meta], color: "var(--ink)" },
  { tag: [t.operator, t.punctuation, t.bracket], color: "var(--ink-soft)" },
]);
