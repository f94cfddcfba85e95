import { distance } from "fastest-levenshtein";

/** What other policies call the variables. */
const synonyms: Readonly<Record<string, string>> = {
  args: "input",
  arguments: "input",
  params: "input",
  parameters: "input",
  user: "principal",
  requester: "principal",
  role: "principal.roles",
  roles: "principal.roles",
  toolName: "tool.name",
};

const timeNames = new Set(["now", "today", "date", "time", "hour", "hours", "day", "weekday", "timeOfDay"]);

const noTime =
  "conditions know no current time; let the app choose a profile by the time, or write a check in code";

/** What to use instead of the current time, if the name asks for it. */
export function insteadOfTime(name: string): string | undefined {
  return timeNames.has(name) ? noTime : undefined;
}

/** What to write instead of a variable that does not exist. */
export function insteadOfVariable(name: string, variables: readonly string[]): string {
  const ofTime = insteadOfTime(name);
  if (ofTime) return `${ofTime}; for an argument, write input.${name}`;
  const meant =
    (Object.hasOwn(synonyms, name) ? synonyms[name] : undefined) ??
    variables.find((variable) => isTypo(name, variable)) ??
    `input.${name}`;
  return `did you mean ${meant}? Conditions can use ${variables.slice(0, -1).join(", ")} and ${variables.at(-1)}`;
}

/** Stricter than for other names: `total` is more often an argument than a misspelled `tool`. */
function isTypo(name: string, variable: string): boolean {
  const letters = (word: string) => [...word].sort().join("");
  return distance(name, variable) <= Math.max(1, name.length / 4) || letters(name) === letters(variable);
}
