import type { JsonSchema } from "../logic/arguments/json-schema.js";
import { hasContent, takesLines } from "../logic/arguments/value-kind.js";
import { Value } from "./argument-value.js";

interface ModelValueProps {
  name: string;
  value: unknown;
  schema?: JsonSchema | undefined;
  unit?: string | undefined;
}

/** A value within words of the page: tinted, and with a rule at its side if it has several lines, so that it cannot pose as them. */
export function ModelValue({ name, value, schema, unit }: ModelValueProps) {
  if (!hasContent(value)) return <Value name={name} value={value} schema={schema} />;
  return (
    <div className="cs-model-value" data-lines={takesLines(name, value, schema) || undefined}>
      <Value name={name} value={value} schema={schema} unit={unit} />
    </div>
  );
}
