import type { Words } from "../words.js";

export const insight: Words["insight"] = {};
