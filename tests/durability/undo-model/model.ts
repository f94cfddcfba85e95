import type { ApprovalStatus, Principal } from "countersign";

/** What the policy says about the undo of a call: nobody, one or two of finance, or a lead is asked, or it is denied. */
export const ways = ["notify", "one", "two", "lead", "deny"] as const;
export type Way = (typeof ways)[number];

export interface Undo {
  status: ApprovalStatus;
  askedBy: string;
  /** Who has approved it. */
  votes: Set<string>;
  expiresAt: number | null;
  startedAt: number | null;
  resolution: "done" | "failed" | null;
}

export interface Call {
  id: string;
  way: Way;
  status: "executed" | "failed" | "interrupted";
  endedAt: number;
  /** Milliseconds after its end within which people may ask for its undo; `null`: at any time; 0: never. */
  withinMs: number | null;
  /** The last undo that was asked for. */
  undo: Undo | null;
  isUndone: boolean;
  /** How often its effect has been taken back. */
  effects: number;
}

/** What the calls may spend without a question. */
export const budget = 100;
/** How long an undo waits for people. */
export const timeoutMs = 20 * 60_000;

const person = (id: string, ...roles: string[]): Principal => ({ id, tenantId: "acme", roles });

/** Those of finance may decide calls, so they may ask for undos. */
export const people: readonly Principal[] = [
  person("finn", "finance"),
  person("fay", "finance", "lead"),
  person("flo", "finance"),
  person("leo", "lead"),
  person("requester"),
];

/** The expected state. Times are milliseconds since the beginning. */
export class Model {
  now = 0;
  readonly calls = new Map<string, Call>();
  /** What the grant's calls have spent of its budget. */
  spent = 0;
  isStopped = false;

  /** Why a person cannot ask for an undo: the code of the error; `undefined` if they can. */
  refusalOf(call: Call, who: Principal): string | undefined {
    if (who.id === "requester") return "forbidden";
    if (!who.roles.includes("finance")) return "not_found";
    const { undo, withinMs } = call;
    if (call.isUndone || call.status !== "executed" || withinMs === 0) return "not_undoable";
    if (!undo || isOver(undo)) {
      // The operator's stop is found before the database compares the time.
      if (this.isStopped) return "stopped";
      return withinMs === null || call.endedAt + withinMs > this.now ? undefined : "not_undoable";
    }
    return isAnswerFor(who, undo) ? undefined : "not_undoable";
  }

  /** A new undo, as the policy begins it; `announced`: people have been asked. */
  begin(call: Call, who: Principal, announced: boolean): Undo {
    const asks = announced ? "pending" : "proposed";
    const status = call.way === "notify" ? "approved" : call.way === "deny" ? "denied" : asks;
    const undo: Undo = {
      ...{ status, askedBy: who.id, votes: new Set(), startedAt: null, resolution: null },
      expiresAt: status === "pending" ? this.now + timeoutMs : null,
    };
    call.undo = undo;
    return undo;
  }

  announce(undo: Undo): void {
    if (undo.status === "proposed")
      Object.assign(undo, { status: "pending", expiresAt: this.now + timeoutMs });
  }

  /** Expires an undo for which people have taken too long; true if it did. */
  expire(undo: Undo, graceMs = 0): boolean {
    const isLate = undo.status === "pending" && (undo.expiresAt ?? 0) + graceMs <= this.now;
    if (isLate) undo.status = "expired";
    return isLate;
  }

  finish(call: Call, undo: Undo, status: "executed" | "failed" | "interrupted"): void {
    undo.status = status;
    if (status === "executed") call.isUndone = true;
  }
}

export function isUnderWay({ status }: Undo): boolean {
  return status === "proposed" || status === "pending" || status === "approved";
}

/** True for an undo that a person gets who asks for one: it may still start, or runs at their own wish. */
export function isAnswerFor({ id }: Principal, undo: Undo): boolean {
  return isUnderWay(undo) || (undo.status === "executing" && undo.askedBy === id);
}

/** True for an undo that has not happened and never will, so that it frees its call. */
export function isOver({ status, resolution }: Undo): boolean {
  return ["denied", "expired", "withdrawn", "failed"].includes(status) || resolution === "failed";
}

export function mayVote({ way, undo }: Call, { id, roles }: Principal): boolean {
  const isNamed = roles.includes(way === "lead" ? "lead" : "finance");
  return undo?.status === "pending" && isNamed && !undo.votes.has(id);
}

/** Counts an approval; true if it decides. */
export function vote({ way, undo }: Call, { id }: Principal): boolean {
  undo?.votes.add(id);
  const isDecided = (undo?.votes.size ?? 0) >= (way === "two" ? 2 : 1);
  if (undo && isDecided) undo.status = "approved";
  return isDecided;
}
