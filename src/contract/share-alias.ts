import { z } from "zod";

/** Letters and digits with single hyphens between them. At least one hyphen distinguishes an alias from a short ID, which has none. */
const FORM = /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)+$/;
const ADVICE = "give 4 to 16 letters a to z and digits, with at least one hyphen between them, such as trip-to-rome";

/** The alias of a share as its owner sends it, which is stored in lower case (sharing, "Aliases"). */
export const shareAlias = z
  .string()
  .min(4, ADVICE)
  .max(16, ADVICE)
  .regex(FORM, ADVICE)
  .transform((alias) => alias.toLowerCase());

/** Returns the alias that the ID in a link is, in lower case; undefined if it does not have the form of one. */
export const readAlias = (id: string): string | undefined =>
  id.includes("-") && id.length >= 4 && id.length <= 16 && FORM.test(id) ? id.toLowerCase() : undefined;
