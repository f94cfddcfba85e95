import type { Approval } from "../../api/approval.js";
import { isRecord } from "./paths.js";

/** The parts of JSON Schema that the inbox reads. */
export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  enumNames?: string[];
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
}

/** The schema of the tool's arguments. */
export function schemaOf({ inputSchema }: Pick<Approval, "inputSchema">): JsonSchema | undefined {
  return isRecord(inputSchema) ? inputSchema : undefined;
}
