import { commands } from "./commands.js";
import { common } from "./common.js";
import { decided } from "./decided.js";
import { display } from "./display.js";
import { errors } from "./errors.js";
import { lists } from "./lists.js";
import { page } from "./page.js";
import { stops } from "./stops.js";
import { time } from "./time.js";
import { values } from "./values.js";

/** English for the first view, which is loaded with it. */
export const first = { display, common, page, commands, errors, decided, lists, stops, time, values };
