import postgres from "postgres";
import { scaled } from "./support/brief.mjs";
import { finance, install } from "./support/installation.mjs";
import { median } from "./support/measure.mjs";
import { startPostgres } from "./support/postgres.mjs";
import { untilPublished } from "./support/published.mjs";
import { smallestWait } from "./support/smallest-wait.mjs";

/**
 * What an approval costs from the decision until its run has ended and its events are sent: statements and transactions
 * of the product, statements with those of the local engine, and processor time of the process that holds both, beside
 * that of the smallest program that waits. And what it leaves in the database.
 */
const rounds = scaled(20);
const warmUp = scaled(20);
const atOnce = scaled(100);
const measured = scaled(300);

/** @returns {AsyncGenerator<import("./support/measure.mjs").Result>} */
export default async function* approvalCost() {
  const server = await startPostgres();
  const sent = { product: 0, transactions: 0, engine: 0 };
  const looking = postgres(server.url, { max: 1, onnotice: () => {} });
  const installation = await install(server.url, {
    onStatement(text, by) {
      sent[by]++;
      if (by === "product" && text.startsWith("begin")) sent.transactions++;
    },
  });
  /** @param {number} calls @param {string} name */
  const costOf = async (calls, name) => {
    for (let call = 0; call < calls; call++) await installation.say({ id: `${name} ${call}` });
    const waiting = await installation.pending();
    await untilPublished(looking);
    const before = { ...sent, cpu: process.cpuUsage() };
    await Promise.all(
      waiting.map(({ id: approvalId, digest }) =>
        installation.countersign.decide({
          ...{ approvalId, principal: finance, type: "approve", digest, reason: null },
        }),
      ),
    );
    await installation.engine.idle();
    await untilPublished(looking);
    const { user, system } = process.cpuUsage(before.cpu);
    return {
      product: (sent.product - before.product) / calls,
      transactions: (sent.transactions - before.transactions) / calls,
      all: (sent.product + sent.engine - before.product - before.engine) / calls,
      milliseconds: (user + system) / 1000 / calls,
    };
  };
  const smallest = smallestWait();
  const plain = await install(await server.open("smallest"), { plain: true, ...smallest.options });
  /** Milliseconds of processor time of each. @param {number} calls @param {string} name */
  const smallestCost = async (calls, name) => {
    const ids = Array.from({ length: calls }, (_, call) => `${name} ${call}`);
    for (const id of ids) await plain.say({ id });
    await plain.engine.idle();
    const before = process.cpuUsage();
    await Promise.all(ids.map((id) => smallest.end(plain.inngest, id)));
    await plain.engine.idle();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / calls;
  };
  try {
    await costOf(warmUp, "warm up");
    await smallestCost(warmUp, "warm up");
    const single = [];
    for (let round = 0; round < rounds; round++) single.push(await costOf(1, `one ${round}`));
    const many = await costOf(atOnce, "many");
    const before = await storedBytes(looking);
    const busy = await costOf(measured, "busy");
    const after = await storedBytes(looking);
    const floor = await smallestCost(measured, "busy");
    /** @param {"product" | "transactions" | "all"} what */
    const one = (what) => median(single.map((cost) => cost[what]));
    const figures = /** @type {const} */ ([
      ["statements of the product, one approval", one("product"), "statements", 8],
      ["transactions of the product, one approval", one("transactions"), "transactions", 5],
      ["statements with the local engine, one approval", one("all"), "statements", 50],
      [`statements with the local engine, each of ${atOnce} approvals`, many.all, "statements", 40],
      [`processor time of each of ${measured} approvals`, busy.milliseconds, "ms", 1.5],
      [
        "bytes of an approval that has ended, product",
        (after.product - before.product) / measured,
        "B",
        4000,
      ],
      [
        "bytes of an approval that has ended, local engine",
        (after.engine - before.engine) / measured,
        "B",
        2048,
      ],
    ]);
    yield { name: `processor time of each of ${measured} smallest waits`, value: floor, unit: "ms" };
    for (const [name, value, unit, aim] of figures) {
      const ratio = value / floor;
      yield unit === "ms"
        ? { name, value, unit, ratioTo: "smallest wait", ratio, aim: `≤ ${aim} ×`, met: ratio <= aim }
        : { name, value, unit, aim: `≤ ${aim.toLocaleString("en")}`, met: value <= aim };
    }
  } finally {
    await installation.close();
    await plain.close();
    await looking.end();
    await server.stop();
  }
}

/**
 * Bytes of the tables of both with their indexes and long values, without the room of what was deleted.
 *
 * @param {postgres.Sql} sql
 */
async function storedBytes(sql) {
  const tables = await sql`
    select relnamespace::regnamespace || '.' || relname as name from pg_class
    where relnamespace in ('countersign'::regnamespace, 'local_engine'::regnamespace) and relkind = 'r'`;
  for (const { name } of tables) await sql.unsafe(`vacuum full ${name}`);
  const [sizes] = await sql`
    select sum(pg_total_relation_size(oid)) filter (where relnamespace = 'countersign'::regnamespace)::float8 as product,
      sum(pg_total_relation_size(oid)) filter (where relnamespace = 'local_engine'::regnamespace)::float8 as engine
    from pg_class where relkind = 'r'`;
  return { product: Number(sizes?.product), engine: Number(sizes?.engine) };
}
