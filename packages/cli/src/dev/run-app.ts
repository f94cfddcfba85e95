import { Server } from "node:net";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Countersign } from "countersign";
import { development } from "countersign/internal";
import { type AppMessage, type AppSettings, appSettings } from "./messages.js";
import { serveInbox } from "./serve-inbox.js";

/** Runs the app in this process, and serves the inbox of its first instance of Countersign beside it. */
export async function runApp(settings: string): Promise<void> {
  const {
    file,
    inbox: address,
    inboxPort: port,
    id,
    tenantId,
  }: AppSettings = appSettings.parse(JSON.parse(settings));
  // The command has died.
  process.once("disconnect", () => process.exit(1));
  let first: Countersign | undefined;
  development.onInstance((countersign) => {
    if (first) return;
    first = countersign;
    const you = { id, tenantId: tenantId ?? countersign.tenantId };
    serveInbox(countersign, { address, port, you }).then(
      () => tell({ inbox: true }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  onListening((listening) => {
    if (listening !== port) tell({ listening });
  });
  await import(pathToFileURL(resolve(file)).href);
}

/** Tells each port on which this process listens from now on, whatever server the app uses. */
function onListening(tellPort: (port: number) => void): void {
  const listen: unknown = Server.prototype.listen;
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    this.once("listening", () => {
      const address = this.address();
      if (typeof address === "object" && address) tellPort(address.port);
    });
    return Reflect.apply(listen as () => Server, this, args);
  };
}

function tell(message: AppMessage): void {
  process.send?.(message);
}
