import { derivedId } from "@countersign/policy/internal/shared/canonical-hash";
import type { Subject } from "./subject.js";

/** Per execution: how often each content was named. */
const named = new WeakMap<object, Map<string, number>>();

/**
 * Names something that a run does, so that every replay finds the same name: by its content, and the number of equal ones
 * before it in this execution. Content rather than order, because parts of a function that run in parallel may arrive in any
 * order. Names derive step ids, which only those see who see the content too; ids that people see are derived with a secret.
 *
 * All names of steps that hold values of a host or a model are made here, and only from values that are the same on each
 * replay: never from what a policy, a profile or a person's roles are at the moment.
 *
 * @param execution One replay of the run.
 * @param way What is named, such as `"gate"`.
 */
export function nameInRun(execution: object, way: string, ...content: unknown[]): string {
  const counts = named.get(execution) ?? new Map<string, number>();
  named.set(execution, counts);
  const name = derivedId("res", way, ...content);
  const index = counts.get(name) ?? 0;
  counts.set(name, index + 1);
  for (const look of onNames.get(execution) ?? []) look();
  return `${name}.${index}`;
}

const onNames = new WeakMap<object, Set<() => void>>();

/** Waits until names of this execution make the condition hold. False if they do not in time. */
export async function untilNamed(execution: object, holds: () => boolean, ms: number): Promise<boolean> {
  if (holds()) return true;
  const looks = onNames.get(execution) ?? new Set();
  onNames.set(execution, looks);
  return new Promise((resolve) => {
    const end = (found: boolean) => {
      clearTimeout(timer);
      looks.delete(look);
      resolve(found);
    };
    const look = () => {
      if (holds()) end(true);
    };
    const timer = setTimeout(() => end(holds()), ms);
    looks.add(look);
  });
}

/** All names that this execution has made so far. */
export function namesInRun(execution: object): string[] {
  const counts = named.get(execution) ?? new Map<string, number>();
  return [...counts].flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => `${name}.${index}`),
  );
}

/**
 * Names calls that are proposed together.
 *
 * @param by Who makes them: an agent, a function or an action.
 * @param said What was called, as the model or the host wrote it.
 */
export function nameOfCalls(
  execution: object,
  way: string,
  {
    tenantId,
    threadId,
    requester,
  }: Pick<Subject, "tenantId" | "threadId"> & { requester: { id: string } | null },
  by: unknown,
  said: unknown,
): string {
  // Roles and the thread's rules may change while the run waits. A call keeps the verdict of its proposal, and the check at
  // its start sees the present ones.
  return nameInRun(execution, way, { tenantId, threadId, requester: requester?.id ?? null }, by, said);
}
