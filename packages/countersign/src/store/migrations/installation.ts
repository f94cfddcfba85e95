import { randomBytes } from "node:crypto";
import type { Session } from "../database.js";
import { installation } from "../schema.js";

const secretBytes = 32;

/** The same for all processes and permanently. The first caller draws it. */
export async function nameSecret({ db }: Session): Promise<string> {
  const drawn = randomBytes(secretBytes).toString("base64url");
  const read = () => db.select({ secret: installation.nameSecret }).from(installation);
  const [known] = await read();
  if (known) return known.secret;
  await db.insert(installation).values({ id: 1, nameSecret: drawn }).onConflictDoNothing();
  const [first] = await read();
  return first?.secret ?? drawn;
}
