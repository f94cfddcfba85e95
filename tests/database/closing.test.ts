import { expect, it } from "vitest";
import { openStore } from "../support/audit-log.js";
import { everyDatabase } from "../support/databases.js";

it.each(everyDatabase)(
  "a store on $name closes after the transactions that are under way",
  async ({ open }) => {
    await using database = await open();
    const store = await openStore(database);
    let isOver = false;
    const reading = store.statistics().finally(() => {
      isOver = true;
    });
    await store.close();
    expect(isOver).toBe(true);
    await reading;
  },
);
