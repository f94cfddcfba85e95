/**
 * The smallest program that waits for somebody: the tool invokes a function that only waits for an event.
 *
 * @param {(id: string) => void} [onWait] is told each call that is about to wait
 */
export function smallestWait(onWait = () => {}) {
  /** @type {import("inngest").InngestFunction.Any} */
  let waiting;
  return {
    /** @type {import("./installation.mjs").InstallationOptions} */
    options: {
      functions: (inngest) => {
        waiting = inngest.createFunction({ id: "wait" }, async ({ event, step }) => {
          const { id } = event.data;
          onWait(id);
          const isMine = `async.data.id == ${JSON.stringify(id)}`;
          await step.waitForEvent("wait", { event: "bench/go", timeout: "1h", if: isMine });
        });
        return [waiting];
      },
      beforeTool: (id, step) => step.invoke(`wait ${id}`, { function: waiting, data: { id } }),
    },
    /** Ends the wait of a call. @param {import("inngest").Inngest} inngest @param {string} id */
    end: (inngest, id) => inngest.send({ name: "bench/go", data: { id } }),
  };
}
