export type Verb = "look up" | "refund" | "email" | "delete";

/** One thing that somebody asks the desk to do. */
export interface Action {
  verb: Verb;
  orderIds: string[];
  customerIds: string[];
}

const words: [RegExp, Verb][] = [
  [/^(look|check|find|show|status)/, "look up"],
  [/^refund/, "refund"],
  [/^(e-?mail|tell|notify|inform|write)/, "email"],
  [/^(delete|remove|erase)/, "delete"],
];

const tokens =
  /\b(?:look\w*|check|find|show|status|refund\w*|e-?mail|tell|notify|inform|write|delete|remove|erase|then|a[-\s]?\d{4}|c[-\s]?\d{1,2})\b/gi;

/**
 * Reads what is asked, in stages: "then" begins a new one, and what stands in one stage is done in one answer. Ids
 * belong to the verb before them.
 */
export function parseRequest(text: string): Action[][] {
  const stages: Action[][] = [[]];
  for (const [match] of text.matchAll(tokens)) {
    const token = match.toLowerCase();
    const stage = stages.at(-1) ?? [];
    if (token === "then") {
      if (stage.length > 0) stages.push([]);
      continue;
    }
    const id = idOf(token);
    if (id === undefined) begin(stage, verbOf(token));
    else attach(stages, id);
  }
  return stages.filter((stage) => stage.length > 0);
}

/** "tell … by email" is one email: a verb said twice in a row without ids means the same action. */
function begin(stage: Action[], verb: Verb | undefined): void {
  if (!verb) return;
  const last = stage.at(-1);
  if (last?.verb === verb && last.orderIds.length + last.customerIds.length === 0) return;
  stage.push({ verb, orderIds: [], customerIds: [] });
}

function attach(stages: Action[][], id: string): void {
  const action = stages.at(-1)?.at(-1) ?? stages.at(-2)?.at(-1);
  if (!action) return;
  const ids = id.startsWith("A") ? action.orderIds : action.customerIds;
  if (!ids.includes(id)) ids.push(id);
}

function idOf(token: string): string | undefined {
  const [, letter, number] = /^([ac])[-\s]?(\d+)$/.exec(token) ?? [];
  return letter && number ? `${letter.toUpperCase()}-${Number(number)}` : undefined;
}

function verbOf(token: string): Verb | undefined {
  return words.find(([pattern]) => pattern.test(token))?.[1];
}
