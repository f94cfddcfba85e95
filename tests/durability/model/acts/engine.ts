import fc from "fast-check";
import { type Call, isOpen, type Model } from "../model.js";
import { tenants } from "../people.js";
import type { World } from "../world.js";
import { aim, type Choice, chooseCall, claimed, inState } from "./act.js";

const minute = 60_000;
const hour = 60 * minute;
/** The sweep ends holds that their run should have ended by then. */
const holdGraceMs = 10_000;

/** The rounds in which runs wait; most runs wait once. */
const rounds = [0, 0, 0, 1, 1, 2, 3];

/** An act of a run, or of the sweep and the relay, on one request. */
function aboutRequest(
  verb: string,
  isLikely: (model: Model, call: Call) => boolean,
  predict: (model: Model, request: string, round: number) => unknown,
  perform: (world: World, request: string, round: number) => Promise<unknown>,
): fc.Arbitrary<Choice> {
  return aim.map((number) => (model) => {
    const request = chooseCall(model, number, (call) => isLikely(model, call))?.request;
    if (request === undefined) return undefined;
    const round = rounds[number % rounds.length] ?? 0;
    return {
      name: `${verb} ${request} in round ${round}`,
      predict: (model) => predict(model, request, round),
      perform: (world) => perform(world, request, round),
    };
  });
}

const openOf = (model: Model, request: string) => model.callsOf(request).filter(isOpen).length;

export const announcements = aboutRequest(
  "announce",
  (_, { status }) => status === "proposed",
  (model, request) => {
    for (const call of model.callsOf(request)) {
      if (call.status !== "proposed") continue;
      model.move(call, "pending", "approval.announced");
      call.announcedAt = model.now;
      call.expiresAt = model.now + call.timeoutMs;
    }
    model.beginRound(request, 0);
    return model.callsOf(request).map(({ status }) => status);
  },
  async ({ store }, request) => (await store.announce(request)).map(({ status }) => status),
);

export const settlements = aboutRequest(
  "settle",
  (model, { request }) => openOf(model, request) === 0 && model.requests.get(request)?.settledAt === null,
  (model, request, round) => {
    const settled = model.settle(request, round);
    return { open: openOf(model, request), settled };
  },
  async ({ store }, request, round) => {
    const { open, settled } = await store.settle(request, round);
    return { open, settled };
  },
);

export const peeks = aboutRequest(
  "peek at",
  (_, { status }) => status === "pending",
  (model, request, round) => {
    model.expireOverdue(request);
    for (const call of model.callsOf(request)) applyEscalation(model, call);
    model.wakeUps(request);
    model.beginRound(request, round);
    return openOf(model, request);
  },
  async ({ store }, request, round) => (await store.peek(request, round)).open,
);

function applyEscalation(model: Model, call: Call): void {
  if (call.status !== "pending" || call.held) return;
  for (const { afterMs, escalateTo } of call.terms.escalation.slice(call.escalationSteps)) {
    if (model.now - (call.announcedAt ?? 0) < afterMs) return;
    call.escalationSteps++;
    const { roles, ids } = call.approvers;
    // Everybody may decide. Naming some people would exclude the others.
    if (roles.length + ids.length > 0) call.approvers.roles = [...new Set([...roles, ...escalateTo])];
    call.auditLog.push(escalateTo.length > 0 ? "approval.escalated -" : "approval.reminded -");
  }
}

export const brokenWaits = aboutRequest(
  "withdraw",
  (_, { status }) => status === "pending" || status === "approved",
  (model, request) => {
    for (const call of model.callsOf(request)) if (isOpen(call)) model.withdraw(call, "orchestration_failed");
    model.settle(request);
    return openOf(model, request);
  },
  async ({ store }, request) => (await store.withdrawRequest(request, "orchestration_failed")).open,
);

export const endedRuns: fc.Arbitrary<Choice> = fc
  .record({ call: aim, cause: fc.constantFrom("run_cancelled" as const, "run_failed" as const) })
  .map(({ cause, ...wanted }) => (model) => {
    const run = chooseCall(model, wanted.call, inState("executing"))?.run;
    if (run === undefined) return undefined;
    return {
      name: `${run} ends: ${cause}`,
      predict(model) {
        if (!model.ended.has(run)) model.ended.set(run, { at: model.now, cause });
        return [...model.requests.values()]
          .filter((request) => request.run === run)
          .flatMap((request) => model.endRequest(request, cause))
          .sort();
      },
      perform: async ({ store }) => requestsOf(await store.withdrawRun(run, cause)),
    };
  });

export const newMessages: fc.Arbitrary<Choice> = fc
  .record({
    tenant: fc.constantFrom(...tenants),
    thread: fc.integer({ min: 1, max: 2 }),
    run: fc.integer({ min: 1, max: 3 }),
  })
  .map(({ tenant, ...place }) => () => {
    const thread = `thread-${place.thread}`;
    const keep = `${tenant}-run-${place.run}`;
    return {
      name: `a new message in ${thread} of ${tenant}, by ${keep}`,
      predict(model) {
        const waiting = [...model.calls.values()].filter(
          (call) => call.tenant === tenant && call.thread === thread && call.run !== keep && isOpen(call),
        );
        for (const call of waiting) model.withdraw(call, "superseded");
        const requests = new Set(waiting.map(({ request }) => request));
        return [...requests].flatMap((id) => model.wakeWhoWaits(id)).sort();
      },
      perform: async ({ store }) => requestsOf(await store.withdrawThread(tenant, thread, keep)),
    };
  });

function requestsOf(wakeUps: readonly { requestId: string }[]): string[] {
  return wakeUps.map(({ requestId }) => requestId).sort();
}

export const claims: fc.Arbitrary<Choice> = fc
  .record({
    call: aim,
    kind: fc.constantFrom("once" as const, "idempotent" as const, "durable" as const),
    cause: fc.constantFrom(null, null, null, null, null, "policy_changed" as const, "tool_changed" as const),
  })
  .map(({ kind, cause, ...wanted }) => (model) => {
    const id = chooseCall(model, wanted.call, inState("approved"))?.id;
    if (id === undefined) return undefined;
    return {
      call: id,
      name: `claim ${id} as ${kind}${cause ? `, but ${cause}` : ""}`,
      predict(model) {
        const call = model.calls.get(id);
        if (!call) return "not_found";
        if (call.status === "executing") return "already_started";
        if (call.status !== "approved") return "refused";
        const revoked = call.grant !== null && model.grants.get(call.grant)?.revokedBy !== null;
        if (cause ?? revoked) model.withdraw(call, cause ?? "grant_revoked");
        else if (isStale(model, call)) model.move(call, "expired");
        else {
          model.move(call, "executing");
          call.startedAt = model.now;
          call.kind = kind;
          return claimed;
        }
        return "refused";
      },
      perform: async ({ store }) =>
        (await store.claim(id, kind, () => (cause ? { cause } : undefined))).outcome,
    };
  });

/** Once its run can go on, an approved call may start for a day, or for its timeout if that is longer. */
function isStale(model: Model, call: Call): boolean {
  const settledAt = model.requests.get(call.request)?.settledAt ?? null;
  if (settledAt === null) return false;
  return Math.max(settledAt, call.decision?.at ?? 0) + Math.max(24 * hour, call.timeoutMs) < model.now;
}

/** A run has as long to announce a proposed call. */
function isForgotten(model: Model, call: Call): boolean {
  return call.createdAt + Math.max(24 * hour, call.timeoutMs) < model.now;
}

export const ends: fc.Arbitrary<Choice> = fc
  .record({
    call: aim,
    status: fc.constantFrom(
      "executed" as const,
      "failed" as const,
      "interrupted" as const,
      "interrupted" as const,
    ),
  })
  .map(({ status, ...wanted }) => (model) => {
    const id = chooseCall(model, wanted.call, inState("executing"))?.id;
    if (id === undefined) return undefined;
    return {
      name: `${id} ends: ${status}`,
      predict(model) {
        const call = model.calls.get(id);
        if (call?.status === "executing") model.move(call, status);
        return call?.status;
      },
      async perform({ store }) {
        const end = status === "interrupted" ? { status } : { status, outcomeJson: '"done"' };
        return (await store.finish(id, end))?.status;
      },
    };
  });

export const sweeps: fc.Arbitrary<Choice> = fc.constant(() => ({
  name: "sweep",
  predict(model) {
    const calls = [...model.calls.values()];
    const isLate = ({ held, expiresAt }: Call) =>
      held ? held.until + holdGraceMs < model.now : expiresAt !== null && expiresAt + minute < model.now;
    const overdue = calls.filter((call) => call.status === "pending" && isLate(call));
    let expired = 0;
    for (const request of new Set(overdue.map(({ request }) => request))) {
      expired += model.expireOverdue(request);
      model.wakeUps(request);
    }
    const endless = calls.filter(
      ({ status, kind, startedAt }) =>
        status === "executing" && kind !== "durable" && (startedAt ?? 0) + hour < model.now,
    );
    for (const call of endless) model.move(call, "interrupted");
    const unused = calls.filter((call) => call.status === "approved" && isStale(model, call));
    for (const call of unused) model.move(call, "expired");
    const forgotten = calls.filter((call) => call.status === "proposed" && isForgotten(model, call));
    for (const call of forgotten) model.withdraw(call, "run_lost");
    for (const request of new Set(forgotten.map(({ request }) => request))) model.settle(request);
    for (const [run, { at }] of model.ended) if (at + 24 * hour < model.now) model.ended.delete(run);
    return { expired: expired + unused.length, interrupted: endless.length };
  },
  perform: ({ store }) => store.sweep(),
}));

export const relays: fc.Arbitrary<Choice> = fc.constant(() => ({
  name: "relay what is due",
  predict(model) {
    const waiting = [...model.requests.values()].filter(({ outbox }) => outbox !== null);
    const due = waiting.filter(({ outbox }) => outbox && outbox.nextAt <= model.now);
    for (const { outbox } of due) {
      if (!outbox) continue;
      outbox.nextAt = model.now + Math.min(5000 * 2 ** Math.min(outbox.attempts, 12), hour);
      outbox.attempts++;
    }
    return due.map(({ id }) => id).sort();
  },
  perform: async ({ store }) => requestsOf(await store.takeDueWakeUps(1000)),
}));

const passing = fc.constantFrom(1, 4, 4, 10, 10, 61, 25 * 60, 49 * 60);

export const time: fc.Arbitrary<Choice> = passing.map((minutes) => () => ({
  name: `${minutes} minutes pass`,
  predict(model) {
    model.now += minutes * minute;
  },
  perform: async () => undefined,
}));
