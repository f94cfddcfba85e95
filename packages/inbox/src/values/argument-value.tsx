import { numberText } from "@countersign/policy/display";
import { SafeText } from "../components/safe-text.js";
import type { JsonSchema } from "../logic/arguments/json-schema.js";
import { amountText, valueKind } from "../logic/arguments/value-kind.js";
import { foldableText } from "../logic/review/folded-text.js";
import { exactTime } from "../logic/wording/exact-time.js";
import { numbers } from "../words/locale.js";
import { words } from "../words/words.js";
import { Folded } from "./folded-text.js";

interface ValueProps {
  name: string;
  value: unknown;
  schema?: JsonSchema | undefined;
  /** What stands behind a number. */
  unit?: string | undefined;
  /** Whether a long value has been opened, if the parent keeps track. */
  unfolded?: boolean;
  onUnfold?: () => void;
}

/** One value, formatted by its kind. */
export function Value({ name, value, schema, unit, unfolded, onUnfold }: ValueProps) {
  const foldable = foldableText(name, value, schema);
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  switch (valueKind(name, value, schema)) {
    case "nothing":
      return <em className="cs-nothing">{words.values.nothing}</em>;
    case "yes-no":
      return value ? words.values.yes : words.values.no;
    case "number":
      return <span className="cs-number">{typeof value === "number" && amountText(name, value, unit)}</span>;
    case "date":
      return (
        <span>
          <span className="cs-number">{text}</span>
          {text.includes("T") && <small> {words.time.here(exactTime(text))}</small>}
        </span>
      );
    case "email":
    case "path":
      return (
        <code className="cs-mono">
          <SafeText text={text} />
        </code>
      );
    case "list":
      return (
        <ul className="cs-values">
          {Array.isArray(value) &&
            value.map((item: unknown, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the items of a list that never changes
              <li key={index}>
                <SafeText text={itemText(name, item)} />
              </li>
            ))}
        </ul>
      );
    case "code":
    case "json":
    case "long":
      return (
        <Folded
          text={foldable ?? text}
          code={valueKind(name, value, schema) !== "long"}
          unfolded={unfolded}
          onUnfold={onUnfold}
        />
      );
    case "text":
      return text === "" ? (
        <em className="cs-nothing">{words.values.emptyText}</em>
      ) : (
        <span className="cs-text" data-whole={isShort(text) || undefined}>
          <SafeText text={text} />
        </span>
      );
  }
}

/** Whether a text is a name that stays on one line, such as "A-1001", which could break after the hyphen. */
function isShort(text: string): boolean {
  return /^[\w.:/-]{1,24}$/.test(text);
}

function itemText(name: string, item: unknown): string {
  if (typeof item === "number") return numberText(name, item, numbers);
  return typeof item === "string" ? item : JSON.stringify(item);
}
