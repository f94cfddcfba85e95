import { shownText } from "./shown-text.js";

/** What a tool got or returned, as a list of its fields. */
export function Effect({ output }: { output: unknown }) {
  if (output === null || output === undefined || output === "") return null;
  const fields =
    typeof output === "object" && !Array.isArray(output)
      ? Object.entries(output)
      : [["result", output] as const];
  return (
    <dl className="effect">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt>{shownText(name)}</dt>
          <dd>{shownText(typeof value === "string" ? value : JSON.stringify(value))}</dd>
        </div>
      ))}
    </dl>
  );
}
