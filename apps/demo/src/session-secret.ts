import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const bytes = 32;

/**
 * Returns the secret of the inbox's sessions. It is saved in the data folder, so that sessions survive a restart. With
 * `memory://` each start creates a new one.
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
    // If the secret cannot be saved or is damaged, people sign in again after a restart.
    return kept?.length === bytes ? kept : randomBytes(bytes);
  }
}
