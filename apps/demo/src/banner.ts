import { isLoopback } from "@countersign/local-engine";
import type { DemoConfig } from "./config.js";
import { withoutSecrets } from "./engine/without-secrets.js";

const agents = {
  agentkit: "a network of AgentKit (AGENT=loop and AGENT=ai-sdk for the same desk without it)",
  loop: "a loop around the provider's client (AGENT=loop)",
  "ai-sdk": "an agent of the AI SDK (AGENT=ai-sdk)",
};

/** Printed at start: addresses, components, and three commands to try. */
export function banner(config: DemoConfig, port: number): string {
  const url = `http://${config.host}:${port}`;
  const model =
    config.model.kind === "scripted"
      ? `scripted (${config.model.format} format); set OPENAI_API_KEY or ANTHROPIC_API_KEY for a real one`
      : `${config.model.model} (${config.model.format})`;
  return `
  Countersign demo: a support desk whose agent needs your approval

  Address   ${url}
  Engine    ${describeEngine(config.engine)}
  Database  ${config.databaseUrl ? "Postgres" : `PGlite in ${config.dataDir} (set DATABASE_URL for Postgres)`}
  Agent     ${agents[config.agent]}
  Model     ${model}
  Approvals wait ${config.timeout}

  Ask the agent and decide, in the browser:
    ${url}

  Or ask with curl, as the requester:
    curl -s ${url}/api/chat -H "Authorization: Bearer demo-requester" \\
      -H "Content-Type: application/json" -d '{"message": "Please refund order A-1001"}'

  The inbox, as Finance, Lead or Admin:
    ${url}/inbox

  Or see what waits, and decide, as demo-finance, demo-lead or demo-admin (id and digest are in the list):
    curl -s "${url}/api/approvals?status=pending" -H "Authorization: Bearer demo-finance"
    curl -s ${url}/api/approvals/ID/decision -H "Authorization: Bearer demo-finance" \\
      -H "Content-Type: application/json" -d '{"type": "approve", "digest": "DIGEST"}'

  See what was done:
    curl -s ${url}/api/demo/effects -H "Authorization: Bearer demo-finance"
${warning(config)}`;
}

function describeEngine(engine: DemoConfig["engine"]): string {
  if (engine.kind === "local") return "local, in this process (set INNGEST_BASE_URL for Inngest)";
  const signatures = engine.isDev ? "development mode: calls are not signed" : "calls are signed";
  return `Inngest at ${withoutSecrets(engine.baseUrl)} (${signatures})`;
}

/** Warns that other machines can reach the demo. */
function warning({ host, engine }: DemoConfig): string {
  if (isLoopback(host.includes(":") ? `[${host}]` : host)) return "";
  const isDev = engine.kind === "inngest" && engine.isDev;
  return `
  !!! WARNING: HOST=${host} opens the demo to the network. !!!
  Whoever reaches this port can sign in with the tokens above, and approve anything.
${isDev ? "  Development mode: they can also call the agent's functions, without any token. Set INNGEST_SIGNING_KEY.\n" : ""}`;
}
