import { batch } from "./batch.js";
import { commands } from "./commands.js";
import { common } from "./common.js";
import { decide } from "./decide.js";
import { decided } from "./decided.js";
import { detail } from "./detail.js";
import { display } from "./display.js";
import { errors } from "./errors.js";
import { grantTerms } from "./grant-terms.js";
import { grants } from "./grants.js";
import { history } from "./history.js";
import { insight } from "./insight.js";
import { lists } from "./lists.js";
import { page } from "./page.js";
import { signIn } from "./sign-in.js";
import { stops } from "./stops.js";
import { time } from "./time.js";
import { values } from "./values.js";

/** English. Each file has the texts of one part of the inbox. */
export const en = {
  display,
  common,
  page,
  commands,
  signIn,
  errors,
  decide,
  decided,
  detail,
  lists,
  batch,
  history,
  grants,
  grantTerms,
  insight,
  stops,
  time,
  values,
};
