import { CountersignError } from "@countersign/policy/internal/shared/errors";
import type { Principal } from "@countersign/policy/internal/shared/principal";

/** Maximum number of open streams per principal in this process. */
const maxStreams = 20;

/** Counts the open streams of each principal. */
export interface StreamLimit {
  /**
   * Counts one more until the returned function is called.
   * @throws CountersignError `too_many_requests`
   */
  enter(reader: Principal): () => void;
}

export function limitStreams(what: string): StreamLimit {
  const open = new Map<string, number>();
  return {
    enter({ tenantId, id }) {
      const key = JSON.stringify([tenantId, id]);
      const streams = open.get(key) ?? 0;
      if (streams >= maxStreams) {
        throw new CountersignError(
          "too_many_requests",
          `You already have ${maxStreams} open ${what}; close one`,
        );
      }
      open.set(key, streams + 1);
      let entered = true;
      return () => {
        if (!entered) return;
        entered = false;
        const left = (open.get(key) ?? 1) - 1;
        if (left > 0) open.set(key, left);
        else open.delete(key);
      };
    },
  };
}
