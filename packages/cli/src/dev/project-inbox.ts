import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Countersign } from "countersign";
import type { ApprovalsApiOptions } from "countersign/hono";
import type { Hono } from "hono";
import { UsageError } from "../cli-io.js";

/** What is used of `@countersign/inbox/server`. */
interface InboxServer {
  approvalsApp(
    countersign: Countersign,
    options: ApprovalsApiOptions & { path: string; holdMs: number },
  ): Hono;
}

/**
 * The address of the inbox that an app has installed. This package does not depend on it, because it has no other use for React.
 * @throws UsageError if the project has none.
 */
export function inboxOfProject(file: string): string {
  try {
    return pathToFileURL(createRequire(resolve(file)).resolve("@countersign/inbox/server")).href;
  } catch {
    throw new UsageError("dev shows an inbox: npm install @countersign/inbox react react-dom hono");
  }
}

export async function loadInbox(address: string): Promise<InboxServer> {
  return import(address);
}
