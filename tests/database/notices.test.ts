import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { freshPostgres } from "../support/databases.js";
import { proposeCall } from "../support/proposals.js";
import { postgresStore } from "../support/store.js";

describe("the notice of a change", () => {
  it("is sent after the transaction, once for what happens at the same time", async () => {
    await using database = await freshPostgres(2);
    const sent: string[] = [];
    const debug = (_: number, text: string) => sent.push(text.trim());
    const client = postgres(database.url, { max: 1, onnotice: () => {}, debug });
    const store = postgresStore({ client });
    const heard: string[] = [];
    await database.postgres.listen("countersign_changes", (payload) => heard.push(payload));
    const ids = Array.from({ length: 20 }, (_, n) => `call${n}`);

    await Promise.all(ids.map((id) => proposeCall(store, { announce: true, ids: id })));
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    await store.close();

    // One connection has it all, so a notice behind a commit, or behind a statement that was sent alone, is in no transaction.
    const isNotice = (text: string) => text.includes("pg_notify");
    const notices = sent.flatMap((text, at) => (isNotice(text) ? [at] : []));
    expect(notices.length).toBeGreaterThan(0);
    expect(notices.length).toBeLessThan(ids.length);
    const endsOne = (text = "") => /^(commit$|select countersign\.(read_all|apply_changes)\()/.test(text);
    const before = notices.map((at) => sent.slice(0, at).findLast((text) => !isNotice(text)));
    expect(before.filter((text) => !endsOne(text))).toEqual([]);
    await client.end({ timeout: 1 });
  });

  it("is not missed if the process that made the change ended before it sent it", async () => {
    await using database = await freshPostgres();
    const store = postgresStore({ url: database.url });
    const changes: string[] = [];
    await store.subscribe("acme", ({ kind }) => changes.push(kind));
    // The first look finds the log as it is.
    await proposeCall(store, { announce: true, ids: "one" });
    await expect.poll(() => changes.length).toBeGreaterThan(0);
    const entry = JSON.stringify([
      {
        approval_id: null,
        type: "stop.engaged",
        actor_id: null,
        data: "{}",
        to_time: "",
        to_position: "",
        to_end: "",
      },
    ]);
    for (let times = 0; times < 2; times++) {
      changes.length = 0;
      await database.admin`select countersign.append_to_audit_log('acme', 0, ${entry}::text::json)`;
      await expect.poll(() => changes).toContain("log");
    }
    await store.close();
  });
});
