import { batch } from "./batch.js";
import { decide } from "./decide.js";
import { detail } from "./detail.js";
import { first } from "./first.js";
import { grantTerms } from "./grant-terms.js";
import { grants } from "./grants.js";
import { history } from "./history.js";
import { insight } from "./insight.js";
import { signIn } from "./sign-in.js";

/** English. Each file has the texts of one part of the inbox. */
export const en = { ...first, signIn, decide, detail, batch, history, grants, grantTerms, insight };
