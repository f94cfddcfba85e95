import type { Words } from "../words.js";

export const values: Words["values"] = {};
