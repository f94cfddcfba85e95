import type { Principal } from "countersign";
import fc from "fast-check";
import { type Call, isBarred, isNamed, log, logRefusal, type Model, mayDecide, maySee } from "../model.js";
import { nameOf, people } from "../people.js";
import { outcomeOf, type World } from "../world.js";
import { type Act, aim, type Choice, choose, chooseCall, choosePerson, inState } from "./act.js";
import { lost, tooLate } from "./decide.js";

const minute = 60_000;

/** An act of one person on one call. */
interface About {
  verb: string;
  /** The name of the act in audit entries about refusals; absent if a refusal adds no entry. */
  attempt?: string;
  call: string;
  who: Principal;
}

const no = (outcome: string, wakes: string[] = []) => ({ outcome, wakes });

function personsAct(
  { verb, attempt, call, who }: About,
  predict: (model: Model, call: Call | undefined) => ReturnType<typeof no>,
  perform: (world: World, about: { approvalId: string; principal: Principal }) => Promise<unknown>,
): Act {
  return {
    name: `${nameOf(who)}: ${verb} ${call}`,
    call,
    predict(model) {
      const result = predict(model, model.calls.get(call));
      if (attempt) logRefusal(model.calls.get(call), attempt, result.outcome, who.id);
      return result;
    },
    async perform(world) {
      const outcome = await outcomeOf(perform(world, { approvalId: call, principal: who }));
      return no(outcome, world.takeSent());
    },
  };
}

/** Why a person cannot act on a call, apart from its expiry. */
function closedTo(call: Call | undefined, who: Principal): string | undefined {
  if (!call || !maySee(call, who)) return "not_found";
  if (!mayDecide(call, who)) return "forbidden";
  if (call.status === "proposed") return "not_open";
  if (call.status === "expired") return "expired";
  return call.status === "pending" && !call.held ? undefined : lost(call);
}

export const assignments: fc.Arbitrary<Choice> = fc
  .record({ call: aim, who: aim, to: fc.constantFrom("gus", "gus", "finn", "rita", "leo", null) })
  .map(({ to, ...wanted }) => (model) => {
    const call = chooseCall(
      model,
      wanted.call,
      ({ status, terms }) => status === "pending" && terms.delegable,
    );
    if (!call) return undefined;
    const who = choosePerson(call, wanted.who);
    return personsAct(
      { verb: `assign to ${to}`, attempt: "assignment", call: call.id, who },
      (model, call) => {
        const closed = closedTo(call, who);
        if (!call || closed) return no(closed ?? "not_found");
        if (isBarred(call, who.id) || isBarred(call, to)) return no("self_approval");
        if (model.isOver(call)) return tooLate(model, call);
        const speaksFor = isNamed(call, who) ? who.id : call.assignedBy;
        // Assigning the same person again changes nothing: the first assigner remains the one for whom they decide.
        if (call.assignee === to) return no("ok");
        log(call, "approval.assigned", who.id);
        call.assignee = to;
        call.assignedBy = to === null ? null : speaksFor;
        return no("ok");
      },
      ({ countersign }, about) => countersign.assign({ ...about, to }),
    );
  });

export const extensions: fc.Arbitrary<Choice> = fc
  .record({ call: aim, who: aim, minutes: fc.constantFrom(0, 1, 10, 10, 60, 60 * 30) })
  .map(({ minutes, ...wanted }) => (model) => {
    const call = chooseCall(model, wanted.call, inState("pending"));
    if (!call) return undefined;
    const who = choosePerson(call, wanted.who);
    return personsAct(
      { verb: `extend by ${minutes} minutes`, attempt: "extension", call: call.id, who },
      (model, call) => {
        const closed = closedTo(call, who);
        if (!call || closed) return no(closed ?? "not_found");
        if (isBarred(call, who.id)) return no("self_approval");
        const byMs = minutes * minute;
        if (byMs < minute || byMs > call.timeoutMs) return no("invalid_extension");
        if (model.isOver(call)) return tooLate(model, call);
        if (call.extensionsUsed >= call.terms.extensions) return no("no_extension_left");
        call.extensionsUsed++;
        call.expiresAt = (call.expiresAt ?? 0) + byMs;
        log(call, "approval.extended", who.id);
        return no("ok");
      },
      ({ countersign }, about) => countersign.extend({ ...about, byMs: minutes * minute }),
    );
  });

export const takingsBack: fc.Arbitrary<Choice> = fc
  .record({ call: aim, who: aim })
  .map((wanted) => (model) => {
    const call = chooseCall(model, wanted.call, ({ status, held, votes }) => {
      return held !== null || (status === "pending" && votes.size > 0);
    });
    if (!call) return undefined;
    const own = people.find(({ id, tenantId }) => id === call.held?.by && tenantId === call.tenant);
    const who = own && wanted.who % 3 > 0 ? own : choosePerson(call, wanted.who);
    return personsAct(
      { verb: "take back", attempt: "taking_back", call: call.id, who },
      (model, call) => {
        if (!call || !maySee(call, who)) return no("not_found");
        if (call.status === "proposed") return no("not_open");
        if (call.status !== "pending") {
          if (!call.decision) return no(call.status === "expired" ? "expired" : lost(call));
          return no(call.decision.by === who.id || call.votes.has(who.id) ? "too_late" : "forbidden");
        }
        const { held } = call;
        if (held && held.by !== who.id) return no("forbidden");
        if (held && held.until <= model.now) return no("too_late");
        if (!held && !call.votes.has(who.id)) return no("ok");
        call.held = null;
        call.votes.delete(who.id);
        log(call, "approval.taken_back", who.id);
        model.expireOverdue(call.request);
        return no("ok", model.wakeUps(call.request));
      },
      ({ countersign }, about) => countersign.takeBack(about),
    );
  });

export const looks: fc.Arbitrary<Choice> = fc
  .record({ call: aim, who: aim, active: fc.boolean() })
  .map(({ active, ...wanted }) => (model) => {
    const call = chooseCall(model, wanted.call, inState("pending"));
    if (!call) return undefined;
    const who = choosePerson(call, wanted.who);
    return personsAct(
      { verb: active ? "open" : "close", call: call.id, who },
      (model, call) => {
        const closed = closedTo(call, who);
        const hidden = closed === "not_found" || closed === "forbidden" || (active && closed === "not_open");
        if (!call || hidden) return no(closed ?? "not_found");
        // A call that is no longer open records no viewers. A decision that is held may be taken back.
        if (active && call.status !== "pending") return no("ok");
        if (active) call.viewers.set(who.id, model.now + minute);
        else call.viewers.delete(who.id);
        return no("ok");
      },
      ({ countersign }, about) => countersign.setViewing({ ...about, active }),
    );
  });

export const resolutions: fc.Arbitrary<Choice> = fc
  .record({
    call: aim,
    who: aim,
    outcome: fc.constantFrom("done" as const, "failed" as const, "rerun" as const, "rerun" as const),
    note: fc.constantFrom(null, "checked"),
  })
  .map(({ outcome, note, ...wanted }) => (model) => {
    const call = chooseCall(
      model,
      wanted.call,
      ({ status, resolution }) => status === "interrupted" && resolution === null,
    );
    if (!call) return undefined;
    const who = choosePerson(call, wanted.who);
    return personsAct(
      { verb: `resolve as ${outcome} (${note})`, attempt: "resolution", call: call.id, who },
      (model, call) => {
        if (!call || !maySee(call, who)) return no("not_found");
        if (!mayDecide(call, who)) return no("forbidden");
        if (call.status !== "interrupted") return no("not_interrupted");
        const { resolution } = call;
        if (resolution) {
          const same = resolution.by === who.id && resolution.outcome === outcome && resolution.note === note;
          return no(same ? "ok" : `already_resolved by ${resolution.by}`);
        }
        const rerun = outcome === "rerun";
        if (rerun && (call.kind !== "idempotent" || call.terms.quorum > 1)) return no("no_rerun");
        if (rerun && isBarred(call, who.id)) return no("self_approval");
        call.resolution = { outcome, by: who.id, note };
        if (rerun) allowOnceMore(model, call, who);
        log(call, "approval.resolved", who.id);
        return no("ok");
      },
      ({ countersign }, about) => countersign.resolve({ ...about, outcome, note }),
    );
  });

/** A grant for exactly what ran, once, for a day. */
function allowOnceMore(model: Model, call: Call, who: Principal): void {
  const lifetimeMs = 24 * 60 * minute;
  const key = `${call.id} once more`;
  model.grants.set(key, {
    key,
    tenant: call.tenant,
    approval: call.id,
    rerun: true,
    scope: "thread",
    scopeId: call.thread,
    toolVersion: call.toolVersion,
    amount: call.decision?.amount ?? call.amount,
    grantedBy: who.id,
    grantedRoles: who.roles,
    approvers: { roles: [...call.approvers.roles], ids: [...call.approvers.ids] },
    lifetimeMs,
    expiresAt: model.now + lifetimeMs,
    usesLeft: 1,
    usesTaken: 0,
    revokedBy: null,
  });
}

export const revocations: fc.Arbitrary<Choice> = fc
  .record({ grant: aim, who: aim })
  .map((wanted) => (model) => {
    if (model.grants.size === 0) return undefined;
    const { key } = choose([...model.grants.values()].reverse(), wanted.grant);
    const who = choose(people, wanted.who);
    return {
      name: `${nameOf(who)}: revoke the grant of ${key}`,
      predict(model) {
        const grant = model.grants.get(key);
        const mayRevoke =
          grant && grant.tenant === who.tenantId && (grant.grantedBy === who.id || isNamed(grant, who));
        const isFor = grant?.tenant === who.tenantId && grant.scope === "user" && grant.scopeId === who.id;
        if (!grant || !(mayRevoke || isFor)) return "not_found";
        if (!mayRevoke) return "forbidden";
        if (grant.revokedBy !== null) return "repeated";
        grant.revokedBy = who.id;
        const call = model.calls.get(grant.approval);
        if (call) log(call, "grant.revoked", who.id);
        return "revoked";
      },
      async perform(world) {
        return (await world.store.revokeGrant(who, await world.grantId(key))).outcome;
      },
    };
  });
