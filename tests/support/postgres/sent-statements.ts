import { vi } from "vitest";

export interface Statement {
  connection: number;
  text: string;
  parameters: readonly unknown[];
}

/**
 * What a client of postgres.js sends: give `debug` to it. Notices of changes go some time after the transactions that they
 * are about, so they are left out.
 */
export function sentStatements() {
  const sent: Statement[] = [];
  const byConnection = () =>
    [...new Set(sent.map(({ connection }) => connection))].map((connection) =>
      sent.filter((statement) => statement.connection === connection),
    );
  /** Waits until a notice was sent of each change, and nothing is under way. */
  const settled = () =>
    vi.waitFor(() => {
      if (sent.findLastIndex(appends) > sent.findLastIndex(isNotice))
        throw new Error("A notice is still to be sent");
      for (const statements of byConnection()) {
        const last = statements.findLast((statement) => !isNotice(statement));
        if (last && last.text !== "commit" && !isAlone(last)) throw new Error("A transaction is under way");
      }
    });
  return {
    debug: (connection: number, text: string, parameters: readonly unknown[] = []) =>
      void sent.push({ connection, text: text.trim(), parameters: [...parameters] }),
    /**
     * The statements of some work, without notices, one transaction after another in the order in which they began: what
     * reads does not wait for the end of its transaction, so the next may begin before.
     */
    async during(work: () => Promise<unknown>): Promise<Statement[]> {
      await settled();
      sent.length = 0;
      await work();
      await settled();
      return transactionsIn(sent.filter((statement) => !isNotice(statement))).flat();
    },
  };
}

function appends({ text, parameters }: Statement): boolean {
  if (text.includes("append_to_audit_log")) return true;
  return text.includes("apply_changes") && String(parameters.at(-1)).includes('"logs":[{');
}

/** A function that is a transaction of its own, outside of others. */
function isAlone({ text }: Statement): boolean {
  return /^select countersign\.(read_all|apply_changes)\(/.test(text);
}

function isNotice({ text }: Statement): boolean {
  return text.startsWith("select pg_catalog.pg_notify");
}

function transactionsIn(statements: readonly Statement[]): Statement[][] {
  const transactions: Statement[][] = [];
  const latest = new Map<number, Statement[]>();
  for (const statement of statements) {
    const { connection, text } = statement;
    if (text.startsWith("begin")) {
      const begun: Statement[] = [];
      transactions.push(begun);
      latest.set(connection, begun);
    }
    const transaction = latest.get(connection);
    const isOver = transaction?.at(-1)?.text === "commit";
    // The first question of a client belongs to none.
    if (transaction && !(isOver && isAlone(statement))) transaction.push(statement);
    else transactions.push([statement]);
  }
  return transactions;
}
