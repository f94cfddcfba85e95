import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/** Loads again what was refused while the session had ended. */
export function useRefetchOnReturn(isOut: boolean): void {
  const client = useQueryClient();
  const wasOut = useRef(isOut);
  useEffect(() => {
    if (wasOut.current && !isOut) {
      void client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "me" });
    }
    wasOut.current = isOut;
  }, [client, isOut]);
}
