import * as z from "zod";
import type { SafetyCheck } from "../../safety-checks/safety-check.js";
import { frozen } from "../../shared/frozen.js";
import { type ResolvedTerms, type Term, type TermName, termTable } from "./term-table.js";

type Table = typeof termTable;
type Schema<Name extends TermName> = Table[Name]["schema"];
type WrittenName<Name> = Name extends TermName
  ? Table[Name] extends { written: infer Written }
    ? Written
    : Name
  : never;
type NamesWith<Trait> = { [Name in TermName]: Table[Name] extends Trait ? Name : never }[TermName];

/** The table as one type of its entries, which checks that each merge takes what its schema gives, or less of it. */
export const terms: { readonly [Name in TermName]: Term<ResolvedTerms[Name], z.output<Schema<Name>>> } =
  termTable;

export const termNames = Object.keys(termTable) as TermName[];

/** The name that a term has in rules. */
export function nameInRules(name: TermName): WrittenName<TermName> {
  return (terms[name].written ?? name) as WrittenName<TermName>;
}

const optionalSchema = ({ schema, about }: Term<unknown>) =>
  about === undefined ? schema.optional() : schema.optional().describe(about);

/** The terms of a rule in code. */
export const codeTermsSchema = z.strictObject(
  Object.fromEntries(termNames.map((name) => [nameInRules(name), optionalSchema(terms[name])])) as {
    [Name in TermName as WrittenName<Name>]: z.ZodOptional<Schema<Name>>;
  },
);

/** The terms of a rule, besides its verdict. */
export const termsSchema = codeTermsSchema.omit({ checks: true });

export type Terms = z.infer<typeof termsSchema> & {
  /** Checks of the arguments in code, shown to people and repeated before the call starts. Not possible in files. */
  checks?: readonly SafetyCheck[] | undefined;
};

function namesWith<Trait>(hasTrait: (term: Term<unknown>) => boolean) {
  return termNames.filter((name) => hasTrait(terms[name])) as NamesWith<Trait>[];
}

/** Terms that people read and that decide nothing. */
export const textTerms = namesWith<{ isText: true }>(({ isText }) => isText === true);

/** Terms that matter for a call that nobody decides. */
export const unaskedTerms = namesWith<{ unasked: true }>(({ unasked }) => unasked === true);

/** The terms of a call for which no rule sets any. Frozen, because all calls share them. */
export const defaultTerms: Readonly<ResolvedTerms> = frozen({
  ...(Object.fromEntries(termNames.map((name) => [name, terms[name].default])) as Pick<
    ResolvedTerms,
    TermName
  >),
  reasons: [],
  timeoutAtMostMs: null,
});

/** Terms that are stored with every call. */
export const storedAlways = [
  "reasons" as const,
  ...namesWith<{ stored: "always" }>(({ stored }) => stored === "always"),
];

/** Terms that are stored with the calls of agents' tools as well. */
export const storedWithTools = namesWith<{ stored: "with tools" }>(({ stored }) => stored === "with tools");
