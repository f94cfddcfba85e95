import { visibleText } from "../../display/visible-text.js";
import type { CallArgument } from "./call-arguments.js";

const maxNames = 5;
const maxName = 60;

export function tooFew(count: number, decided: "approved" | "denied", atLeast: number): { why: string } {
  return {
    why: `${count} of its calls ${count === 1 ? "was" : "were"} ${decided}, and at least ${atLeast} are needed`,
  };
}

export function hide(hidden: readonly CallArgument[]): { why: string } {
  return { why: `a rule hides ${names(hidden)}, so no condition may read it` };
}

export function differ(varying: readonly CallArgument[]): { why: string } {
  const [subject, verb] = varying.length === 1 ? ["its argument", "differs"] : ["its arguments", "differ"];
  return {
    why: `${subject} ${names(varying)} ${verb} each time, so a rule could not tell these calls from others`,
  };
}

/** The names of arguments, which may come from a model. */
function names(listed: readonly CallArgument[]): string {
  const shown = listed
    .slice(0, maxNames)
    .map(({ path }) => `\`${visibleText(path.slice(1).join("."), maxName)}\``);
  const more = listed.length - shown.length;
  return shown.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
