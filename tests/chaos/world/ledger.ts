import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { z } from "zod";
import { judgeStart } from "../check/live.js";
import { judgeUndo, undosFailed, undosStarted } from "../check/undos.js";
import type { Journal, Start, UndoStart } from "../journal.js";
import type { Random } from "../random.js";
import { type ToolName, toolInput, toolNames } from "../scenario/tools.js";
import { listen, type Server } from "./server.js";

const start = z.object({
  tool: z.enum(toolNames as [ToolName, ...ToolName[]]),
  input: toolInput,
  approvalId: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
});

const previewed = z.object({
  ref: z.string(),
  amount: z.int(),
  moment: z.enum(["proposal", "start"]),
  approvalId: z.string().nullable(),
});

const undoStart = z.object({
  tool: z.enum(toolNames as [ToolName, ...ToolName[]]),
  input: toolInput,
  outcome: z.unknown(),
  approvalId: z.string(),
  undoneApprovalId: z.string(),
});

const begun = z.object({ run: z.int(), runId: z.string() });

/**
 * The outside world on which tools have their effects. It records each start, each question of a preview, and each run,
 * before it answers.
 */
export async function openLedger(
  journal: Journal,
  random: Random,
  { onStart, onUndo }: { onStart(start: Start): Promise<void>; onUndo(start: UndoStart): Promise<void> },
): Promise<Server> {
  const pause = random.of("ledger");
  const app = new Hono().post("/starts", async (c) => {
    const noted = { ...start.parse(await c.req.json()), at: Date.now() };
    journal.starts.push(noted);
    journal.count("handlers started");
    judgeStart(journal, noted);
    journal.changeWorld(noted.input.ref);
    await onStart(noted);
    // The work takes time, so that a process can die during it.
    await sleep(pause.int(0, 120));
    return c.json({ ok: true });
  });
  app.post("/undos", async (c) => {
    const noted = undoStart.parse(await c.req.json());
    const isFirst = !journal.undoStarts.some((other) => other.undoneApprovalId === noted.undoneApprovalId);
    const fails = isFirst && journal.calls.get(noted.input.ref)?.undo?.fails === true;
    const started: UndoStart = { ...noted, fails };
    journal.undoStarts.push(started);
    journal.count(undosStarted);
    if (fails) journal.count(undosFailed);
    judgeUndo(journal, started);
    await onUndo(started);
    await sleep(pause.int(0, 120));
    return c.json({ fails });
  });
  app.post("/previews", async (c) => {
    const asked = previewed.parse(await c.req.json());
    journal.previews.push(asked);
    journal.count(`previews: ${asked.moment}`);
    return c.json({ version: journal.versionOf(asked.ref) });
  });
  app.post("/failed-previews", async (c) => {
    journal.failedPreviews.push(previewed.parse(await c.req.json()));
    journal.count("previews: failed");
    return c.json({ ok: true });
  });
  app.post("/runs", async (c) => {
    const { run, runId } = begun.parse(await c.req.json());
    journal.began(run, runId);
    return c.json({ ok: true });
  });
  return listen((request) => app.fetch(request));
}
