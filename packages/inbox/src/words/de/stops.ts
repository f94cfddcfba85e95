import type { Words } from "../words.js";

export const stops: Words["stops"] = {};
