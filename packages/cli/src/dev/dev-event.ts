import * as z from "zod";
import { UsageError } from "../cli-io.js";

const data = z.record(z.string(), z.unknown());

/** An event as people type it. */
export interface DevEvent {
  name: string;
  data: Record<string, unknown>;
}

/** @throws UsageError for a text that is not a name and a JSON object. */
export function parseEvent(text: string): DevEvent {
  const [, name, json = "{}"] = text.trim().match(/^(\S+)(?:\s+([\s\S]+))?$/) ?? [];
  try {
    if (name !== undefined) return { name, data: data.parse(JSON.parse(json)) };
  } catch {
    // As below.
  }
  throw new UsageError(`write an event as its name and its data: chat/asked {"message": "Hello"}`);
}
