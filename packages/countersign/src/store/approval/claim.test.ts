import { describe, expect, it } from "vitest";
import type { Approval } from "../../approval/approval.js";
import type { ApprovalBasis } from "../../approval/approval-basis.js";
import { externalToolVersion } from "../../approval/external-tool-version.js";
import { createEvidenceSigner } from "../../evidence/evidence-signer.js";
import { engagedStop } from "../../testing/engaged-stop.js";
import { someApproval } from "../../testing/some-approval.js";
import { readAt, readPlus, someCallSeen, someProof, trailEntry } from "../../testing/some-call-seen.js";
import type { CallRow, CallSeen } from "../call-seen.js";
import { validUntil } from "../changes.js";
import { judgeClaim, type Starting } from "./claim.js";

const hourMs = 3_600_000;
const secret = "a-secret-of-at-least-thirty-two-bytes";
const signer = createEvidenceSigner(secret);

const starting: Starting = {
  ...{ handlerKind: "once", check: () => undefined, reader: undefined, startedBy: "run_1" },
};
const signing: Starting = { ...starting, reader: signer };

const decision = { type: "approve" as const, decidedBy: "ada", roles: ["lead"], reason: null };
const approved = someApproval({
  status: "approved",
  decision: { ...decision, decidedAt: readPlus(-60_000) },
  notify: ["slack:#finance"],
});
const executing = someApproval({
  ...approved,
  ...{ status: "executing", startedAt: readPlus(-30_000), startedBy: "run_1", handlerKind: "once" },
});
const otherStop = { ...engagedStop, id: "stp_2", tool: "send_*" };

/** The approved call with signed evidence, valid for so long after it was read. */
async function signed(validMs = hourMs): Promise<CallSeen> {
  const { proof, trail } = await someProof(approved, signer, readPlus(validMs));
  return someCallSeen(approved, { proof, trail });
}

/** The approved call, decided and settled at these times from when it was read. */
const aged = (decided: number, settled: number | null, parts: Partial<CallRow> = {}): CallSeen => {
  const seen = someCallSeen(approved, { settledAt: settled === null ? null : readPlus(settled) });
  return { ...seen, row: { ...seen.row, decidedAt: readPlus(decided), ...parts } };
};

const ofProgram = { toolVersion: externalToolVersion };

const hasStarted = trailEntry("approval.executing");
const stopped = (approval: Approval) => {
  const trail = approval.status === "executing" ? [hasStarted] : [];
  return someCallSeen(approval, { trail, stops: [otherStop, engagedStop] });
};

/** What a refusal writes, and nothing else. */
function ending(status: "withdrawn" | "interrupted" | "expired", set: object, data: object) {
  const written = { ...set, status, finishedAt: readAt };
  return {
    result: { outcome: "refused", approval: expect.objectContaining({ id: "apr_1", ...written }) },
    changes: {
      ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
      approvals: [{ id: "apr_1", version: "700", set: written }],
      audited: [
        {
          ...{ tenantId: "acme", approvalId: "apr_1", type: `approval.${status}` },
          ...{ notify: ["slack:#finance"], data: { digest: approved.digest, ...data } },
        },
      ],
    },
  };
}

const withdrawn = (withdrawalCause: string, data: object = {}) =>
  ending("withdrawn", { withdrawalCause }, { cause: withdrawalCause, ...data });
const invalid = (field: string) => withdrawn("evidence_invalid", { field });

describe("a call that may not be claimed", () => {
  it("is not found, and nothing changes", async () => {
    expect(await judgeClaim(undefined, starting)).toEqual({ result: { outcome: "not_found" } });
  });

  it.each(["proposed", "pending", "denied", "withdrawn", "expired", "executed", "interrupted"] as const)(
    "is %s, and nothing changes",
    async (status) => {
      const approval = someApproval({ ...approved, status });
      const judged = await judgeClaim(someCallSeen(approval), starting);
      expect(judged).toEqual({ result: { outcome: "refused", approval } });
    },
  );

  it.each<[string, () => Promise<Partial<CallSeen>>]>([
    ["evidence", async () => ({ proof: (await signed()).proof })],
    ["an entry about evidence", async () => ({ trail: (await signed()).trail })],
    ["a signed wish", async () => ({ row: { ...someCallSeen(approved).row, undoToken: "a.b.c" } })],
  ])("has %s, but this process no key", async (_, parts) => {
    const seen = someCallSeen(approved, await parts());
    await expect(judgeClaim(seen, starting)).rejects.toMatchObject({ code: "signing_key_missing" });
  });

  it("has evidence of another key", async () => {
    const reader = createEvidenceSigner(`${secret}-of-another-process`);
    await expect(judgeClaim(await signed(), { ...signing, reader })).rejects.toMatchObject({
      code: "signing_key_missing",
    });
  });
});

describe("a call that is claimed", () => {
  const started = {
    status: "executing",
    startedAt: readAt,
    handlerKind: "once",
    startedBy: "run_1",
  } as const;
  const claimed = {
    ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
    approvals: [{ id: "apr_1", version: "700", set: started }],
    stops: { tenantId: "acme", seen: [] },
    audited: [
      {
        ...{ tenantId: "acme", approvalId: "apr_1", type: "approval.executing" },
        ...{ notify: ["slack:#finance"], data: { digest: approved.digest, handlerKind: "once" } },
      },
    ],
  };

  it("starts, provided that its row and the stops are the same", async () => {
    expect(await judgeClaim(someCallSeen(approved), starting)).toEqual({
      result: { outcome: "claimed", approval: { ...approved, ...started } },
      changes: claimed,
    });
  });

  it("uses its evidence, and the log names it", async () => {
    const seen = await signed();
    const evidenceId = seen.proof?.row.id;
    const data = { ...claimed.audited[0]?.data, evidenceId, keyId: signer.keyId };
    expect((await judgeClaim(seen, signing)).changes).toEqual({
      ...claimed,
      evidence: [{ id: evidenceId, version: "701", consumedAt: readAt }],
      audited: [{ ...claimed.audited[0], data }],
    });
  });

  it("has seen a stop for another tool", async () => {
    const { result, changes } = await judgeClaim(someCallSeen(approved, { stops: [otherStop] }), starting);
    expect(result.outcome).toBe("claimed");
    expect(changes?.stops).toEqual({ tenantId: "acme", seen: ["stp_2"] });
  });

  it("is checked with the people who approved it", async () => {
    const bases: (ApprovalBasis | undefined)[] = [];
    const check: Starting["check"] = (_, basis) => void bases.push(basis);
    await judgeClaim(someCallSeen(approved), { ...starting, check });
    await judgeClaim(await signed(), { ...signing, check });
    const approver = { id: "ada", roles: ["lead"], onBehalfOf: null, at: readPlus(-60_000).getTime() };
    expect(bases).toEqual(Array(2).fill({ by: "people", approvers: [approver] }));
  });

  it.each<[string, Date, Starting, () => Promise<CallSeen>]>([
    ["not long after it was read", validUntil(readAt), signing, signed],
    ["before its evidence expires", readPlus(999), signing, () => signed(1_000)],
    ["at once if its evidence is about to expire", readAt, signing, () => signed(1)],
    ["while it is not late", readPlus(2_000), starting, async () => aged(-25 * hourMs, 2_000 - 24 * hourMs)],
  ])("is written %s", async (_, until, start, seen) => {
    const { result, changes } = await judgeClaim(await seen(), start);
    expect(result.outcome).toBe("claimed");
    expect(changes?.validUntil).toEqual(until);
  });
});

describe("an approved call that is late", () => {
  it.each<[string, number, number | null, Partial<CallRow>?]>([
    ["a day after its run could continue", -48 * hourMs, -24 * hourMs],
    ["a day after its decision, which came last", -24 * hourMs, -48 * hourMs],
    ["at its timeout, of more than a day", -48 * hourMs, -25 * hourMs, { timeoutMs: 25 * hourMs }],
    ["while its run waits for other calls", -48 * hourMs, null],
    ["a day after the decision, for a program", -24 * hourMs, null, ofProgram],
  ])("still starts %s", async (_, decided, settled, parts) => {
    const { result } = await judgeClaim(aged(decided, settled, parts), starting);
    expect(result.outcome).toBe("claimed");
  });
});

describe("an approved call that may not start", () => {
  it.each<[string, object, Starting, () => Promise<CallSeen> | CallSeen]>([
    ["stopped", withdrawn("stopped", { stopId: "stp_1" }), starting, () => stopped(approved)],
    [
      "objected to by its check",
      withdrawn("evidence_invalid", { field: "quorum" }),
      { ...starting, check: () => ({ cause: "evidence_invalid", field: "quorum" }) },
      () => someCallSeen(approved),
    ],
    ["without its evidence", invalid("evidence"), signing, () => someCallSeen(approved)],
    ["with expired evidence", invalid("expiresAt"), signing, () => signed(0)],
    [
      "started by the log",
      invalid("status"),
      starting,
      () => someCallSeen(approved, { trail: [hasStarted] }),
    ],
  ])("is %s", async (_, refusal, start, seen) => {
    expect(await judgeClaim(await seen(), start)).toEqual(refusal);
  });

  it.each<[string, number, number | null, Partial<CallRow>?]>([
    ["a day after its run could continue", -48 * hourMs, -24 * hourMs - 1],
    ["a day after its decision, which came last", -24 * hourMs - 1, -48 * hourMs],
    ["its timeout, of more than a day", -48 * hourMs, -25 * hourMs - 1, { timeoutMs: 25 * hourMs }],
    ["a day after the decision, for a program", -24 * hourMs - 1, null, ofProgram],
  ])("has expired once it is later than %s", async (_, decided, settled, parts) => {
    const judged = await judgeClaim(aged(decided, settled, parts), starting);
    expect(judged).toEqual(ending("expired", {}, {}));
  });
});

describe("a call that has started", () => {
  it("continues in its run, provided that its row and the stops are the same", async () => {
    const seen = someCallSeen(executing, { trail: [hasStarted], stops: [otherStop] });
    expect(await judgeClaim(seen, starting)).toEqual({
      result: { outcome: "already_started", approval: executing },
      changes: {
        ...{ tenantId: "acme", judgedAt: readAt, validUntil: validUntil(readAt) },
        approvals: [{ id: "apr_1", version: "700" }],
        stops: { tenantId: "acme", seen: ["stp_2"] },
        audited: [],
      },
    });
  });

  it("stays as it is for another run, also under a stop", async () => {
    const judged = await judgeClaim(stopped(executing), { ...starting, startedBy: "run_2" });
    expect(judged).toEqual({ result: { outcome: "started_elsewhere", approval: executing } });
  });

  it("has the kind of handler with which it started by the log, whatever its row says", async () => {
    const trail = [trailEntry("approval.executing", { handlerKind: "once" })];
    const changed = someApproval({ ...executing, handlerKind: "idempotent" });
    const judged = await judgeClaim(someCallSeen(changed, { trail }), starting);
    expect(judged.result).toEqual({ outcome: "already_started", approval: executing });
  });

  it("is interrupted by a stop if its handler would run again", async () => {
    const idempotent = someApproval({ ...executing, handlerKind: "idempotent" });
    const refusal = ending("interrupted", {}, { cause: "stopped", stopId: "stp_1" });
    expect(await judgeClaim(stopped(idempotent), starting)).toEqual(refusal);
    expect((await judgeClaim(stopped(executing), starting)).result.outcome).toBe("already_started");
  });
});
