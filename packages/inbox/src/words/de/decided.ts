import type { Words } from "../words.js";

export const decided: Words["decided"] = {};
