import { expect, it } from "vitest";
import type { Approval } from "../../approval/approval.js";
import { engagedStop } from "../../testing/engaged-stop.js";
import { someApproval } from "../../testing/some-approval.js";
import type { TrailEntry } from "../evidence/trail.js";
import { refuseStart, type StartRefusal, type StartToCheck, startRefusals } from "./start-refusals.js";

const entry = (type: string, data: Record<string, unknown> = {}): TrailEntry => ({
  type,
  actorId: "ada",
  at: 0,
  data,
});
const started = entry("approval.executing");
const held = entry("approval.held", { until: "2026-01-02T03:04:05Z" });

/** A call to which every refusal applies that can apply at once, after which one thing after another is put right. */
const worst: StartToCheck = {
  approval: {
    ...someApproval({ startedBy: "run_2", handlerKind: "idempotent", grantId: "grt_1" }),
    status: "executing",
  },
  startedBy: "run_1",
  trail: [held],
  isOverdue: true,
  provesAgain: true,
  check: () => ({ cause: "digest_changed" }),
  stop: engagedStop,
  readBasis: () => Promise.resolve({ reading: { ok: false, field: "log" }, grant: undefined }),
};
const approved = (start: StartToCheck): StartToCheck["approval"] => ({
  ...start.approval,
  status: "approved",
});
const withoutGrant = (approval: Approval) => ({ ...approval, grantId: null });

const cures: [refusal: StartRefusal, cure: (start: StartToCheck) => StartToCheck][] = [
  [
    { end: "over", cause: "evidence_invalid", field: "status" },
    (start) => ({ ...start, trail: [held, started] }),
  ],
  [{ end: "started_elsewhere" }, (start) => ({ ...start, trail: [held], approval: approved(start) })],
  [{ end: "over", cause: "stopped", stopId: "stp_1" }, (start) => ({ ...start, stop: undefined })],
  [{ end: "over", cause: "digest_changed" }, (start) => ({ ...start, trail: [] })],
  [{ end: "over", cause: "digest_changed" }, (start) => ({ ...start, check: () => undefined })],
  [
    { end: "over", cause: "grant_revoked" },
    (start) => ({ ...start, approval: { ...withoutGrant(start.approval), status: "approved" } }),
  ],
  [
    { end: "over", cause: "evidence_invalid", field: "log" },
    (start) => ({ ...start, readBasis: () => Promise.resolve({ reading: undefined, grant: undefined }) }),
  ],
  [{ end: "expired" }, (start) => ({ ...start, isOverdue: false })],
];

it("a start that several refusals meet gets the first of the list, one after another", async () => {
  let start = worst;
  for (const [refusal, cure] of cures) {
    expect(await refuseStart(start)).toEqual(refusal);
    start = cure(start);
  }
  expect(await refuseStart(start)).toBeUndefined();
  // What is wrong with an approval has three answers.
  expect(cures).toHaveLength(startRefusals.length + 2);
});

it("a call that continues after a crash is checked again only with signatures, and a durable one under no stop", async () => {
  const continues: StartToCheck = {
    ...worst,
    approval: { ...worst.approval, startedBy: "run_1", handlerKind: "durable" },
    trail: [started],
  };
  expect(await refuseStart(continues)).toEqual({ end: "over", cause: "digest_changed" });
  expect(await refuseStart({ ...continues, provesAgain: false })).toBeUndefined();
});
