import { z } from "zod";
import { policyFileSchema } from "../formats/native-schema.js";

/** The JSON Schema of policy files, for editors. `@countersign/policy/policy.schema.json` is a copy. */
export function policyJsonSchema(): Record<string, unknown> {
  return JSON.parse(JSON.stringify(z.toJSONSchema(policyFileSchema, { io: "input" })));
}
