// Writes the JSON Schema of policy files, which editors read, from the built schema that the library checks with.
import { writeFileSync } from "node:fs";
import { policyJsonSchema } from "../dist/policy/files/policy-json-schema.js";

const target = new URL("../policy.schema.json", import.meta.url);
writeFileSync(target, `${JSON.stringify(policyJsonSchema(), null, 2)}\n`);
