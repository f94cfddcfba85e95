// An app in development, which names no store. It opens a thread, the one that it is told or a new one, and lives on.
import { createCountersign } from "countersign";
import { Inngest } from "inngest";

const countersign = createCountersign({ inngest: new Inngest({ id: "dev", isDev: true }) });
const [, , known] = process.argv;
try {
  const owner = { id: "ada", tenantId: "default", roles: [] };
  const { threadId } = await countersign.threads.open({ owner, ...(known && { threadId: known }) });
  console.log(`opened ${threadId}.`);
  process.stdin.resume();
} catch (error) {
  console.log(`failed ${error.message}.`);
  process.exitCode = 1;
}
