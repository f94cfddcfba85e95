import { expect, it } from "vitest";
import { openWaitingRefund } from "../support/waiting-refund.js";

const minute = 60_000;

/** One refund that waits for an hour, and what the people do about it through the API. */
async function open() {
  const world = await openWaitingRefund();
  const { harness, approval } = world;
  const path = `/approvals/${approval.id}/snooze`;
  const endsAt = Date.parse(approval.expiresAt ?? "");
  const at = (ms: number) => new Date(harness.clock.now() + ms).toISOString();
  return {
    ...world,
    endsAt,
    at,
    snooze: (token: string, until: unknown) => harness.call(token, path, { method: "POST", body: { until } }),
    bringBack: (token: string) => harness.call(token, path, { method: "DELETE" }),
    /** In which of the two lists a person has the call, by the list itself, its count, its facets and the call. */
    async lists(token: string) {
      const { body: counts } = await harness.call(token, "/approvals/counts");
      const { body: one } = await harness.call(token, `/approvals/${approval.id}`);
      const found: string[] = [];
      for (const list of ["for_you", "snoozed"] as const) {
        const { items } = (await harness.call(token, `/approvals?list=${list}&fields=row`)).body;
        const facets = (await harness.call(token, `/approvals/facets?list=${list}`)).body;
        const said = one.lists.includes(list) ? 1 : 0;
        expect([list, counts.lists[list], facets.found, said]).toEqual([
          list,
          items.length,
          items.length,
          items.length,
        ]);
        if (items.length > 0) found.push(list);
      }
      return { found, until: one.snoozedUntil, nextReturn: counts.nextReturn };
    },
  };
}

const forYou = { found: ["for_you"], until: null, nextReturn: null };

it("a snoozed call leaves its person's list until its time, and nobody else's", async () => {
  await using world = await open();
  const { harness, approval, at, snooze, lists } = world;
  const until = at(20 * minute);
  expect(await lists("finance")).toEqual(forYou);
  expect(await snooze("finance", until)).toMatchObject({
    status: 200,
    body: { status: "pending", snoozedUntil: until, lists: ["snoozed"] },
  });
  expect(await lists("finance")).toEqual({ found: ["snoozed"], until, nextReturn: until });
  expect(await lists("lead")).toEqual(forYou);
  expect((await harness.call("lead", "/approvals?list=for_you")).body.items).toMatchObject([
    { snoozedUntil: null },
  ]);
  expect((await harness.call("finance", "/approvals/counts")).body.pending).toBe(1);
  const trail = await harness.store.auditTrail("acme", approval.id);
  expect(trail.map(({ type }) => type)).toEqual(["approval.proposed", "approval.announced"]);

  await harness.clock.advance("19m");
  expect((await lists("finance")).found).toEqual(["snoozed"]);
  await harness.clock.advance("61s");
  expect(await lists("finance")).toEqual(forYou);
});

it("a snooze can be moved and ended, both more than once", async () => {
  await using world = await open();
  const { at, snooze, bringBack, lists } = world;
  await snooze("finance", at(20 * minute));
  const until = at(10 * minute);
  // The same instant with an offset.
  const [local] = new Date(Date.parse(until) + 120 * minute).toISOString().split("Z");
  expect((await snooze("finance", `${local}+02:00`)).body.snoozedUntil).toBe(until);
  expect((await lists("finance")).until).toBe(until);
  await bringBack("lead");
  expect((await lists("finance")).until).toBe(until);
  expect(await bringBack("finance")).toMatchObject({ status: 200, body: { snoozedUntil: null } });
  expect(await bringBack("finance")).toMatchObject({ status: 200, body: { lists: ["for_you"] } });
  expect(await lists("finance")).toEqual(forYou);
});

it("a snooze ends in the future, and a minute before the deadline at the latest, which the error names", async () => {
  await using world = await open();
  const { at, endsAt, snooze, lists } = world;
  const latest = new Date(endsAt - minute).toISOString();
  for (const until of [
    at(-1000),
    new Date(endsAt).toISOString(),
    new Date(endsAt - minute + 1).toISOString(),
  ]) {
    const { status, body } = await snooze("finance", until);
    expect([until, status, body.code, body.latest]).toEqual([until, 400, "invalid_snooze", latest]);
    expect(body.detail).toContain(`before the deadline of the call: at most ${latest}`);
    expect(body.detail).toMatch(/^until: /);
    expect(body.detail).toContain(latest);
  }
  for (const until of ["soon", "2026-01-01", 5, null, undefined]) {
    expect(await snooze("finance", until)).toMatchObject({
      status: 400,
      body: { errors: [{ field: "until" }] },
    });
  }
  expect(await lists("finance")).toEqual(forYou);
  expect((await snooze("finance", latest)).body.snoozedUntil).toBe(latest);
});

it("only a person in whose list it is can snooze a call", async () => {
  await using world = await open();
  const { harness, approval, at, snooze, bringBack } = world;
  const until = at(20 * minute);
  expect(await snooze("requester", until)).toMatchObject({ status: 403, body: { code: "forbidden" } });
  for (const token of ["stranger", "auditor"]) {
    expect([token, (await snooze(token, until)).status]).toEqual([token, 404]);
    expect([token, (await bringBack(token)).status]).toEqual([token, 404]);
  }
  await harness.decide(approval, "deny");
  expect(await snooze("finance", until)).toMatchObject({ status: 409, body: { code: "already_decided" } });
});

it("nothing of a snooze is left once the call is decided, expired or assigned", async () => {
  await using world = await open();
  const { harness, approval, at, snooze, bringBack, lists } = world;
  const assign = { method: "POST", body: { to: "lead" } };
  await snooze("finance", at(20 * minute));
  await harness.call("lead", `/approvals/${approval.id}/assign`, assign);
  expect(await lists("finance")).toEqual(forYou);
  await snooze("finance", at(20 * minute));
  // Repeating the assignment changes nothing.
  await harness.call("lead", `/approvals/${approval.id}/assign`, assign);
  expect((await lists("finance")).found).toEqual(["snoozed"]);
  await harness.decide(approval, "deny", "lead");
  expect(await lists("finance")).toMatchObject({ found: [], until: null, nextReturn: null });
  expect(await bringBack("finance")).toMatchObject({
    status: 200,
    body: { status: "denied", snoozedUntil: null },
  });
});

it("a snoozed call can be decided, and expires at its time", async () => {
  await using world = await open();
  const { harness, approval, endsAt, snooze } = world;
  await snooze("finance", new Date(endsAt - minute).toISOString());
  expect((await harness.decide(approval, "approve")).status).toBe(200);
  await harness.ended(world.runId);
  await using other = await open();
  await other.snooze("finance", new Date(other.endsAt - minute).toISOString());
  await other.harness.clock.advance("61m");
  expect(await other.lists("finance")).toMatchObject({ found: [], until: null, nextReturn: null });
  expect(await other.snooze("finance", other.at(minute))).toMatchObject({
    status: 410,
    body: { code: "expired" },
  });
});
