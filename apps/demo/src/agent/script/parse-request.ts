export type Verb =
  | "look up"
  | "refund"
  | "email"
  | "call"
  | "pay"
  | "delete"
  | "ask for a carrier"
  | "ask for an address"
  | "book a courier";

/** One action that the message asks for. */
export interface Action {
  verb: Verb;
  orderIds: string[];
  customerIds: string[];
  supplierIds: string[];
  /** In EUR, if the message names an amount. */
  amount?: number;
}

const words: [RegExp, Verb][] = [
  [/^(look|check|find|show|status)/, "look up"],
  [/^refund/, "refund"],
  [/^(e-?mail|tell|notify|inform|write)/, "email"],
  [/^(call|phone)/, "call"],
  [/^pay/, "pay"],
  [/^(delete|remove|erase)/, "delete"],
  [/^book/, "book a courier"],
];

/** `ask` and `book` count only if their objects follow in the same sentence. */
const tokens =
  /\b(?:look\w*|check|find|show|status|refund\w*|e-?mail|tell|notify|inform|write|call|phone|pay|delete|remove|erase|then|book(?=\b[^.;]*?\bcourier\b)|ask(?=\b[^.;]*?\b(carrier|address)\b)|a[-\s]?\d{4}|c[-\s]?\d{1,2}|s-?\d{1,2})\b|(?<![\d.,])\d[\d,]*(?:\.\d+)?(?=\s*(?:eur|€))/gi;

/**
 * Parses the message into stages. "then" starts a new one; the actions of a stage are proposed in one response. Ids and
 * amounts belong to the verb before them.
 */
export function parseRequest(text: string): Action[][] {
  const stages: Action[][] = [[]];
  for (const [match, about] of text.matchAll(tokens)) {
    const token = match.toLowerCase();
    const stage = stages.at(-1) ?? [];
    if (token === "then") {
      if (stage.length > 0) stages.push([]);
      continue;
    }
    const detail = detailOf(token);
    if (detail === undefined) begin(stage, verbOf(token, about));
    else attach(stages, detail);
  }
  return stages.filter((stage) => stage.length > 0);
}

/** "tell … by email" is one email: two verbs in a row without ids mean the same action. */
function begin(stage: Action[], verb: Verb | undefined): void {
  if (!verb) return;
  const last = stage.at(-1);
  if (last?.verb === verb && last.orderIds.length + last.customerIds.length === 0) return;
  stage.push({ verb, orderIds: [], customerIds: [], supplierIds: [] });
}

function attach(stages: Action[][], detail: string | number): void {
  const action = stages.at(-1)?.at(-1) ?? stages.at(-2)?.at(-1);
  if (!action) return;
  if (typeof detail === "number") {
    action.amount = detail;
    return;
  }
  const ids = { A: action.orderIds, C: action.customerIds, S: action.supplierIds }[detail.charAt(0)];
  if (ids && !ids.includes(detail)) ids.push(detail);
}

/** Parses a word as an id or an amount. */
function detailOf(token: string): string | number | undefined {
  if (/^\d/.test(token)) return Number(token.replaceAll(",", ""));
  const [, letter, number] = /^([acs])[-\s]?(\d+)$/.exec(token) ?? [];
  return letter && number ? `${letter.toUpperCase()}-${Number(number)}` : undefined;
}

function verbOf(token: string, about: string | undefined): Verb | undefined {
  if (about) return about.toLowerCase() === "carrier" ? "ask for a carrier" : "ask for an address";
  return words.find(([pattern]) => pattern.test(token))?.[1];
}
