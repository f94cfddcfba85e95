import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { functionConfigSchema } from "../apps/function-config.js";
import { Registry } from "../apps/registry.js";
import type { Core } from "../core.js";
import { registerFunctions } from "../registration/register-app.js";
import { openDatabase } from "../store/connection/open-database.js";
import { listDueItems } from "../store/queue.js";
import { queueItems, runs } from "../store/schema.js";
import { Writer } from "../store/writer.js";
import { emptyPglite } from "../testing/shared-pglite.js";
import { executeItem } from "./execute.js";

const item = { id: "item", runId: "run", stepId: "step", attempt: 0, generation: 1, dueAt: 0 };

/** A run with one queued request, and an app that counts its requests. */
async function openExecutor() {
  const { db } = await openDatabase({ pglite: await emptyPglite() });
  const registry = new Registry();
  const nothing = async () => {};
  const writer = new Writer(db, () => 0, {
    onEmit: nothing,
    onCommit: nothing,
    onUncertain: nothing,
    onSettled: nothing,
  });
  await writer.takeOver();
  const core: Core = {
    db,
    writer,
    registry,
    logger: { warn() {}, error() {} },
    modelFetch: fetch,
    signingKey: undefined,
    now: () => 0,
    retentionMs: undefined,
    disorder: undefined,
  };
  let requests = 0;
  const url = "http://app.invalid/api/inngest";
  const steps = {
    step: { id: "step", name: "step", runtime: { type: "http", url }, retries: { attempts: 1 } },
  };
  const functions = functionConfigSchema
    .array()
    .parse([{ id: "app-f", name: "f", triggers: [{ event: "t/start" }], steps }]);
  await registerFunctions(core, { id: "app", url, inProcess: true, functions });
  registry.setHandler("app", async () => {
    requests++;
    return Response.json("done", { headers: { "x-inngest-req-version": "2" } });
  });
  await db.insert(runs).values({
    id: "run",
    appId: "app",
    functionId: "app-f",
    eventId: "event",
    event: JSON.stringify({ name: "t/start", data: {}, id: "event", ts: 0 }),
    status: "Running",
    startedAt: 0,
  });
  await db.insert(queueItems).values(item);
  return {
    core,
    db,
    requests: () => requests,
    isQueued: async () => (await listDueItems(db, 0, 1)).length > 0,
  };
}

test("a queue item is executed once, also if another caller still holds a copy from an earlier read", async () => {
  const executor = await openExecutor();
  expect(await executeItem(executor.core, item, "first")).toBe("done");
  expect(await executor.db.select().from(runs)).toMatchObject([{ status: "Completed" }]);
  expect(await executeItem(executor.core, item, "second")).toBe("done");
  expect(executor.requests()).toBe(1);
});

test("a queue item that was rescheduled is executed only with its new attempt and generation", async () => {
  const executor = await openExecutor();
  await executor.db.update(queueItems).set({ attempt: 1, generation: 2 });
  expect(await executeItem(executor.core, item, "stale")).toBe("done");
  expect(executor.requests()).toBe(0);
  expect(await executor.isQueued()).toBe(true);
  expect(await executeItem(executor.core, { ...item, attempt: 1, generation: 2 }, "next")).toBe("done");
  expect(executor.requests()).toBe(1);
});

test("a queue item of a run that has ended is removed without a request", async () => {
  const executor = await openExecutor();
  await executor.db.update(runs).set({ status: "Cancelled" }).where(eq(runs.id, "run"));
  expect(await executeItem(executor.core, item, "late")).toBe("done");
  expect(executor.requests()).toBe(0);
  expect(await executor.isQueued()).toBe(false);
});
