/** Something that several users share. */
interface Closable {
  close(): Promise<void>;
}

/** A user's hold on a shared resource. */
export interface Hold<Resource> {
  resource: Resource;
  /** Closes the resource if this was its last user. */
  leave(): Promise<void>;
}

/** Opens one resource for all users of the same key, and closes it when the last of them has left. */
export function createSharedResources<Resource extends Closable>(
  open: (key: string) => Promise<Resource>,
): (key: string) => Promise<Hold<Resource>> {
  const shared = new Map<string, { opening: Promise<Resource>; users: number }>();
  return async (key) => {
    const entry = shared.get(key) ?? { opening: open(key), users: 0 };
    shared.set(key, entry);
    entry.users += 1;
    try {
      const resource = await entry.opening;
      return {
        resource,
        async leave() {
          entry.users -= 1;
          if (entry.users > 0) return;
          shared.delete(key);
          await resource.close();
        },
      };
    } catch (error) {
      if (shared.get(key) === entry) shared.delete(key);
      throw error;
    }
  };
}
