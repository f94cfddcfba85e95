import { Mastra } from "@mastra/core";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { PostgresStore } from "@mastra/pg";
import { z } from "zod";

/** @param {string} url @returns {Promise<import("../peers.bench.mjs").Subject>} */
export default async function mastraSubject(url) {
  /** @type {(id: string) => void} */
  let onTool = () => {};
  const call = z.object({ id: z.string() });
  const refund = createStep({
    ...{ id: "refund", inputSchema: call, outputSchema: z.object({ result: z.string() }) },
    resumeSchema: z.object({ approved: z.boolean() }),
    execute: async ({ inputData, resumeData, suspend }) => {
      if (resumeData === undefined) return suspend({});
      if (resumeData.approved) onTool(inputData.id);
      return { result: resumeData.approved ? "done" : "denied" };
    },
  });
  const workflow = createWorkflow({
    id: "desk",
    inputSchema: call,
    outputSchema: z.object({ result: z.string() }),
  })
    .then(refund)
    .commit();
  const storage = new PostgresStore({ id: "bench", connectionString: url, max: 10 });
  const mastra = new Mastra({ workflows: { desk: workflow }, storage, logger: false });
  /** @param {string} id */
  const runOf = (id) => mastra.getWorkflow("desk").createRun({ runId: id });
  return {
    async propose(ids) {
      const results = await Promise.all(
        ids.map(async (id) => (await runOf(id)).start({ inputData: { id } })),
      );
      const failed = results.find(({ status }) => status !== "suspended");
      if (failed) throw new Error(`A run is ${failed.status}`);
    },
    approve: async (id) => (await runOf(id)).resume({ step: refund, resumeData: { approved: true } }),
    settled: async () => {},
    onTool(listener) {
      onTool = listener;
    },
    close: () => storage.close(),
  };
}
