import { createMetrics } from "countersign/metrics";
import { expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import { freshPostgres } from "../support/databases.js";
import { openHarness } from "../support/harness.js";
import { policyOf } from "../support/policy-of.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

it("metrics report pending calls of all tenants, and what this process has recorded", async () => {
  await using world = await openApiWorld();
  const metrics = createMetrics(world.countersign);
  const lines = async () => (await (await metrics.handler()).text()).split("\n");
  expect(await lines()).toEqual(
    expect.arrayContaining([
      "countersign_oldest_pending_seconds 0",
      "countersign_outbox_waiting 0",
      'countersign_withdrawn_total{cause="run_lost"} 0',
    ]),
  );
  const [call] = await proposeCall(world.store);
  await proposeCall(world.store, { tenantId: "other", calls: 2 });
  if (!call) throw new Error("unreachable");
  expect(await lines()).toContain('countersign_pending_approvals{risk="medium",age="60"} 3');
  await world.database
    .admin`update countersign.approvals set announced_at = announced_at - interval '10 minutes' where id = ${call.id}`;
  const later = await lines();
  expect(later).toContain('countersign_pending_approvals{risk="medium",age="1800"} 1');
  expect(later).toContain('countersign_pending_approvals{risk="medium",age="60"} 2');
  expect(later.join("\n")).toMatch(/oldest_pending_seconds 60\d\n/);
  const decision = JSON.stringify({ type: "deny", digest: call.digest });
  for (const token of ["finance", "lead"]) {
    await world.request(token, `/approvals/${call.id}/decision`, { method: "POST", body: decision });
  }
  const decided = await lines();
  expect(decided).toContain('countersign_recorded_total{type="approval.denied",code=""} 1');
  expect(decided).toContain("countersign_outbox_waiting 1");
  expect(decided.filter((line) => /recorded_total.*code="already_decided"/.test(line))).toHaveLength(1);
  expect(decided).toContain('countersign_decisions_total{type="deny"} 1');
  expect(decided).toContain('countersign_conflicts_total{code="already_decided"} 1');
  // The update above moved the announcement ten minutes back.
  expect(decided).toContain('countersign_decision_seconds_bucket{le="300"} 0');
  expect(decided).toContain('countersign_decision_seconds_bucket{le="900"} 1');
  expect(decided).toContain("countersign_decision_seconds_count 1");
  expect(decided).toContain("countersign_expiries_total 0");
});

it("metrics count decisions by type, and expired calls", async () => {
  await using world = await openApiWorld();
  const metrics = createMetrics(world.countersign);
  const [approved, late] = await proposeCall(world.store, { calls: 2 });
  if (!approved || !late) throw new Error("unreachable");
  const decide = (id: string, digest: string) =>
    world.request("finance", `/approvals/${id}/decision`, {
      method: "POST",
      body: JSON.stringify({ type: "approve", digest }),
    });
  await decide(approved.id, approved.digest);
  await decide(approved.id, approved.digest);
  await world.database
    .admin`update countersign.approvals set expires_at = now() - interval '1 second' where id = ${late.id}`;
  await decide(late.id, late.digest);
  const lines = (await (await metrics.handler()).text()).split("\n");
  // A repeated decision does not count.
  expect(lines).toContain('countersign_decisions_total{type="approve"} 1');
  expect(lines).toContain("countersign_decision_seconds_count 1");
  expect(lines).toContain("countersign_expiries_total 1");
  expect(lines).toContain('countersign_conflicts_total{code="expired"} 1');
});

it("metrics count every refusal, including those that the audit log does not repeat", async () => {
  await using world = await openApiWorld();
  const metrics = createMetrics(world.countersign);
  const [call] = await proposeCall(world.store);
  const body = JSON.stringify({ type: "approve", digest: "0".repeat(64) });
  for (let time = 0; time < 12; time++) {
    await world.request("finance", `/approvals/${call?.id}/decision`, { method: "POST", body });
  }
  const lines = (await (await metrics.handler()).text()).split("\n");
  const labels = '{type="decision.refused",code="digest_mismatch"}';
  expect(lines).toContain(`countersign_refusals_total${labels} 12`);
  // The log records the first and the tenth.
  expect(lines).toContain(`countersign_recorded_total${labels} 2`);
});

it("metrics of every process report when the relay of an app last ran, for a week", async () => {
  await using database = await freshPostgres();
  await using harness = await openHarness({
    ...{ database, policy: policyOf([]), tools: [], reply: () => ({ text: "unused" }) },
  });
  let later = 0;
  const clockOffset = () => later;
  const metrics = createMetrics({ store: postgresStore({ client: database.postgres, clockOffset }) });
  const series = async () =>
    [
      ...(await (await metrics.handler()).text()).matchAll(/^countersign_relay_last_run_\w+\{(.+)\} (.+)$/gm),
    ].map(([, labels, value]) => ({ labels, ranAt: Number(value) }));
  const ranAfter = (seconds: number) =>
    harness.onceAtRest(async () => (await series()).find(({ ranAt }) => ranAt > seconds), "the relay runs");
  expect(await series()).toEqual([]);
  await harness.clock.advance("1m");
  const { labels, ranAt } = await ranAfter(0);
  expect(labels).toBe(`app="${harness.inngest.id}"`);
  expect(Math.abs(ranAt - Date.now() / 1000)).toBeLessThan(600);
  await harness.clock.advance("10m");
  expect((await ranAfter(ranAt + 300)).ranAt - ranAt).toBeLessThan(900);
  later = 8 * 24 * 3_600_000;
  expect(await series()).toEqual([]);
});
