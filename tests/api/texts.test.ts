import type { Approval } from "countersign";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openApiWorld } from "../support/api-world.js";
import type { Schema } from "../support/properties/values-of-schema.js";
import { proposeCall } from "../support/proposals.js";

const half = "a\ud800b";
const nul = "a\0b";

let world: Awaited<ReturnType<typeof openApiWorld>>;

beforeAll(async () => {
  world = await openApiWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const send = async (path: string, body: unknown, { method = "POST", token = "finance" } = {}) => {
  const response = await world.request(token, path, { method, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
};

const refused = (field: string) => ({
  status: 400,
  body: { code: "invalid_request", errors: [{ field }] },
});

async function pendingCall(terms: Partial<Approval["terms"]> = {}) {
  const [call] = await proposeCall(world.store, { terms });
  if (!call) throw new Error("unreachable");
  return call;
}

describe.each([
  ["an unpaired surrogate", half],
  ["NUL", nul],
])("a text with %s", (_what, text) => {
  it("is refused in preferences, and the error names the field", async () => {
    const answer = await send("/preferences", { denyReasons: ["fine", text] }, { method: "PUT" });
    expect(answer).toMatchObject(refused("denyReasons.1"));
  });

  it("is refused in every text of a decision, and nothing is decided", async () => {
    const { id, digest } = await pendingCall({ grantable: ["thread"] });
    const path = `/approvals/${id}/decision`;
    expect(await send(path, { type: "deny", digest, reason: text })).toMatchObject(refused("reason"));
    expect(await send(path, { type: "deny", digest: text })).toMatchObject(refused("digest"));
    const grant = { scope: "thread", arguments: { when: text } };
    expect((await send(path, { type: "approve", digest, grant })).status).toBe(400);
    const items = [{ id, digest, type: "deny", reason: text }];
    expect(await send("/decisions", { items })).toMatchObject(refused("items.0.reason"));
    expect((await world.store.getApproval("acme", id))?.status).toBe("pending");
    expect((await send(path, { type: "deny", digest, reason: "No" })).status).toBe(200);
    expect((await send(path, { type: "deny", digest, reason: "No" })).status).toBe(200);
  });

  it("is refused in an assignment, a resolution and an explanation of the policy", async () => {
    const { id } = await pendingCall({ delegable: true });
    expect(await send(`/approvals/${id}/assign`, { to: text })).toMatchObject(refused("to"));
    const resolution = { outcome: "done", note: text };
    expect(await send(`/approvals/${id}/resolution`, resolution)).toMatchObject(refused("note"));
    const call = { toolName: text, input: {} };
    expect(await send("/policy/explain", call, { token: "auditor" })).toMatchObject(refused("toolName"));
  });

  it("is refused in a supplied result, and the error gives its path", async () => {
    const { id, digest } = await pendingCall({ decisions: ["respond"] });
    const respond = (response: unknown) =>
      send(`/approvals/${id}/decision`, { type: "respond", digest, response });
    expect(await respond({ lines: [{ note: "fine" }, { note: text }] })).toMatchObject(
      refused("response.lines.1.note"),
    );
    expect(await respond({ [text]: 1 })).toMatchObject(refused(`response.${text}`));
    expect(await respond(text)).toMatchObject(refused("response"));
    expect((await respond({ note: "fine \ud83d\ude00" })).status).toBe(200);
    expect((await respond({ note: "fine \ud83d\ude00" })).status).toBe(200);
  });

  it("is refused by the library's decide, assign and resolve, and the error names the field", async () => {
    const { id, digest } = await pendingCall();
    const principal = { id: "finance", tenantId: "acme", roles: ["finance"] };
    const { countersign } = world;
    const field = (name: string) => ({ code: "invalid_request", detail: { errors: [{ field: name }] } });
    await expect(
      countersign.decide({ approvalId: id, principal, type: "deny", digest, reason: text }),
    ).rejects.toMatchObject(field("reason"));
    await expect(countersign.assign({ approvalId: id, principal, to: text })).rejects.toMatchObject(
      field("to"),
    );
    await expect(
      countersign.resolve({ approvalId: id, principal, outcome: "done", note: text }),
    ).rejects.toMatchObject(field("note"));
  });
});

describe("edited arguments", () => {
  const editable = { decisions: ["approve" as const, "edit" as const], editable: ["*"] };

  it("with an unpaired surrogate are refused, and the error gives its path", async () => {
    const { id, digest } = await pendingCall(editable);
    const edit = (input: unknown) => send(`/approvals/${id}/decision`, { type: "edit", digest, input });
    expect(await edit({ id: "A-1", amount: 80, notes: ["fine", half] })).toMatchObject(
      refused("input.notes.1"),
    );
    const checked = await send(`/approvals/${id}/check`, { input: { id: half, amount: 80 } });
    expect(checked).toMatchObject(refused("input.id"));
  });

  it("with NUL are kept, and can be sent again", async () => {
    const { id, digest } = await pendingCall(editable);
    const body = { type: "edit", digest, input: { id: "A-1", amount: 80, note: nul } };
    const first = await send(`/approvals/${id}/decision`, body);
    expect(first).toMatchObject({ status: 200, body: { editedInput: { note: nul } } });
    expect((await send(`/approvals/${id}/decision`, body)).status).toBe(200);
  });
});

describe("the OpenAPI document", () => {
  it("gives a pattern for every free text of a request", async () => {
    const document = await (await world.request("nobody", "/openapi.json")).json();
    const withoutPattern: string[] = [];
    const look = (schema: Schema & { pattern?: string }, at: string) => {
      if (schema.type === "string" && !schema.enum && !schema.const && schema.pattern === undefined)
        withoutPattern.push(at);
      for (const [name, of] of Object.entries(schema.properties ?? {})) look(of, `${at}.${name}`);
      for (const of of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) look(of, at);
      if (schema.items) look(schema.items, `${at}[]`);
    };
    for (const [path, methods] of Object.entries<Record<string, Operation>>(document.paths)) {
      for (const { requestBody, parameters = [] } of Object.values(methods)) {
        const body = requestBody?.content["application/json"]?.schema;
        if (body) look(body, path);
        for (const parameter of parameters.filter(({ in: where }) => where === "query")) {
          look(parameter.schema, `${path}?${parameter.name}`);
        }
      }
    }
    expect(withoutPattern).toEqual([]);
  });
});

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}
