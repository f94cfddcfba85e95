import type { Words } from "../words.js";

export const errors: Words["errors"] = {};
