import type { Words } from "../words.js";

export const time: Words["time"] = {};
