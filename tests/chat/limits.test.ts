import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newThread, serveChats } from "../support/chat/chat-server.js";
import { freshPostgres } from "../support/databases.js";
import { interceptedStore } from "../support/intercepted-store.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore, type Store } from "../support/store.js";

let database: Awaited<ReturnType<typeof freshPostgres>>;
let store: Store;
beforeAll(async () => {
  database = await freshPostgres();
  store = postgresStore({ client: database.postgres });
  await store.migrate();
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

const answering = (threadId: string, answers: object[]) => ({
  id: threadId,
  messages: [
    {
      id: "m1",
      role: "assistant",
      parts: answers.map((approval) => ({ type: "tool-refund", state: "approval-responded", approval })),
    },
  ],
});

describe("a chat", () => {
  it("decides once for a message with many answers to one call, by the first of them", async () => {
    let decisions = 0;
    const counting = interceptedStore(store, {
      decide: (carryOut, ...args) => {
        decisions++;
        return carryOut(...args);
      },
    });
    await using server = await serveChats(counting);
    const threadId = await newThread(store, "ada");
    const approvers = { roles: ["finance"], ids: [] };
    const [call, other] = await proposeCall(store, { threadId, requesterId: "bob", approvers, calls: 2 });
    if (!call || !other) throw new Error("unreachable");
    const answer = ({ id, digest }: typeof call, approved: boolean) => ({
      id,
      approved,
      descriptor: { digest },
    });
    const answers = [
      answer(call, false),
      ...Array.from({ length: 1998 }, () => answer(call, true)),
      answer(other, true),
    ];
    // At first without the role that may decide.
    for (const roles of [[], ["finance"]]) {
      decisions = 0;
      server.roles.set("ada", roles);
      const response = await server.post("ada", "/ai", answering(threadId, answers));
      await response.body?.cancel();
      expect([response.status, decisions]).toEqual([200, 2]);
    }
    expect((await store.getApproval("acme", call.id))?.status).toBe("denied");
    expect((await store.getApproval("acme", other.id))?.status).toBe("approved");
  });

  it("refuses a message that answers more calls than a chat shows", async () => {
    await using server = await serveChats(store);
    const threadId = await newThread(store, "ada");
    const answers = Array.from({ length: 201 }, (_, n) => ({ id: `apr_${n}`, approved: true }));
    const response = await server.post("ada", "/ai", answering(threadId, answers));
    expect([response.status, (await response.json()).code]).toEqual([400, "invalid_request"]);
    const allowed = await server.post("ada", "/ai", answering(threadId, answers.slice(1)));
    await allowed.body?.cancel();
    expect(allowed.status).toBe(200);
  });

  it("limits each person's requests, and does not count those to apps beside it", async () => {
    await using server = await serveChats(store, { rateLimit: { perMinute: 2 } });
    for (const path of ["/ai", "/ag-ui", "/api/chat"]) {
      const statuses: number[] = [];
      for (const person of ["ada", "ada", "ada", "bob"]) {
        statuses.push((await server.post(person, path, {})).status);
      }
      expect([path, ...statuses]).toEqual([path, 400, 400, 429, 400]);
    }
    for (let n = 0; n < 3; n++) expect((await server.post("eve", "/api/approvals", {})).status).toBe(404);
  });
});
