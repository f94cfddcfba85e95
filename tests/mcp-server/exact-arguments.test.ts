import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type McpWorld, openMcpWorld } from "../support/mcp-server/mcp-world.js";

let world: McpWorld;
beforeAll(async () => {
  world = await openMcpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** Calls a tool with this exact JSON text as its arguments, without a client library. */
async function send(name: string, argumentsText: string): Promise<Record<string, unknown>> {
  const params = `{"name":"${name}","arguments":${argumentsText}}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  const response = await world.post("agent", body);
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? "";
  return JSON.parse(data).result.structuredContent;
}

const refused = { error: { code: "invalid_request", message: expect.stringContaining("input") } };

describe("the arguments of a program's call", () => {
  it("are shown and compared including fields named __proto__", async () => {
    const text = `{"order":"P1","__proto__":{"amount":9},"lines":[{"__proto__":{"free":true}}]}`;
    const { approvalId } = await send("request_approval", `{"tool":"refund","arguments":${text}}`);
    const { input } = await world.show("finance", String(approvalId));
    expect(JSON.stringify(input)).toBe(text);
    await world.decide("finance", String(approvalId), "approve");
    const use = (given: string) =>
      send("use_approval", `{"approvalId":"${approvalId}","tool":"refund","arguments":${given}}`);
    for (const other of [
      text.replace(`"__proto__":{"amount":9},`, ""),
      text.replace(`"amount":9`, `"amount":900`),
      text.replace(`"free":true`, ""),
    ]) {
      expect(await use(other)).toMatchObject({ error: { code: "digest_mismatch" } });
    }
    expect(await use(text)).toMatchObject({ go: true });
  });

  it("are refused if a number could be shown as another one", async () => {
    for (const number of ["1e400", "-1e400", "9007199254740993", "-9007199254740992"]) {
      const args = `{"order":"N1","lines":[{"amount":${number}}]}`;
      expect(await send("request_approval", `{"tool":"refund","arguments":${args}}`)).toEqual(refused);
    }
  });

  it("do not match approved arguments if a number would be read as the approved null", async () => {
    const args = `{"order":"N2","amount":null}`;
    const { approvalId } = await send("request_approval", `{"tool":"refund","arguments":${args}}`);
    await world.decide("finance", String(approvalId), "approve");
    const other = args.replace("null", "1e400");
    expect(
      await send("use_approval", `{"approvalId":"${approvalId}","tool":"refund","arguments":${other}}`),
    ).toMatchObject({ error: { code: "digest_mismatch" } });
  });

  it("must be an object", async () => {
    for (const args of [`[]`, `"x"`, `null`, `1`]) {
      expect(await send("request_approval", `{"tool":"refund","arguments":${args}}`)).toBeUndefined();
    }
  });
});
