import type { Words } from "../words.js";

export const lists: Words["lists"] = {};
