import * as z from "zod";
import { policyFileSchema } from "../formats/native-schema.js";
import { evaluationSchema } from "../formats/profile-config.js";
import { toolApprovalsSchema } from "../formats/tool-approvals.js";

/** The JSON Schema of policy files, for editors. `@countersign/policy/policy.schema.json` is a copy. */
export function policyJsonSchema(): Record<string, unknown> {
  return jsonSchemaOf(policyFileSchema);
}

/** The JSON Schemas of the formats of other programs, for the documentation. */
export function otherJsonSchemas() {
  return { toolApprovals: jsonSchemaOf(toolApprovalsSchema), evaluation: jsonSchemaOf(evaluationSchema) };
}

function jsonSchemaOf(schema: z.ZodType): Record<string, unknown> {
  return JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: "input" })));
}
