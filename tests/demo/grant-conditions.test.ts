import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DemoWorld, openDemo } from "../support/demo/demo-in-process.js";

let demo: DemoWorld;
beforeAll(async () => {
  demo = await openDemo();
});
afterAll(() => demo[Symbol.asyncDispose]());

const secret = "4111 1111 1111 1111";

describe("a condition of a grant for the demo's emails", () => {
  it.each([
    ["reads hidden text through a missing key", '{"a": 1}[input.body] == 1'],
    ["reads hidden text through a conversion", 'duration(input.body) == duration("1s")'],
    ["searches hidden text", `input.body.contains("${secret.slice(0, 4)}")`],
    ["takes very long to match", `"${"a".repeat(40)}!".matches("^(a+)+$")`],
  ])("that %s is refused without revealing the text, and decides nothing", async (_, when) => {
    const threadId = await demo.say(`Email customer C-3: card ${secret}`);
    const email = await demo.waiting(threadId);
    expect(JSON.stringify(email)).not.toContain("1111 1111");
    const grant = { scope: "thread", arguments: { when } };
    const refused = await demo.decide("finance", email, { type: "approve", grant });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).not.toMatch(/4111 1111|card/);
    expect((await demo.call("finance", `/approvals/${email.id}`)).body).toMatchObject({ status: "pending" });
    expect((await demo.call("finance", "/healthz")).status).toBe(200);
  });
});
