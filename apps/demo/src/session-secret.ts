import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const bytes = 32;

/**
 * The secret of the inbox's sessions, kept in the data folder, so that a restart signs nobody out. Without a folder it is
 * made anew each time.
 */
export async function sessionSecret(dataDir: string): Promise<Uint8Array> {
  if (dataDir === "memory://") return randomBytes(bytes);
  const file = join(dataDir, "session-secret");
  await mkdir(dataDir, { recursive: true });
  try {
    const secret = randomBytes(bytes);
    await writeFile(file, secret, { flag: "wx", mode: 0o600 });
    return secret;
  } catch {
    const kept = await readFile(file).catch(() => undefined);
    // What cannot be kept, or was cut short, costs a new sign-in and nothing else.
    return kept?.length === bytes ? kept : randomBytes(bytes);
  }
}
