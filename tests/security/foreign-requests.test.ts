import { expect, it } from "vitest";
import { bookingRule, finance, openBookingDesk } from "../support/booking-desk.js";
import { freshPostgres } from "../support/databases.js";
import { withoutRelay } from "../support/without-relay.js";

it("an event for any of our functions, with any id, changes no call that the function itself did not propose", async () => {
  await using database = await freshPostgres();
  // The relay's first run wakes every waiting run, and a run that reads what the test writes below goes on.
  await using desk = await openBookingDesk(database, {
    served: withoutRelay,
    rules: [
      bookingRule,
      { tools: "book.undo", verdict: "ask", approvers: { roles: ["lead"] } },
      { tools: "deploy", verdict: "ask", approvers: { roles: ["finance"] } },
    ],
  });
  const { countersign, store } = desk;
  const { call: ran } = await desk.book("A-1");
  const undo = await desk.undo(ran);
  const program = { ...finance, id: "program", roles: [] };
  const calls = [ran, undo];
  for (const status of ["pending", "approved"]) {
    const asked = await countersign.externalCalls.request({
      ...{ principal: program, toolName: "deploy", key: status, input: { service: status } },
    });
    if (asked.status !== "pending") throw new Error("unreachable");
    const external = await desk.row(asked.approvalId);
    calls.push(external);
    if (status === "approved") await desk.decide(external, "approve");
  }
  // Calls of runs, in each state in which something could still be done to them. Nothing happens in their runs meanwhile.
  for (const status of ["pending", "proposed", "approved", "executing"]) {
    const { runId } = await desk.say(JSON.stringify([{ name: "book", input: { order: status } }]));
    const call = await desk.onceAtRest(async () => {
      const all = await store.listApprovals({ tenantId: "acme", limit: 50 });
      return all.find((one) => one.runId === runId && one.status === "pending");
    }, "the call waits");
    await database.admin`
      update countersign.approvals set status = ${status}, decided_at = now(), decided_by = 'finance',
        decision_type = 'approve', started_at = now(), started_by = ${runId}
      where id = ${call.id}`;
    calls.push(call);
  }
  await desk.engine.idle();
  const rows = () => database.admin`select * from countersign.approvals order by id`;
  const names = countersign.functions.flatMap(({ opts }) =>
    (opts.triggers ?? []).flatMap((trigger: object) => ("event" in trigger ? String(trigger.event) : [])),
  );
  const own = new Set(names.filter((name) => !name.startsWith("inngest/")));
  own.add("countersign/request.wake-up").add("countersign/undo.over");
  expect(own.size).toBeGreaterThan(5);
  const before = await rows();
  for (const name of own) {
    for (const { id: approvalId, requestId } of calls) {
      const ids = { approvalId, requestId, deliveryId: approvalId, canaryId: requestId, check: requestId };
      const named = { appId: "harness", instanceId: "countersign", last: true, token: "a guess" };
      await desk.inngest.send({ name, data: { ...ids, ...named } });
    }
  }
  await desk.engine.idle();
  expect(await rows()).toEqual(before);
  expect([desk.booked, desk.cancelled]).toEqual([["A-1"], []]);
});
