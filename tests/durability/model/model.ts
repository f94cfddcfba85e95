import type { Approval, ApprovalStatus, DecisionType, GrantScope, Principal } from "countersign";

/** The terms of a call's rule on which its approval depends. */
export type Terms = Pick<
  Approval["terms"],
  | "decisions"
  | "quorum"
  | "distinctRoles"
  | "denials"
  | "editable"
  | "requesterMayNotApprove"
  | "escalation"
  | "extensions"
  | "delegable"
  | "grantable"
>;

/** A decision of a person or the policy. */
interface Made {
  type: DecisionType;
  by: string | null;
  reason: string | null;
  at: number;
  response: string | null;
  amount: number | null;
}

export interface Call {
  id: string;
  tenant: string;
  request: string;
  run: string;
  thread: string;
  requester: string | null;
  /** The only argument that differs between calls. */
  amount: number;
  toolVersion: string;
  verdict: Approval["verdict"];
  terms: Terms;
  approvers: Approval["approvers"];
  timeoutMs: number;
  createdAt: number;
  status: ApprovalStatus;
  announcedAt: number | null;
  expiresAt: number | null;
  escalationSteps: number;
  decision: Made | null;
  /** A decision that takes effect later, unless it is taken back. */
  held: (Made & { by: string; until: number }) | null;
  votes: Map<string, { type: "approve" | "deny"; roles: readonly string[]; inPlaceOf: string | null }>;
  viewers: Map<string, number>;
  assignee: string | null;
  assignedBy: string | null;
  extensionsUsed: number;
  cause: string | null;
  startedAt: number | null;
  kind: "once" | "idempotent" | "durable" | null;
  resolution: { outcome: "done" | "failed" | "rerun"; by: string; note: string | null } | null;
  grant: string | null;
  duplicateOf: string | null;
  /** The call's audit entries: the type and the actor of each. */
  auditLog: string[];
  /** How often each refusal was repeated. */
  refused: Map<string, number>;
}

export interface Request {
  id: string;
  tenant: string;
  run: string;
  /** How often a run has begun to wait for it. */
  rounds: number;
  settledAt: number | null;
  outbox: { attempts: number; nextAt: number } | null;
}

export interface Grant {
  /** The approval that created the grant, with a mark if the grant is for a rerun of an interrupted call. */
  key: string;
  tenant: string;
  approval: string;
  rerun: boolean;
  scope: GrantScope;
  scopeId: string | null;
  toolVersion: string;
  /** `null` covers any amount. */
  amount: number | null;
  grantedBy: string;
  grantedRoles: readonly string[];
  approvers: Approval["approvers"];
  lifetimeMs: number;
  expiresAt: number;
  usesLeft: number | null;
  usesTaken: number;
  revokedBy: string | null;
}

/** The expected state as plain objects. Times are milliseconds since the beginning; each command takes half a second. */
export class Model {
  now = 0;
  /** Numbers the requests, including those that are never stored. */
  nextRequest = 0;
  readonly calls = new Map<string, Call>();
  readonly requests = new Map<string, Request>();
  readonly grants = new Map<string, Grant>();
  /** Runs that have ended, when, and how. */
  readonly ended = new Map<string, { at: number; cause: "run_cancelled" | "run_failed" }>();

  callsOf(request: string): Call[] {
    return [...this.calls.values()].filter((call) => call.request === request);
  }

  isOver({ expiresAt }: Call): boolean {
    return expiresAt !== null && expiresAt <= this.now;
  }

  isLive({ revokedBy, expiresAt, usesLeft }: Grant): boolean {
    return revokedBy === null && expiresAt > this.now && (usesLeft === null || usesLeft > 0);
  }

  /** A change of state, which the documentation's diagram must have. */
  move(call: Call, to: ApprovalStatus, entry = `approval.${to}`, by: string | null = null): void {
    if (!diagram[call.status].includes(to)) throw new Error(`The model itself went ${call.status} → ${to}`);
    call.status = to;
    // Whatever ends the call ends the hold.
    call.held = null;
    log(call, entry, by);
  }

  withdraw(call: Call, cause: string): void {
    this.move(call, "withdrawn");
    call.cause = cause;
  }

  /** Withdraws the calls of a request whose run has ended. Returns the requests to wake. */
  endRequest(request: Request, cause: "run_cancelled" | "run_failed"): string[] {
    for (const call of this.callsOf(request.id)) {
      if (isOpen(call) || call.status === "approved") this.withdraw(call, cause);
      else if (call.status === "executing" && (cause === "run_failed" || call.kind === "durable")) {
        this.move(call, "interrupted");
      }
    }
    return this.wakeWhoWaits(request.id);
  }

  /** If no run has begun to wait, the request is settled at once and no run is woken. */
  wakeWhoWaits(request: string): string[] {
    if (this.requests.get(request)?.rounds !== 0) return this.wakeUps(request);
    this.settle(request);
    return [];
  }

  expireOverdue(request: string): number {
    for (const call of this.callsOf(request)) this.endHold(call);
    const overdue = this.callsOf(request).filter(
      (call) => call.status === "pending" && !call.held && this.isOver(call),
    );
    for (const call of overdue) this.move(call, "expired");
    return overdue.length;
  }

  endHold(call: Call): void {
    const { held } = call;
    if (call.status !== "pending" || !held || held.until > this.now) return;
    const { until: _, ...decision } = held;
    call.held = null;
    this.decide(call, { ...decision, by: held.by });
  }

  /** A decision takes effect. */
  decide(call: Call, decision: Made): void {
    const to = { approve: "approved", edit: "approved", deny: "denied", respond: "responded" } as const;
    const { type, by } = decision;
    call.decision = decision;
    this.move(call, to[type], type === "edit" ? "approval.edited" : `approval.${to[type]}`, by);
  }

  /** The request to wake once none of its calls is open. The outbox keeps the wake-up until the run has processed it. */
  wakeUps(requestId: string): string[] {
    const request = this.requests.get(requestId);
    if (!request || request.settledAt !== null || this.callsOf(requestId).some(isOpen)) return [];
    request.outbox ??= { attempts: 0, nextAt: this.now + 5000 };
    return [requestId];
  }

  /** A run that begins to wait for a request without open calls is woken, once in each round. */
  beginRound(requestId: string, round: number): void {
    const request = this.requests.get(requestId);
    if (!request || round < request.rounds) return;
    request.rounds = round + 1;
    request.settledAt = null;
    this.wakeUps(requestId);
  }

  settle(requestId: string, round = Number.POSITIVE_INFINITY): boolean {
    const request = this.requests.get(requestId);
    this.expireOverdue(requestId);
    if (this.callsOf(requestId).some(isOpen)) return false;
    if (!request || request.settledAt !== null) return true;
    if (request.rounds > round + 1) {
      this.wakeUps(requestId);
      return false;
    }
    request.settledAt = this.now;
    request.outbox = null;
    return true;
  }
}

/** A second copy of the state diagram in docs/architecture.md. */
export const diagram: Record<ApprovalStatus, readonly ApprovalStatus[]> = {
  proposed: ["pending", "withdrawn"],
  pending: ["approved", "denied", "responded", "expired", "withdrawn"],
  approved: ["executing", "expired", "withdrawn"],
  executing: ["executed", "failed", "interrupted"],
  denied: [],
  responded: [],
  expired: [],
  withdrawn: [],
  executed: [],
  failed: [],
  interrupted: [],
};

/** First states of a call: it waits, or the policy, a grant or a limit has decided it. */
export const beginnings: readonly ApprovalStatus[] = ["proposed", "approved", "denied", "withdrawn"];

export function log(call: Call, type: string, by: string | null = null): void {
  call.auditLog.push(`${type} ${by ?? "-"}`);
}

/** The audit log records the first and the tenth refusal of each kind for a call that the principal may see. */
export function logRefusal(call: Call | undefined, attempt: string, outcome: string, by: string): void {
  if (!call || outcome === "ok" || outcome === "not_found") return;
  const entry = `${attempt}.refused ${by}: ${outcome.split(" ")[0]}`;
  const times = (call.refused.get(entry) ?? 0) + 1;
  call.refused.set(entry, times);
  if (times === 1 || times === 10) call.auditLog.push(entry);
}

export function isOpen({ status }: Pick<Call, "status">): boolean {
  return status === "proposed" || status === "pending";
}

/** True where the rule names this person, or nobody in particular. */
export function isNamed({ approvers }: Pick<Call, "approvers">, who: Principal): boolean {
  const anybody = approvers.roles.length + approvers.ids.length === 0;
  return (
    anybody || approvers.ids.includes(who.id) || who.roles.some((role) => approvers.roles.includes(role))
  );
}

export function mayDecide(call: Call, who: Principal): boolean {
  if (call.tenant !== who.tenantId) return false;
  return isNamed(call, who) || (call.terms.delegable && call.assignee === who.id);
}

export function maySee(call: Call, who: Principal): boolean {
  return mayDecide(call, who) || (call.tenant === who.tenantId && call.requester === who.id);
}

/** True if this person may not approve the call because they requested it. */
export function isBarred({ requester, terms }: Call, id: string | null): boolean {
  return terms.requesterMayNotApprove && requester !== null && requester === id;
}

export function needsVotes({ terms }: Pick<Call, "terms">): boolean {
  return terms.quorum > 1 || terms.denials > 1;
}

type Counted = Pick<Call, "terms" | "approvers" | "votes">;

/** The number of people, or of different roles, that voted for one side. */
export function votesFor(call: Counted, type: "approve" | "deny"): number {
  const cast = [...call.votes].filter(([, vote]) => vote.type === type);
  if (type === "approve" && call.terms.distinctRoles && call.terms.quorum > 1) {
    const named = cast.filter(([, { inPlaceOf }]) => inPlaceOf === null);
    return covered(
      named.map(([, { roles }]) => roles.filter((role) => call.approvers.roles.includes(role))),
      [],
    );
  }
  return new Set(cast.map(([id, { inPlaceOf }]) => inPlaceOf ?? id)).size;
}

/** The most roles that people cover when each covers one at most: every way is tried. */
function covered([first, ...others]: readonly (readonly string[])[], taken: readonly string[]): number {
  if (!first) return taken.length;
  const free = first.filter((role) => !taken.includes(role));
  return Math.max(covered(others, taken), ...free.map((role) => covered(others, [...taken, role])));
}

export function isDecided(call: Counted, type: "approve" | "deny"): boolean {
  return votesFor(call, type) >= (type === "approve" ? call.terms.quorum : call.terms.denials);
}
