import type { Words } from "../words.js";

export const detail: Words["detail"] = {};
