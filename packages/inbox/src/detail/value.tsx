import type { JsonSchema } from "../api/approval.js";
import { SafeText } from "../components/safe-text.js";
import { exactTime } from "../logic/exact-time.js";
import { moneyWords, valueKind } from "../logic/value-kind.js";
import { Folded } from "./folded.js";

interface ValueProps {
  name: string;
  value: unknown;
  schema?: JsonSchema | undefined;
  /** The currency that the call names beside an amount. */
  currency?: unknown;
}

/** One value, shown as what it is. */
export function Value({ name, value, schema, currency }: ValueProps) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  switch (valueKind(name, value, schema)) {
    case "nothing":
      return <em className="cs-nothing">nothing</em>;
    case "yes-no":
      return value ? "yes" : "no";
    case "money":
      return <span className="cs-number">{typeof value === "number" && moneyWords(value, currency)}</span>;
    case "number":
      return <span className="cs-number">{String(value)}</span>;
    case "date":
      return (
        <span>
          <span className="cs-number">{text}</span>
          {text.includes("T") && <small> {exactTime(text)} here</small>}
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
                <SafeText text={typeof item === "string" ? item : JSON.stringify(item)} />
              </li>
            ))}
        </ul>
      );
    case "code":
    case "json":
      return <Folded text={text} code />;
    case "long":
      return <Folded text={text} />;
    case "text":
      return text === "" ? (
        <em className="cs-nothing">empty text</em>
      ) : (
        <span className="cs-text">
          <SafeText text={text} />
        </span>
      );
  }
}
