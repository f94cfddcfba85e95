// Writes the tables of docs/policy-fields.md from the schemas of policy files and from the functions that conditions know.
//
//   npm run docs:fields
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { functions, methods } from "../packages/policy/dist/policy/conditions/library.js";
import {
  otherJsonSchemas,
  policyJsonSchema,
} from "../packages/policy/dist/policy/files/policy-json-schema.js";
import { compileCondition } from "../packages/policy/dist/policy/rules/condition.js";

const file = policyJsonSchema();
const rule = file.properties.rules.items;
const { toolApprovals, evaluation } = otherJsonSchemas();

/** The fields of a rule, by what they are about. */
const groups = {
  "For which calls": ["tools", "except", "when", "match", "notMatch", "id"],
  "What happens": ["verdict", "supervision", "withoutPreview", "reversible", "idempotent"],
  "Who decides": ["approvers", "quorum", "distinctRoles", "denials", "requesterMayNotApprove", "delegable"],
  "What they may decide": ["decisions", "editable", "grantable"],
  "Until when, and where": ["timeout", "escalation", "extensions", "holdFor", "notify", "decideIn"],
  "What people read": [
    "label",
    "names",
    "summary",
    "resultSummary",
    "units",
    "reason",
    "risk",
    "codePreview",
  ],
  "What is hidden": ["redact", "redactPatterns"],
};

/** Functions of conditions, what they give, and a condition that uses one. */
const conditionFunctions = [
  [
    ["calls", "spent"],
    "calls of a tool, and sums of an argument, [over time](limits.md)",
    'calls("send_email", "1h") > 10',
  ],
  [["has"], "whether the field exists", "has(input.note)"],
  [["size"], "number of items, or of characters of `string(…)`", "input.to.size() > 5"],
  [["keys"], "the keys of an object, as a list", '"iban" in keys(input.account)'],
  [
    ["all", "exists", "exists_one"],
    "whether all, any, or exactly one of the items fit",
    'input.to.all(a, a.endsWith("@shop.example"))',
  ],
  [
    ["filter", "map"],
    "the items that fit, and a value for each item",
    "input.lines.filter(l, l.price > 100).size() > 2",
  ],
  [
    ["contains", "startsWith", "endsWith"],
    "whether the text is in the other, at its start, at its end",
    '!input.path.startsWith("/tmp/")',
  ],
  [
    ["matches"],
    "whether an RE2 pattern, written in the condition, is found",
    'input.iban.matches("^DE[0-9]{20}$")',
  ],
  [
    ["indexOf", "lastIndexOf", "substring", "split", "join"],
    "places and parts of texts",
    'input.host.split(".").size() > 3',
  ],
  [
    ["lowerAscii", "upperAscii", "trim"],
    "the text in lower or upper case, or without blanks around it",
    'input.env.lowerAscii() == "production"',
  ],
  [
    ["string", "int", "uint", "double", "bool", "type", "dyn"],
    "the value as another type, or its type",
    "int(input.quantity) > 3",
  ],
  [
    ["timestamp", "duration"],
    "a time or a duration from a text",
    'timestamp(input.until) > timestamp("2027-01-01T00:00:00Z")',
  ],
  [
    ["getFullYear", "getMonth", "getDate"],
    "parts of a date, in UTC or a time zone; months from 0, dates from 1",
    "timestamp(input.at).getMonth() == 11",
  ],
  [
    ["getDayOfWeek", "getDayOfMonth", "getDayOfYear"],
    "days from 0, beginning with Sunday",
    "timestamp(input.at).getDayOfWeek() == 0",
  ],
  [
    ["getHours", "getMinutes", "getSeconds", "getMilliseconds"],
    "parts of a time",
    'timestamp(input.at).getHours("Europe/Berlin") < 7',
  ],
];

/** What stands between the marks of each name. */
const tables = {
  rule: () => {
    const grouped = Object.values(groups).flat();
    const missing = Object.keys(rule.properties).filter((name) => !grouped.includes(name));
    if (missing.length > 0) throw new Error(`scripts/policy-fields.mjs: put ${missing} into a group`);
    return Object.entries(groups)
      .map(([title, names]) => `### ${title}\n\n${fieldTable(names.flatMap((name) => rowsOf(rule, name)))}`)
      .join("\n\n");
  },
  file: () => schemaTable(file),
  "tool-approvals": () => schemaTable(toolApprovals),
  evaluation: () => schemaTable(evaluation),
  functions: () => {
    const described = conditionFunctions.flatMap(([names]) => names);
    const known = [...functions.keys(), ...methods.keys()].map((key) => key.split("/")[0]);
    const missing = known.filter((name) => !described.includes(name));
    if (missing.length > 0) throw new Error(`scripts/policy-fields.mjs: describe ${missing}`);
    return table(
      ["functions", "give", "for example"],
      conditionFunctions.map(([names, gives, example]) => [
        names.map(code).join(", "),
        gives,
        code(compileCondition(example).text),
      ]),
    );
  },
};

/** The page with its tables as they should be. */
export function withTables(page) {
  const written = new Set();
  const text = page.replace(
    /(<!-- generated: ([\w-]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g,
    (_section, open, name, close) => {
      if (!tables[name]) throw new Error(`docs/policy-fields.md asks for an unknown table: ${name}`);
      written.add(name);
      return `${open}\n${tables[name]()}\n\n${close}`;
    },
  );
  const missing = Object.keys(tables).filter((name) => !written.has(name));
  if (missing.length > 0) throw new Error(`docs/policy-fields.md has no place for ${missing}`);
  return text;
}

function schemaTable(schema) {
  return fieldTable(Object.keys(schema.properties).flatMap((name) => rowsOf(schema, name)));
}

function fieldTable(rows) {
  return table(["field", "value", "meaning"], rows);
}

/** The rows of a field and of the fields inside it. Rules have tables of their own. */
function rowsOf(schema, name, path = name) {
  const field = schema.properties[name];
  if (!field.description) throw new Error(`${path} has no description in the schema`);
  const row = [code(path), valueText(field), field.description];
  if (name === "rules") return [row];
  const each = field.additionalProperties;
  const [inner, prefix] = field.items?.properties
    ? [field.items, path]
    : each?.properties
      ? [each, `${path}.<name>`]
      : [field, path];
  const inside = Object.keys(inner.properties ?? {});
  return [row, ...inside.flatMap((below) => rowsOf(inner, below, `${prefix}.${below}`))];
}

/** What may be written there. */
function valueText(schema) {
  if (schema.const !== undefined) return code(schema.const);
  const { enum: values, anyOf, type, items, minimum, maximum } = schema;
  const named = values ?? (type === "string" ? anyOf?.find((one) => one.enum)?.enum : undefined);
  if (named) return named.map(code).join(", ");
  if (anyOf) return [...new Set(anyOf.map(valueText))].join(" or ");
  switch (type) {
    case "array":
      return `list of ${valueText(items).replace(/\b(text|object)\b/g, "$1s")}`;
    case "boolean":
      return "`true`, `false`";
    case "integer":
      return `${minimum} to ${maximum}`;
    case "string":
      return "text";
    default:
      return "object";
  }
}

function code(text) {
  return `\`${text}\``;
}

/** Padded, as formatters leave it. */
function table(head, body) {
  const widths = head.map((cell, index) => Math.max(cell.length, ...body.map((row) => row[index].length)));
  const line = (cells) => `| ${cells.map((cell, index) => cell.padEnd(widths[index])).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = new URL("../docs/policy-fields.md", import.meta.url);
  writeFileSync(page, withTables(readFileSync(page, "utf8")));
}
