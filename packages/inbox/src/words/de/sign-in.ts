import type { Words } from "../words.js";

export const signIn: Words["signIn"] = {};
