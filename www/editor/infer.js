// What a piece of the script stands for, read from its syntax tree: a module, a class of pyspark, or nothing known.
import { syntaxTree } from "@codemirror/language";

const FUNCTIONS = "pyspark.sql.functions";

// Properties that lead from one class to another.
const PROPERTIES = {
  SparkSession: { read: "DataFrameReader", readStream: "DataStreamReader", streams: "StreamingQueryManager", builder: "Builder" },
  DataFrame: { write: "DataFrameWriter", writeStream: "DataStreamWriter", sparkSession: "SparkSession" },
};
const NO_FRAMES = ["collect", "take", "head", "tail", "first", "count", "show", "printSchema", "explain", "isEmpty"];
const TERMINAL = ["load", "json", "csv", "text", "parquet", "orc", "xml", "table"];
const COLUMN = "Column";

function called(owner, method) {
  switch (owner) {
    case "SparkSession":
      return method === "newSession" ? "SparkSession" : "DataFrame";
    case "Builder":
      return method === "getOrCreate" ? "SparkSession" : "Builder";
    case "DataFrameReader":
    case "DataStreamReader":
      return TERMINAL.includes(method) ? "DataFrame" : owner;
    case "DataStreamWriter":
      return ["start", "toTable"].includes(method) ? "StreamingQuery" : owner;
    case "DataFrameWriter":
      return owner;
    case "DataFrame":
      if (/^(groupBy|groupby|rollup|cube)$/.test(method)) return "GroupedData";
      return NO_FRAMES.includes(method) ? null : "DataFrame";
    case "GroupedData":
      return method === "pivot" ? "GroupedData" : "DataFrame";
    case "functions":
      return COLUMN;
    case COLUMN:
      return COLUMN;
    case "Window":
      return "Window";
    default:
      return null;
  }
}

/** Imports of a script: names of modules of functions, functions by name, classes by name. */
export function imports(text) {
  const found = { modules: new Set(), functions: new Map(), star: false, types: new Set(), typesStar: false };
  for (const [, module, list] of text.matchAll(/^\s*from\s+([\w.]+)\s+import\s+(\([^)]*\)|[^\n]+)/gm)) {
    for (const item of list.replace(/[()\\]|#.*$/gm, " ").split(",")) {
      const [name, , alias] = item.trim().split(/\s+/);
      if (!name) continue;
      if (module === "pyspark.sql" && name === "functions") found.modules.add(alias ?? name);
      if (module === FUNCTIONS && name === "*") found.star = true;
      else if (module === FUNCTIONS) found.functions.set(alias ?? name, name);
      if (module === "pyspark.sql.types" && name === "*") found.typesStar = true;
      else if (module === "pyspark.sql.types") found.types.add(alias ?? name);
    }
  }
  for (const [, alias] of text.matchAll(/^\s*import\s+pyspark\.sql\.functions\s+as\s+(\w+)/gm)) found.modules.add(alias);
  return found;
}

/** Works on one state of the document. */
export class Infer {
  constructor(state) {
    this.state = state;
    this.tree = syntaxTree(state);
    this.imports = imports(state.doc.toString());
  }

  text(node) {
    return this.state.sliceDoc(node.from, node.to);
  }

  /** The function of pyspark that a bare name stands for. */
  function(name) {
    return this.imports.functions.get(name) ?? (this.imports.star ? name : null);
  }

  /** The class (or "functions") that an expression stands for; null: unknown. */
  of(node, depth = 0) {
    if (!node || depth > 40) return null;
    switch (node.name) {
      case "ParenthesizedExpression":
        return this.of(node.firstChild?.nextSibling, depth + 1);
      case "BinaryExpression":
      case "UnaryExpression":
        return this.of(node.firstChild, depth + 1) === COLUMN ? COLUMN : null;
      case "AwaitExpression":
        return null;
      case "VariableName":
        return this.variable(this.text(node), node.from, depth);
      case "MemberExpression": {
        const owner = this.of(node.firstChild, depth + 1);
        // df["name"] is a column, and so is df.name.
        if (node.lastChild.name !== "PropertyName") return owner === "DataFrame" ? COLUMN : null;
        const name = this.text(node.lastChild);
        return PROPERTIES[owner]?.[name] ?? (owner === "DataFrame" ? COLUMN : null);
      }
      case "CallExpression": {
        const callee = node.firstChild;
        if (callee.name === "VariableName") return this.function(this.text(callee)) ? COLUMN : null;
        if (callee.name !== "MemberExpression" || callee.lastChild.name !== "PropertyName") return null;
        return called(this.of(callee.firstChild, depth + 1), this.text(callee.lastChild));
      }
      default:
        return null;
    }
  }

  variable(name, before, depth) {
    if (this.imports.modules.has(name)) return "functions";
    if (name === "Window" || name === "SparkSession") return name;
    let value = null;
    const cursor = this.tree.cursor();
    do {
      if (cursor.from >= before) break;
      if (cursor.name !== "AssignStatement") continue;
      const target = cursor.node.firstChild;
      // `a = b = value` and tuples are left alone.
      if (target.name !== "VariableName" || this.text(target) !== name) continue;
      const right = cursor.node.lastChild;
      if (right.from > target.to && right.to < before) value = right;
    } while (cursor.next());
    if (value) return this.of(value, depth + 1);
    return { spark: "SparkSession", df: "DataFrame", query: "StreamingQuery" }[name] ?? null;
  }

  /** The call around a place, whose arguments it stands in: its node, its method, its argument's number and keyword. */
  callAt(pos) {
    let node = this.tree.resolveInner(pos, -1);
    while (node && node.name !== "ArgList") {
      if (/Statement$|^Body$|^Script$/.test(node.name) && node.from < pos && node.name !== "ExpressionStatement") {
        if (node.name === "Body" || node.name === "Script") return null;
      }
      node = node.parent;
    }
    const call = node?.parent;
    if (call?.name !== "CallExpression" || pos <= node.from) return null;
    let place = 0;
    let keyword = null;
    for (let child = node.firstChild; child && child.from < pos; child = child.nextSibling) {
      if (child.name === ",") [place, keyword] = [place + 1, null];
      if (child.name === "AssignOp") keyword = this.text(child.prevSibling);
    }
    const callee = call.firstChild;
    const member = callee.name === "MemberExpression" && callee.lastChild.name === "PropertyName";
    return {
      call,
      method: this.text(member ? callee.lastChild : callee),
      owner: member ? callee.firstChild : null,
      place,
      keyword,
    };
  }

  /** The text of a chain that a call belongs to, to find `.format("kafka")` in it. */
  chain(call) {
    let top = call;
    while (top.parent && /^(CallExpression|MemberExpression)$/.test(top.parent.name) && top.parent.firstChild.from === top.from) {
      top = top.parent;
    }
    return this.text(top);
  }
}

const DDL_TYPES = "string|int|integer|bigint|long|double|float|boolean|timestamp|timestamp_ntz|date|decimal|binary|smallint|tinyint|short|byte|array|map|struct";

/** Columns that the script names itself: schemas as StructType and as DDL text, new columns and aliases. */
export function columnsIn(text) {
  const found = new Map();
  const add = (name, type) => found.has(name) || found.set(name, type);
  for (const [, , name, type] of text.matchAll(/StructField\(\s*(["'])(\w+)\1\s*,\s*(\w+)/g)) add(name, type.replace(/Type$/, "").toLowerCase());
  for (const [, name, , type] of text.matchAll(/\.add\(\s*["'](\w+)["']\s*,\s*(["']?)(\w+)/g)) add(name, type.replace(/Type$/, "").toLowerCase());
  for (const [, , literal] of text.matchAll(/(["'])([^"'\n]{3,})\1/g)) {
    if (!new RegExp(`^\\s*\\w+\\s*:?\\s+(${DDL_TYPES})\\b`, "i").test(literal)) continue;
    for (const [, name, type] of literal.matchAll(new RegExp(`(?:^|,)\\s*(\\w+)\\s*:?\\s+(${DDL_TYPES})\\b`, "gi"))) add(name, type.toLowerCase());
  }
  for (const [, name] of text.matchAll(/\.(?:alias|withColumn|withColumnRenamed)\(\s*["'](\w+)["']/g)) add(name, "");
  return [...found].map(([name, type]) => ({ name, type }));
}
