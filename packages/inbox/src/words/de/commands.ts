import type { Words } from "../words.js";

export const commands: Words["commands"] = {};
