import { writeFile } from "node:fs/promises";
import { createLocalEngine } from "@countersign/local-engine";
import { PGlite } from "@electric-sql/pglite";
import { pgliteStore } from "countersign/pglite";
import { databaseImagePath } from "./database-image.js";
import { openDesk } from "./desk/open-desk.js";

// The last step of the build. Every installation draws its secrets at their first use, so the image has none.
const pglite = await PGlite.create("memory://");
await openDesk({ pglite });
await pgliteStore({ client: pglite }).migrate();
const engine = await createLocalEngine({ database: { pglite } });
await engine.stop();
// Loading takes as long as there are files to write: without the templates of new databases, a third of them.
await pglite.exec("update pg_database set datistemplate = false");
await pglite.exec("drop database template0");
await pglite.exec("drop database template1");
await pglite.exec("checkpoint");
const image = await pglite.dumpDataDir("none");
await pglite.close();
await writeFile(await databaseImagePath(), new Uint8Array(await image.arrayBuffer()));
