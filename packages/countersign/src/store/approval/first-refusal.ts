/** The first answer that one of the checks gives, in their order. */
export async function firstRefusal<Subject, Refusal>(
  checks: readonly ((subject: Subject) => Refusal | undefined | Promise<Refusal | undefined>)[],
  subject: Subject,
): Promise<Refusal | undefined> {
  for (const check of checks) {
    const refusal = await check(subject);
    if (refusal) return refusal;
  }
  return undefined;
}
