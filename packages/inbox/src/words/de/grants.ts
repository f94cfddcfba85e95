import type { Words } from "../words.js";

export const grants: Words["grants"] = {};
