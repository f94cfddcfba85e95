import { fork } from "node:child_process";
import { once } from "node:events";
import { get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { scaled } from "./support/brief.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";

/**
 * What 500 open chats cost the process that serves them: memory, connections and queries while nothing happens, and how
 * long a chat takes to hear of a change. The readers are in this process. A tenth of them read nothing in the end.
 */

const count = scaled(500, 20);
const idleMs = scaled(62_000, 2_000);

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* openChats() {
  const server = await startPostgres();
  const child = fork(
    new URL("./support/open-chats-server.mjs", import.meta.url),
    [server.url, String(count)],
    {
      execArgv: ["--expose-gc"],
    },
  );
  const [{ port }] = await once(child, "message");
  /** @param {string} action @param {string[]} [threads] */
  const ask = async (action, threads = []) => {
    child.send({ action, threads });
    const [{ result }] = await once(child, "message");
    return result;
  };
  // Until the pool has opened what it opens.
  const warm = [await open(port, 0), await open(port, 1)];
  for (const chat of warm) chat.close();
  const before = await ask("look");
  const chats = await Promise.all(Array.from({ length: count }, (_, index) => open(port, index)));
  const after = await ask("look");
  yield { name: "open chats", value: count, unit: "chats" };
  yield {
    name: "memory of an open chat: heap",
    value: (after.heapUsed - before.heapUsed) / count,
    unit: "bytes",
  };
  yield { name: "memory of an open chat: resident", value: (after.rss - before.rss) / count, unit: "bytes" };
  yield { name: "connections with open chats", value: after.connections, unit: "connections" };

  await pause(idleMs);
  const idle = await ask("look");
  const minutes = idleMs / 60_000;
  yield {
    name: "transactions of an open chat in which nothing happens",
    value: (idle.transactions - after.transactions) / count / minutes,
    unit: "a minute",
    aim: "≤ 15 a minute",
    met: (idle.transactions - after.transactions) / count / minutes <= 15,
  };
  yield {
    name: "processor for open chats in which nothing happens",
    value: (idle.cpuMs - after.cpuMs) / minutes / 600,
    unit: "%",
  };

  yield {
    name: "change to chat, one changes",
    value: median(await heard(ask, chats.slice(0, 20), 1)),
    unit: "ms",
  };
  const all = await heard(ask, chats, count);
  yield { name: "change to chat, all change at once: median", value: median(all), unit: "ms" };
  yield { name: "change to chat, all change at once: slowest", value: Math.max(...all), unit: "ms" };

  const slow = chats.slice(0, count / 10);
  for (const chat of slow) chat.stop();
  const others = chats.slice(count / 10);
  for (let n = 0; n < 20; n++)
    await ask(
      "speak",
      slow.map(({ id }) => id),
    );
  yield {
    name: "change to chat, one changes, while a tenth of the readers read nothing",
    value: median(await heard(ask, others.slice(0, 20), 1)),
    unit: "ms",
  };
  for (const chat of chats) chat.close();
  child.kill();
  await once(child, "exit");
  await server.stop();
}

/**
 * Lets so many chats change at once, until each has changed. The times after which they heard, in milliseconds.
 * @param {(action: string, threads: string[]) => Promise<unknown>} ask
 * @param {Awaited<ReturnType<typeof open>>[]} chats
 * @param {number} atOnce
 */
async function heard(ask, chats, atOnce) {
  const times = [];
  for (let n = 0; n < chats.length; n += atOnce) {
    const group = chats.slice(n, n + atOnce);
    const hearing = Promise.all(group.map((chat) => chat.hears()));
    await ask(
      "speak",
      group.map(({ id }) => id),
    );
    times.push(...(await hearing));
  }
  return times;
}

/** @param {number} port @param {number} index */
async function open(port, index) {
  const id = `thread-${index}`;
  const request = get({
    port,
    host: "127.0.0.1",
    path: `/${id}/stream`,
    headers: { authorization: id },
    agent: false,
  });
  const [response] = await once(request, "response");
  if (response.statusCode !== 200) throw new Error(`The chat answered with ${response.statusCode}`);
  response.setEncoding("utf8");
  let onText = (/** @type {string} */ _) => {};
  response.on("data", (/** @type {string} */ text) => onText(text));
  response.on("error", () => {});
  const first = await new Promise((/** @type {(text: string) => void} */ resolve) => {
    onText = resolve;
  });
  if (first.includes('"error"')) throw new Error(`The chat begins with ${first}`);
  return {
    id,
    /** The time after which it hears of what is written next. */
    hears: () =>
      new Promise((/** @type {(ms: number) => void} */ resolve, reject) => {
        response.once("end", () => reject(new Error("The chat ended")));
        onText = (text) => {
          const at = /"delta":"at (\d+)\./.exec(text)?.[1];
          if (at !== undefined) resolve(Date.now() - Number(at));
        };
      }),
    stop: () => response.pause(),
    close: () => request.destroy(),
  };
}
