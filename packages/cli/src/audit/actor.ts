import { userInfo } from "node:os";
import { UsageError } from "../cli-io.js";

/** The name of the person who runs the command. It is not verified: people with database access are trusted. */
export function actorName({ by }: { by?: string | undefined }): string {
  const id = (by ?? userName()).trim();
  if (id === "" || id.length > 200) throw new UsageError("--by: must be 1 to 200 characters");
  return id;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "operator";
  }
}
