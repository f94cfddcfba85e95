// The trip server over stdio. It appends what it does to the file in DEEDS, and seals its state with STATE_KEY.
import { appendFileSync } from "node:fs";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { tripServers } from "./trip-server.mjs";

serveStdio(
  tripServers({
    key: Buffer.from(process.env.STATE_KEY ?? "", "hex"),
    did: (deed) => appendFileSync(process.env.DEEDS ?? "/dev/null", `${JSON.stringify(deed)}\n`),
  }),
);
