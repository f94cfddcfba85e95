import { useDraft } from "./use-draft.js";

/** Whether the reader has opened the address of a question on this page, and a function that records it. */
export function useOpenedAddress(id: string, address: URL | undefined): [boolean, () => void] {
  const [{ openedAddress }, change] = useDraft(id);
  const href = address?.href;
  return [
    href !== undefined && openedAddress === href,
    () => {
      if (href !== undefined) change({ openedAddress: href });
    },
  ];
}
