import type { Words } from "../words.js";

export const common: Words["common"] = {};
