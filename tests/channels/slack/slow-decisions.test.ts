import { afterEach, expect, it, vi } from "vitest";
import { cardOf, closedCard, slackDesk } from "./slack-desk.js";

afterEach(() => {
  vi.useRealTimers();
});

/** Makes each decision of the gate wait until `release()` is called. `waiting` holds the decisions so far. */
function delayDecisions(gate: { decide: (...input: never[]) => Promise<unknown> }) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const decide = gate.decide.bind(gate) as (...input: unknown[]) => Promise<never>;
  const waiting: unknown[] = [];
  gate.decide = async (...input) => {
    waiting.push(input);
    await released;
    return decide(...input);
  };
  return { release, waiting };
}

it("a slow decision is acknowledged in time and completes later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const work: Promise<unknown>[] = [];
  const desk = await slackDesk({ waitUntil: (promise) => void work.push(promise) });
  const message = await desk.post(cardOf());
  const { release, waiting } = delayDecisions(desk.gate);
  const answer = desk.receive(desk.slack.people.press(desk.anna, "Approve", message));
  await expect.poll(() => waiting.length).toBe(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect((await answer).status).toBe(200);
  expect(desk.gate.decided).toEqual([]);
  vi.useRealTimers();
  release();
  await Promise.all(work);
  expect(desk.gate.decided).toEqual(["approve by finance-anna"]);
});

it("a form with a slow decision closes in time, and the refusal reaches the person afterwards", async () => {
  const work: Promise<unknown>[] = [];
  const desk = await slackDesk({ waitUntil: (promise) => void work.push(promise) });
  await desk.receive(desk.slack.people.press(desk.anna, "Deny", await desk.post(cardOf())));
  const [opened] = desk.slack.workspace.views;
  if (!opened) throw new Error("No form opened");
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { release, waiting } = delayDecisions(desk.gate);
  desk.gate.present = closedCard("Approved by finance-bob");
  const answer = desk.receive(desk.slack.people.submit(desk.anna, opened, {}));
  await expect.poll(() => waiting.length).toBe(1);
  await vi.advanceTimersByTimeAsync(2000);
  expect(await desk.slack.people.afterSubmit(opened, await answer)).toBe("closed");
  vi.useRealTimers();
  release();
  await Promise.all(work);
  expect(desk.slack.workspace.ephemerals).toMatchObject([
    { channel: desk.finance.id, user: desk.anna, text: expect.stringContaining("Approved by finance-bob") },
  ]);
});
