import { userInfo } from "node:os";
import { expect, it } from "vitest";
import { countersign, linesOf } from "../support/command-line.js";
import { openDeliveryDesk } from "../support/delivery-desk.js";
import { proposeCall } from "../support/proposals.js";
import { type RecordingOptions, recordingChannel } from "../support/recording-channel.js";

const refusal = { ok: false, error: "no\u001b[2J such channel", permanent: true } as const;

/** One call in each of two tenants. By default, the message about each has failed. */
async function openWorld(answers: RecordingOptions["answers"] & object = [refusal, refusal]) {
  const test = recordingChannel({ answers });
  const desk = await openDeliveryDesk(test.channel);
  const [ours] = await proposeCall(desk.store, { notify: ["test:#finance"] });
  const [theirs] = await proposeCall(desk.store, { notify: ["test:#risk"], tenantId: "other" });
  if (!ours || !theirs) throw new Error("unreachable");
  await desk.sendAll();
  const run = (...args: string[]) =>
    countersign(["deliveries", ...args, "--database-url", desk.database.url]);
  const idOf = async (tenantId: string, call = ours) =>
    (await desk.store.listDeliveries(tenantId, call.id))[0]?.id ?? "";
  return { ...desk, test, ours, theirs, run, idOf };
}

it("the list command prints deliveries of all tenants, newest first, without control characters", async () => {
  await using world = await openWorld();
  const { ours, theirs, idOf } = world;
  const { code, out } = await world.run("list");
  const lines = out.trimEnd().split("\n");
  expect([code, lines.length]).toEqual([0, 2]);
  expect(lines[0]).toMatch(new RegExp(`^${await idOf("other", theirs)} failed test:#risk to "#risk": `));
  expect(lines[1]).toContain(`approval.pending of ${ours.id}, tenant "acme", `);
  expect(lines[1]).toMatch(/, 1 attempt: no⟨.* such channel$/);
  expect(out).not.toContain("\u001b");
});

it("the list command filters by approval, state and tenant", async () => {
  await using world = await openWorld([refusal]);
  const { ours, theirs } = world;
  const ids = async (...args: string[]) => {
    const { out } = await world.run("list", "--json", ...args);
    return linesOf(out).map(({ approvalId }) => approvalId);
  };
  expect(await ids()).toEqual([theirs.id, ours.id]);
  expect(await ids("--approval", ours.id)).toEqual([ours.id]);
  expect(await ids("--state", "failed")).toEqual([ours.id]);
  expect(await ids("--state", "sent")).toEqual([theirs.id]);
  expect(await ids("--tenant", "other")).toEqual([theirs.id]);
  expect(await ids("--tenant", "other", "--state", "failed")).toEqual([]);
  expect(await world.run("list", "--tenant", "nobody")).toMatchObject({
    code: 0,
    out: "No deliveries match.\n",
  });
});

it("the list command reads all pages", async () => {
  await using world = await openWorld([]);
  await proposeCall(world.store, { notify: ["test:#finance"], calls: 210 });
  const { out } = await world.run("list", "--json", "--state", "due");
  expect(new Set(linesOf(out).map(({ id }) => id)).size).toBe(210);
});

it("the replay command makes failed deliveries due again, and the audit log names the user", async () => {
  await using world = await openWorld();
  const { ours, theirs, test } = world;
  const ids = [await world.idOf("acme"), await world.idOf("other", theirs)];
  const replayed = await world.run("replay", ...ids);
  expect(replayed).toEqual({
    code: 0,
    err: "",
    out: ids.map((id) => `${id}: due, to be sent within about a minute\n`).join(""),
  });
  expect(await world.due()).toEqual(expect.arrayContaining(ids));
  await world.sendAll();
  expect(test.sent.map(({ card }) => card.approvalId).sort()).toEqual([ours.id, theirs.id].sort());
  const trail = await world.store.auditTrail("other", theirs.id);
  expect(trail.find(({ type }) => type === "delivery.replayed")).toMatchObject({
    actorId: userInfo().username,
    data: { deliveryId: ids[1], channel: "test", via: "command line" },
  });
});

it("the replay command skips sent deliveries and those of other tenants, and reports both", async () => {
  await using world = await openWorld([refusal]);
  const { theirs } = world;
  const [failed, sent] = [await world.idOf("acme"), await world.idOf("other", theirs)];
  const { code, err } = await world.run("replay", failed, sent, "--tenant", "other", "--by", "ops");
  expect([code, err]).toEqual([
    1,
    `Unknown delivery "${failed}". List deliveries: npx countersign deliveries list --database-url "$DATABASE_URL"\n${sent}: sent, so it is not sent again\n`,
  ]);
  expect(await world.store.listDeliveries("acme", world.ours.id)).toMatchObject([{ state: "failed" }]);
});
