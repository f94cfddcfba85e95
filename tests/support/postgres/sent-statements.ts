import { vi } from "vitest";

export interface Statement {
  connection: number;
  text: string;
  parameters: readonly unknown[];
}

/**
 * What a client of postgres.js sends: give `debug` to it. Notices go in transactions of their own, some time after those
 * that they are about, so they are left out.
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
      const last = (what: string) => sent.findLastIndex(({ text }) => text.includes(what));
      if (last("append_to_audit_log") > last("pg_notify")) throw new Error("A notice is still to be sent");
      for (const statements of byConnection())
        if (statements.at(-1)?.text.trim() !== "commit") throw new Error("A transaction is under way");
    });
  return {
    debug: (connection: number, text: string, parameters: readonly unknown[] = []) =>
      void sent.push({ connection, text: text.trim(), parameters: [...parameters] }),
    /** The statements of some work, without notices, in order. */
    async during(work: () => Promise<unknown>): Promise<Statement[]> {
      await settled();
      sent.length = 0;
      await work();
      await settled();
      const isNotice = new Set(
        byConnection()
          .flatMap((statements) =>
            transactionsOf(statements).filter((texts) =>
              texts.some(({ text }) => text.includes("pg_notify")),
            ),
          )
          .flat(),
      );
      return sent.filter((statement) => !isNotice.has(statement));
    },
  };
}

function transactionsOf(statements: readonly Statement[]): Statement[][] {
  const transactions: Statement[][] = [];
  for (const statement of statements) {
    if (/^begin/.test(statement.text)) transactions.push([]);
    transactions.at(-1)?.push(statement);
  }
  return transactions;
}
