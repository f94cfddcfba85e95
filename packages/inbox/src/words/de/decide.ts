import type { Words } from "../words.js";

export const decide: Words["decide"] = {};
