import type { Words } from "../words.js";

export const batch: Words["batch"] = {};
