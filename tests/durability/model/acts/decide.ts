import type { DecisionType, GrantScope, Principal } from "countersign";
import fc from "fast-check";
import {
  type Call,
  type Grant,
  isBarred,
  isDecided,
  isNamed,
  log,
  logRefusal,
  type Model,
  mayDecide,
  maySee,
  needsVotes,
} from "../model.js";
import { nameOf } from "../people.js";
import { forbiddenAmount, outcomeOf } from "../world.js";
import { type Act, aim, type Choice, choose, chooseCall, choosePerson, inState } from "./act.js";
import { mayGrant, scopeIdOf } from "./propose.js";

/** The outcome of a person's act, and the requests that it wakes. */
interface Prediction {
  outcome: string;
  wakes: string[];
}

const minute = 60_000;
/** How long a rule lets a decision be held that does not say otherwise. */
const maxHoldMs = 10_000;

const edits = ["more", "same", "closed field", "forbidden"] as const;

const wantedGrant = fc.record({
  scope: aim,
  arguments: fc.constantFrom("exact" as const, "any" as const),
  minutes: fc.constantFrom(1, 30, 60 * 24 * 3),
  uses: fc.constantFrom(1, 2, null),
});

const decision = fc.record({
  call: aim,
  who: aim,
  type: aim,
  reason: fc.constantFrom(null, null, "because"),
  stale: fc.integer({ min: 0, max: 11 }).map((number) => number === 0),
  edit: fc.constantFrom(...edits, "more", "more"),
  holdMs: fc.constantFrom(0, 0, 0, 0, 1_500, 1_500, 60_000),
  grant: fc.oneof(wantedGrant, fc.constant(null)),
});

/** Approves, denies, edits or responds to one call, or votes on it if several people decide. */
export const decisions: fc.Arbitrary<Choice> = decision.map((wanted) => (model) => {
  const call = chooseCall(model, wanted.call, inState("pending"));
  if (!call) return undefined;
  const who = choosePerson(call, wanted.who);
  const possible: readonly DecisionType[] =
    wanted.type % 5 > 0 ? call.terms.decisions : ["approve", "edit", "deny", "respond"];
  const type = choose(possible, Math.floor(wanted.type / 5));
  const { reason, stale, edit, holdMs } = wanted;
  return decideAct({
    call: call.id,
    amount: call.amount,
    tenant: call.tenant,
    stale,
    who,
    type,
    reason,
    edit,
    holdMs,
    grant: type === "approve" ? grantFor(call, wanted.grant) : null,
  });
});

/** Usually a grant that the rule allows; if the rule allows no grant, usually none. */
function grantFor(
  { terms }: Call,
  wanted: (Omit<NonNullable<Decided["grant"]>, "scope"> & { scope: number }) | null,
): Decided["grant"] {
  if (!wanted) return null;
  const daring = wanted.scope % 6 === 0;
  if (!daring && terms.grantable.length === 0) return null;
  const from: readonly GrantScope[] = daring ? ["thread", "user", "team"] : terms.grantable;
  return { ...wanted, scope: choose(from, Math.floor(wanted.scope / 6)) };
}

interface Decided {
  call: string;
  /** The call's input, which an edit starts from. */
  amount: number;
  tenant: string;
  /** The decision names another digest than the call's. */
  stale: boolean;
  who: Principal;
  type: DecisionType;
  reason: string | null;
  edit: (typeof edits)[number];
  holdMs: number;
  grant: { scope: GrantScope; arguments: "exact" | "any"; minutes: number; uses: number | null } | null;
}

function decideAct(input: Decided): Act {
  const { call: approvalId, tenant, who, type, reason, stale, holdMs, grant } = input;
  const replacement = {
    ...(type === "edit" ? { input: editedInput(input) } : {}),
    ...(type === "respond" ? { responseJson: '"by hand"' } : {}),
    ...(grant
      ? {
          grant: {
            scope: grant.scope,
            arguments: grant.arguments,
            expiresIn: `${grant.minutes}m`,
            ...(grant.uses === null ? {} : { uses: grant.uses }),
          },
        }
      : {}),
  };
  const detail = JSON.stringify({ stale, reason, holdMs, ...replacement });
  return {
    name: `${nameOf(who)}: ${type} ${approvalId} ${detail}`,
    call: approvalId,
    predict(model) {
      const result = decide(model, input);
      logRefusal(model.calls.get(approvalId), "decision", result.outcome, who.id);
      return result;
    },
    async perform(world) {
      const shown = await world.store.getApproval(tenant, approvalId);
      const digest = stale || !shown ? "stale" : shown.digest;
      const deciding = world.countersign.decide({
        approvalId,
        principal: who,
        type,
        digest,
        reason,
        holdMs,
        ...replacement,
      });
      return { outcome: await outcomeOf(deciding), wakes: world.takeSent() } satisfies Prediction;
    },
  };
}

function editedInput({ edit, amount }: Decided): Record<string, unknown> {
  if (edit === "closed field") return { id: "A-2", amount };
  return {
    id: "A-1",
    amount: edit === "same" ? amount : edit === "forbidden" ? forbiddenAmount : amount + 10,
  };
}

/** The checks of a decision in their order, and the decision's outcome. */
function decide(model: Model, input: Decided): Prediction {
  const { who, type } = input;
  const no = (outcome: string): Prediction => ({ outcome, wakes: [] });
  const call = model.calls.get(input.call);
  if (!call || !maySee(call, who)) return no("not_found");
  const right = !input.stale;
  const possible = call.terms.decisions.includes(type);
  const barred = isBarred(call, who.id);
  const isUndecided = call.status === "pending" && !call.held;
  if (isUndecided && right && mayDecide(call, who)) {
    const problem =
      type === "edit" && possible ? problemOfEdit(input) : barred ? undefined : problemOfGrant(call, input);
    if (problem) return no(problem);
  }
  if (!mayDecide(call, who)) return no("forbidden");
  if (call.status === "proposed") return no("not_open");
  if (call.status === "expired") return no("expired");
  if (!isUndecided) return no(right && isRepeated(model, call, input) ? "ok" : lost(call));
  if (!right) return no("digest_mismatch");
  if (!possible) return no("decision_not_allowed");
  if (barred && type !== "deny") return no("self_approval");
  if (model.isOver(call)) return tooLate(model, call);
  if (needsVotes(call) && (type === "approve" || type === "deny")) {
    const changed = call.votes.get(who.id)?.type !== type;
    if (changed) {
      const inPlaceOf = isNamed(call, who) ? null : call.assignedBy;
      call.votes.set(who.id, { type, roles: who.roles, inPlaceOf });
    }
    if (!isDecided(call, type)) {
      if (changed) log(call, "approval.voted", who.id);
      return no("ok");
    }
  }
  const made = {
    type,
    by: who.id,
    reason: input.reason,
    at: model.now,
    response: type === "respond" ? '"by hand"' : null,
    amount: type === "edit" ? input.amount + 10 : null,
  };
  if (input.holdMs > 0 && !input.grant) {
    call.held = { ...made, until: model.now + Math.min(input.holdMs, maxHoldMs) };
    log(call, "approval.held", who.id);
    return { outcome: "ok", wakes: [call.request] };
  }
  model.decide(call, made);
  if (input.grant) give(model, call, who, input.grant);
  return { outcome: "ok", wakes: model.wakeUps(call.request) };
}

/** Expires a call after its timeout. The late decision still wakes the run. */
export function tooLate(model: Model, call: Call): Prediction {
  model.expireOverdue(call.request);
  return { outcome: "expired", wakes: model.wakeUps(call.request) };
}

/** A late decision gets the name of the person who decided first. */
export function lost({ held, decision: made }: Call): string {
  const decision = held ?? made;
  return decision ? `already_decided by ${decision.by ?? "the policy"}` : "withdrawn";
}

function problemOfEdit({ edit }: Decided): string | undefined {
  return {
    more: undefined,
    same: "invalid_edit",
    "closed field": "invalid_edit",
    forbidden: "edit_not_allowed",
  }[edit];
}

function problemOfGrant(call: Call, { grant, who }: Decided): string | undefined {
  if (!grant) return undefined;
  if (call.verdict !== "ask" || !call.terms.grantable.includes(grant.scope)) return "grant_not_allowed";
  if (grant.scope !== "team" && scopeIdOf(call, grant.scope) === null) return "invalid_grant";
  return mayGrant(call, who) ? undefined : "grant_not_allowed";
}

/** True if a person repeats their own decision, or the vote that became the decision, unchanged. */
function isRepeated(model: Model, call: Call, input: Decided): boolean {
  const decision = call.held ?? call.decision;
  if (!decision || decision.type !== input.type) return false;
  const own =
    decision.by === input.who.id &&
    decision.reason === input.reason &&
    (input.type !== "edit" || input.edit === "more");
  const voted = needsVotes(call) && call.votes.get(input.who.id)?.type === input.type;
  const given = model.grants.get(call.id);
  return (own || voted) && (input.type !== "approve" || isSameGrant(call, given, input.grant));
}

function isSameGrant(call: Call, given: Grant | undefined, wanted: Decided["grant"]): boolean {
  if (!given || !wanted) return !given && !wanted;
  const uses = given.usesLeft === null ? null : given.usesLeft + given.usesTaken;
  return (
    given.scope === wanted.scope &&
    given.amount === (wanted.arguments === "exact" ? call.amount : null) &&
    given.lifetimeMs === wanted.minutes * minute &&
    uses === wanted.uses
  );
}

function give(model: Model, call: Call, who: Principal, wanted: NonNullable<Decided["grant"]>): void {
  const lifetimeMs = wanted.minutes * minute;
  model.grants.set(call.id, {
    key: call.id,
    tenant: call.tenant,
    approval: call.id,
    rerun: false,
    scope: wanted.scope,
    scopeId: scopeIdOf(call, wanted.scope),
    toolVersion: call.toolVersion,
    amount: wanted.arguments === "exact" ? call.amount : null,
    grantedBy: who.id,
    grantedRoles: who.roles,
    approvers: { roles: [...call.approvers.roles], ids: [...call.approvers.ids] },
    lifetimeMs,
    expiresAt: model.now + lifetimeMs,
    usesLeft: wanted.uses,
    usesTaken: 0,
    revokedBy: null,
  });
  log(call, "grant.created", who.id);
}
