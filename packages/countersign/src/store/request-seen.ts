import { isOpen, statusesBefore } from "@countersign/policy/internal/shared/approval-status";
import { type CallRow, callFrom } from "./call-seen.js";
import type { ChangedCall, ChangedRequest, Changes } from "./changes.js";
import { validUntil } from "./changes.js";
import type { NewAuditEntry } from "./database.js";
import type { TrailEntry } from "./evidence/trail.js";
import { type JsonRow, rowsFromJson } from "./rows/row-from-json.js";
import { requests } from "./schema.js";
import type { Reading } from "./verb.js";

type RequestRow = typeof requests.$inferSelect;

/** A request that was read, and what a verb has changed of it so far. */
export class RequestDraft {
  readonly audited: NewAuditEntry[] = [];
  readonly proofs: JsonRow[] = [];
  /** What else is to be written with the rows. */
  also: Pick<Changes, "vote" | "turn" | "counted" | "newGrant" | "names" | "snoozeEnds"> = {};
  private set: ChangedRequest = {};
  private due: Date[] = [];

  constructor(
    /** With what was changed so far. */
    public row: RequestRow,
    private readonly version: string,
    /** The database's time when it was read. */
    readonly now: Date,
    /** In their order. */
    readonly calls: readonly CallDraft[],
  ) {}

  /** No call is open. */
  get isComplete(): boolean {
    return !this.calls.some(({ row }) => isOpen(row.status));
  }

  /** The latest deadline of its calls, in milliseconds since 1970: until then its run cannot continue. */
  get openUntil(): number {
    const ends = this.calls.map(
      ({ row: { expiresAt, createdAt, timeoutMs } }) =>
        expiresAt?.getTime() ?? createdAt.getTime() + timeoutMs,
    );
    return Math.max(this.now.getTime(), ...ends);
  }

  change(set: ChangedRequest): void {
    this.set = { ...this.set, ...set };
    const { rounds = this.row.rounds, settledAt = this.row.settledAt } = set;
    this.row = { ...this.row, rounds, settledAt };
  }

  /** From this time on, the judgement would be another. */
  holdsUntil(due: Date): void {
    this.due.push(due);
  }

  /** `undefined` if nothing has changed. */
  changes(): Changes | undefined {
    if (Object.keys(this.set).length === 0 && !this.calls.some(({ set }) => set)) return undefined;
    const judged = this.calls.filter(({ set }) => set);
    // If another verb ended the other calls while this ends one, nobody would wake the run.
    const endsOne = judged.some(({ row, set }) => set?.status && !isOpen(row.status));
    return {
      tenantId: this.row.tenantId,
      judgedAt: this.now,
      validUntil: validUntil(this.now, ...this.due),
      request: {
        ...{ id: this.row.id, version: this.version, set: this.set },
        ...(endsOne && { isComplete: this.isComplete }),
      },
      approvals: judged.map(({ row: { id }, version, set }) => ({ id, version, ...(set && { set }) })),
      ...(this.proofs.length > 0 && { proofs: this.proofs }),
      ...this.also,
      audited: this.audited,
    };
  }
}

/** A call of a request, and what a verb has changed of it so far. */
export class CallDraft {
  set: ChangedCall | undefined;

  constructor(
    /** With what was changed so far. */
    public row: CallRow,
    readonly version: string,
    /** The log about it, if a decision about it is held. */
    readonly trail: readonly TrailEntry[],
  ) {}

  change(set: ChangedCall): void {
    const { status } = this.row;
    if (set.status && !statusesBefore(set.status).includes(status)) {
      throw new Error(`A call that is ${status} cannot become ${set.status}`);
    }
    this.set = { ...this.set, ...set };
    this.row = { ...this.row, ...(set as Partial<CallRow>) };
  }
}

/** What the function `read_request` of the database returns. */
export interface JsonRequest {
  row: JsonRow;
  version: string;
  now: number;
  calls: { row: JsonRow; version: string; trail: TrailEntry[] | null }[] | null;
}

const requestFrom = rowsFromJson(requests);

/** Reads a request with its calls; `undefined` if there is none. */
export function requestReading(requestId: string): Reading<RequestDraft | undefined> {
  return {
    kind: "request",
    id: requestId,
    parse: (json) => (json === null ? undefined : draftFrom(json as JsonRequest)),
  };
}

export function draftFrom({ row, version, now, calls }: JsonRequest): RequestDraft {
  return new RequestDraft(
    requestFrom(row),
    version,
    new Date(now),
    (calls ?? []).map((call) => new CallDraft(callFrom(call.row), call.version, call.trail ?? [])),
  );
}
