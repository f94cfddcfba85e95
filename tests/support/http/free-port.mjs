import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 that nothing listens on, for a process that has to be told its port.
 *
 * @returns {Promise<number>}
 */
export function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" ? address?.port : undefined;
      probe.close(() => (port === undefined ? reject(new Error("no port")) : resolve(port)));
    });
  });
}
