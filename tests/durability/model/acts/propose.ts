import type { Approval, GrantScope, Principal } from "countersign";
import { defaultTerms } from "countersign/internal";
import fc from "fast-check";
import { type Call, type Grant, isOpen, log, type Model, type Terms } from "../model.js";
import { tenants } from "../people.js";
import { type Act, aim, type Choice, choose } from "./act.js";

const minute = 60_000;

/** Limits that are low enough for commands to reach them. */
const limits = {
  pendingPerRun: 3,
  pendingPerThread: 5,
  pendingPerRequester: 50,
  pendingPerTenant: 8,
  denialsInARow: 2,
};

const scopes: readonly GrantScope[] = ["thread", "user", "team"];

type ProposedTerms = Terms & {
  verdict: Approval["verdict"];
  approvers: Approval["approvers"];
  timeoutMs: number;
};

/** Terms that are valid together: with several approvers, there are neither edits nor grants. */
const terms: fc.Arbitrary<ProposedTerms> = fc
  .record({
    verdict: fc.constantFrom<Approval["verdict"][]>(
      "ask",
      "ask",
      "ask",
      "ask",
      "ask",
      "ask",
      "manual",
      "notify",
      "deny",
    ),
    approvers: fc.constantFrom<Approval["approvers"][]>(
      { roles: ["finance"], ids: [] },
      { roles: ["finance", "lead"], ids: [] },
      { roles: ["finance", "lead"], ids: [] },
      { roles: ["lead"], ids: ["rita"] },
      { roles: [], ids: [] },
    ),
    quorum: fc.constantFrom(1, 1, 1, 2, 2, 2, 3),
    denials: fc.constantFrom(1, 1, 2),
    distinctRoles: fc.boolean(),
    editable: fc.constantFrom<string[][]>([], ["amount"]),
    requesterMayNotApprove: fc.boolean(),
    escalation: fc.constantFrom<Terms["escalation"][]>(
      [],
      [],
      [
        { afterMs: 5 * minute, escalateTo: [] },
        { afterMs: 9 * minute, escalateTo: ["lead"] },
      ],
    ),
    extensions: fc.nat({ max: 2 }),
    delegable: fc.boolean(),
    grantable: fc.constantFrom<GrantScope[][]>(
      [],
      ["thread"],
      ["user"],
      ["thread", "team"],
      [...scopes],
      [...scopes],
    ),
    timeoutMs: fc.constantFrom(10 * minute, 10 * minute, 60 * minute, 26 * 60 * minute),
  })
  .map((ruleTerms) => {
    const several = ruleTerms.quorum > 1;
    const editable = several || ruleTerms.verdict === "manual" ? [] : ruleTerms.editable;
    const decisions: Terms["decisions"] =
      ruleTerms.verdict === "manual"
        ? ["deny", "respond"]
        : editable.length > 0
          ? ["approve", "edit", "deny"]
          : ["approve", "deny"];
    return { ...ruleTerms, editable, decisions, grantable: several ? [] : ruleTerms.grantable };
  });

/** Calls on which several people vote, some on behalf of others. */
const votedOn = terms.map((ruleTerms) => ({
  ...ruleTerms,
  verdict: "ask" as const,
  decisions: ["approve" as const, "deny" as const],
  quorum: Math.max(ruleTerms.quorum, 2),
  denials: 2,
  editable: [],
  delegable: true,
  grantable: [],
}));

/** Calls that one person approves, possibly with a grant. */
const allowed = terms.map((ruleTerms) => ({
  ...ruleTerms,
  verdict: "ask" as const,
  decisions: ["approve" as const, "deny" as const],
  quorum: 1,
  denials: 1,
  grantable: [...scopes],
}));

const requestOf = (terms: fc.Arbitrary<ProposedTerms>) =>
  fc.record({
    tenant: fc.constantFrom(...tenants, "acme", "acme", "acme"),
    run: fc.integer({ min: 1, max: 3 }),
    /** True for a proposal that may arrive after its run has ended. */
    late: fc.constantFrom(true, false, false, false),
    thread: fc.integer({ min: 1, max: 2 }),
    requester: fc.constantFrom("rita", "rita", "finn", null),
    limited: fc.boolean(),
    calls: fc.array(
      fc.record({
        terms,
        amount: fc.integer({ min: 1, max: 6 }),
        toolVersion: fc.constantFrom<string[]>("1", "1", "1", "2"),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  });

export const request = requestOf(terms);
export const requestToVoteOn = requestOf(votedOn);
export const requestToAllow = requestOf(allowed);

export type Proposed = typeof request extends fc.Arbitrary<infer Value> ? Value : never;

/** Equal for calls of one tenant with the same tool version and input. */
function matterOf(call: Pick<Call, "tenant" | "toolVersion" | "amount">): string {
  return `${call.tenant} ${call.toolVersion} ${call.amount}`;
}

/** Stores a request. A repetition under the same name changes nothing. */
export function proposing(asked: Proposed): Choice {
  const { tenant, late } = asked;
  const thread = `thread-${asked.thread}`;
  return (model) => {
    const first = `${tenant}-run-${asked.run}`;
    const run = late ? first : goingRun(model, first);
    return proposeAct({ ...asked, run, thread }, nextId(model));
  };
}

/** The run itself, or the next one that has not ended. */
function goingRun({ ended }: Model, first: string): string {
  let run = first;
  for (let next = 2; ended.has(run); next++) run = `${first}-${next}`;
  return run;
}

/** A call like the one whose approval created a grant, so that the grant probably covers it. */
export const coveredCalls: fc.Arbitrary<Choice> = fc
  .record({ grant: aim, request })
  .map(({ grant: number, request }) => (model) => {
    const live = [...model.grants.values()].filter((grant) => model.isLive(grant));
    const grant = live.length > 0 ? choose(live, number) : undefined;
    const like = grant && model.calls.get(grant.approval);
    if (!like) return undefined;
    const { tenant, run, thread, requester, amount, toolVersion, verdict, terms, timeoutMs } = like;
    const same = { terms: { ...terms, verdict, approvers: like.approvers, timeoutMs }, amount, toolVersion };
    const id = nextId(model);
    return proposeAct(
      { tenant, run, thread, requester, limited: false, calls: [same, ...request.calls.slice(1)] },
      id,
    );
  });

function nextId(model: Model): string {
  return `req_${String(model.nextRequest++).padStart(3, "0")}`;
}

interface Placed {
  tenant: string;
  run: string;
  thread: string;
  requester: string | null;
  limited: boolean;
  calls: Proposed["calls"];
}

function proposeAct({ tenant, run, thread, requester, limited, calls }: Placed, id: string): Act {
  const callId = (position: number) => `apr_${id.slice(4)}_${position}`;
  const write = (model: Model) => {
    model.requests.set(id, { id, tenant, run, rounds: 0, settledAt: null, outbox: null });
    const admit = admission(model, { tenant, run, thread, limited });
    for (const [position, { terms: ruleTerms, amount, toolVersion }] of calls.entries()) {
      const { verdict, approvers, timeoutMs, ...terms } = ruleTerms;
      const call: Call = {
        id: callId(position),
        tenant,
        request: id,
        run,
        thread,
        requester,
        amount,
        toolVersion,
        verdict,
        terms,
        timeoutMs,
        approvers: { roles: [...approvers.roles], ids: [...approvers.ids] },
        createdAt: model.now,
        status: "proposed",
        announcedAt: null,
        expiresAt: null,
        escalationSteps: 0,
        held: null,
        decision: null,
        votes: new Map(),
        viewers: new Map(),
        assignee: null,
        assignedBy: null,
        extensionsUsed: 0,
        cause: null,
        startedAt: null,
        kind: null,
        resolution: null,
        grant: null,
        duplicateOf: null,
        auditLog: [],
        refused: new Map(),
      };
      begin(model, call, admit);
      model.calls.set(call.id, call);
    }
  };
  return {
    name: `propose ${id}: ${JSON.stringify({ tenant, run, thread, requester, limited, calls })}`,
    predict(model) {
      if (!model.requests.has(id)) write(model);
      const written = model.requests.get(id);
      const end = model.ended.get(run);
      if (written && end) model.endRequest(written, end.cause);
      return model.callsOf(id).map(({ status }) => status);
    },
    async perform({ store }) {
      const proposed = await store.propose({
        requestId: id,
        tenantId: tenant,
        threadId: thread,
        runId: run,
        appId: "harness",
        agentName: "support",
        requesterId: requester,
        calls: calls.map(({ terms: ruleTerms, amount, toolVersion }, position) => {
          const { verdict, approvers, timeoutMs, ...terms } = ruleTerms;
          return {
            id: callId(position),
            position,
            toolCallId: `call_${position}`,
            toolName: "refund",
            toolVersion,
            inputJson: JSON.stringify({ id: "A-1", amount }),
            inputSchemaJson: null,
            policyContext: { principal: null, profile: null, mcp: null },
            verdict,
            approvers,
            timeoutMs,
            reason: null,
            summary: "Refund A-1",
            risk: "medium",
            policyVersion: "1",
            terms: { ...defaultTerms, ...terms, idempotent: true },
          };
        }),
        ...(limited ? { limits } : {}),
      });
      return proposed.map(({ status }) => status);
    },
  };
}

type Admission = { grant: Grant } | { cause: string; duplicateOf: string | null } | undefined;

function begin(model: Model, call: Call, admit: (call: Call) => Admission): void {
  const { verdict, requester } = call;
  const end = model.ended.get(call.run);
  if (end && verdict !== "deny") {
    refuse(call, { cause: end.cause, duplicateOf: null });
    return;
  }
  if (verdict === "notify" || verdict === "deny") {
    call.status = verdict === "deny" ? "denied" : "approved";
    call.decision = {
      type: verdict === "deny" ? "deny" : "approve",
      by: null,
      reason: null,
      at: model.now,
      response: null,
      amount: null,
    };
    log(call, verdict === "deny" ? "approval.denied_by_policy" : "approval.notified", requester);
    return;
  }
  const admitted = admit(call);
  if (!admitted) {
    log(call, "approval.proposed", requester);
  } else if ("grant" in admitted) {
    const { key, grantedBy } = admitted.grant;
    call.status = "approved";
    call.grant = key;
    call.decision = {
      type: "approve",
      by: grantedBy,
      reason: "Approved by a grant",
      at: model.now,
      response: null,
      amount: null,
    };
    log(call, "approval.granted", grantedBy);
  } else {
    refuse(call, admitted);
  }
}

function refuse(call: Call, why: { cause: string; duplicateOf: string | null }): void {
  call.status = "withdrawn";
  Object.assign(call, why);
  log(call, "approval.withdrawn", call.requester);
}

/** Admits the calls of one proposal in order: each may wait, unless it is a duplicate or exceeds a limit. */
function admission(
  model: Model,
  { tenant, run, thread, limited }: { tenant: string; run: string; thread: string; limited: boolean },
): (call: Call) => Admission {
  const waits = (call: Call) =>
    call.tenant === tenant && isOpen(call) && (call.expiresAt ?? call.createdAt + call.timeoutMs) > model.now;
  const decided = [...model.calls.values()]
    .filter((call) => call.run === run && call.grant === null && typeof call.decision?.by === "string")
    .sort((a, b) => (b.decision?.at ?? 0) - (a.decision?.at ?? 0))
    .slice(0, limits.denialsInARow);
  const discouraged =
    decided.length === limits.denialsInARow && decided.every(({ decision }) => decision?.type === "deny");
  return (call) => {
    const waiting = [...model.calls.values()].filter(waits);
    const [twin] = waiting
      .filter((other) => other.thread === thread && matterOf(other) === matterOf(call))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    if (twin) return { cause: "duplicate_call", duplicateOf: twin.id };
    const grant = narrowestGrant(model, call);
    if (grant) {
      if (grant.usesLeft !== null) grant.usesLeft--;
      grant.usesTaken++;
      return { grant };
    }
    if (limited && discouraged) return { cause: "too_many_denials", duplicateOf: null };
    const full =
      waiting.filter((other) => other.run === run).length >= limits.pendingPerRun ||
      waiting.filter((other) => other.thread === thread).length >= limits.pendingPerThread ||
      (call.requester !== null &&
        waiting.filter((other) => other.requester === call.requester).length >= limits.pendingPerRequester) ||
      waiting.length >= limits.pendingPerTenant;
    return limited && full ? { cause: "too_many_pending", duplicateOf: null } : undefined;
  };
}

function narrowestGrant(model: Model, call: Call): Grant | undefined {
  const { verdict, terms } = call;
  if (verdict !== "ask" || terms.quorum > 1) return undefined;
  const width = ({ amount, scope, usesLeft, expiresAt }: Grant) => [
    amount === null ? 1 : 0,
    scopes.indexOf(scope),
    usesLeft === null ? 1 : 0,
    expiresAt,
  ];
  return [...model.grants.values()]
    .filter((grant) => covers(model, grant, call))
    .sort((a, b) => compareLists(width(a), width(b)))[0];
}

function covers(model: Model, grant: Grant, call: Call): boolean {
  return (
    model.isLive(grant) &&
    grant.tenant === call.tenant &&
    grant.toolVersion === call.toolVersion &&
    (grant.amount === null || grant.amount === call.amount) &&
    (grant.rerun || call.terms.grantable.includes(grant.scope)) &&
    (grant.scope === "team" || (grant.scopeId !== null && grant.scopeId === scopeIdOf(call, grant.scope))) &&
    mayGrant(call, { id: grant.grantedBy, roles: [...grant.grantedRoles], tenantId: grant.tenant })
  );
}

export function scopeIdOf(call: Call, scope: GrantScope): string | null {
  return scope === "thread" ? call.thread : scope === "user" ? call.requester : null;
}

/** True for a person whom the rule names, now or after an escalation, unless they may not approve as the requester. */
export function mayGrant({ approvers, terms, requester }: Call, who: Principal): boolean {
  if (terms.requesterMayNotApprove && requester === who.id) return false;
  const roles = [...approvers.roles, ...terms.escalation.flatMap(({ escalateTo }) => escalateTo)];
  const anybody = approvers.roles.length + approvers.ids.length === 0;
  return anybody || approvers.ids.includes(who.id) || who.roles.some((role) => roles.includes(role));
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
