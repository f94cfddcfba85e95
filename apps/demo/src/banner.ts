import type { DemoConfig } from "./config.js";

/** What a newcomer needs once the demo runs: where it is, what it uses, and three commands to try. */
export function banner(config: DemoConfig, port: number): string {
  const url = `http://${config.host}:${port}`;
  const model =
    config.model.kind === "scripted"
      ? `scripted (${config.model.format} format); set OPENAI_API_KEY or ANTHROPIC_API_KEY for a real one`
      : `${config.model.model} (${config.model.format})`;
  return `
  Countersign demo: a support desk whose agent needs your approval

  Address   ${url}
  Engine    ${config.inngestBaseUrl ? `Inngest at ${withoutSecrets(config.inngestBaseUrl)}` : "local, in this process (set INNGEST_BASE_URL for Inngest)"}
  Database  ${config.databaseUrl ? "Postgres" : `PGlite in ${config.dataDir} (set DATABASE_URL for Postgres)`}
  Model     ${model}
  Approvals wait ${config.timeout}

  Ask for something, as the requester:
    curl -s ${url}/api/chat -H "Authorization: Bearer demo-requester" \\
      -H "Content-Type: application/json" -d '{"message": "Please refund order A-1001"}'

  Decide in the browser, as Finance, Lead or Admin:
    ${url}/inbox

  Or see what waits, and decide, as demo-finance, demo-lead or demo-admin (id and digest are in the list):
    curl -s "${url}/api/approvals?status=pending" -H "Authorization: Bearer demo-finance"
    curl -s ${url}/api/approvals/ID/decision -H "Authorization: Bearer demo-finance" \\
      -H "Content-Type: application/json" -d '{"type": "approve", "digest": "DIGEST"}'

  See what was done:
    curl -s ${url}/api/demo/effects -H "Authorization: Bearer demo-finance"
`;
}

function withoutSecrets(url: string): string {
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}
