import { z } from "zod";
import { authorizationOf, type EngineAddress } from "./find-run.js";

const answer = z.object({ message: z.string() });
const devInfo = z.object({ functions: z.array(z.looseObject({ slug: z.string() })) });

const answerWithinMs = 5000;

/**
 * Lets the SDK register the app with the engine. Returns what went wrong, or `undefined`.
 */
export async function registerApp(
  handler: (request: Request) => Promise<Response>,
  serveUrl: string,
): Promise<string | undefined> {
  // The SDK's adapter builds URLs from this header, which a server would have set.
  const headers = { host: new URL(serveUrl).host };
  const response = await handler(new Request(serveUrl, { method: "PUT", headers }));
  if (response.ok) return undefined;
  const { message = "" } = answer.safeParse(await response.json()).data ?? {};
  if (response.status === 401 || /status code: 401/.test(message)) {
    return "refuses to register this app: set INNGEST_SIGNING_KEY to the server's signing key";
  }
  const reason = message.replace(/^Failed to register; /, "") || `status ${response.status}`;
  return `does not register this app (${reason}); trying again`;
}

/**
 * Whether the engine still knows the app's functions. Only Dev Servers forget and list them; other servers only need to
 * respond.
 */
export async function isAppKnown(engine: EngineAddress, appId: string): Promise<boolean> {
  try {
    const response = await engine.fetch(new URL("/dev", engine.baseUrl), {
      headers: authorizationOf(engine),
      signal: AbortSignal.timeout(answerWithinMs),
    });
    const info = devInfo.safeParse(response.ok ? await response.json() : undefined);
    return !info.success || info.data.functions.some(({ slug }) => slug.startsWith(`${appId}-`));
  } catch {
    return false;
  }
}
