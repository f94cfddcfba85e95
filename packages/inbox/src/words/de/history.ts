import type { Words } from "../words.js";

export const history: Words["history"] = {};
