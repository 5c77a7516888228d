/* Which texts people can see: a name or a title of anything else is no name (uploads, "Name and type"). Scripts of pages use this too. */

/** Spaces, controls, what is drawn as nothing by default (fillers, selectors, joiners, tags), and the blank Braille pattern. */
const UNSEEN = String.raw`[\p{White_Space}\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;
const ONLY_UNSEEN = new RegExp(`^${UNSEEN}*$`, "u");
const UNSEEN_SEGMENT = new RegExp(`(?<![^/])${UNSEEN}+(?![^/])`, "gu");

/** Whether a text has a character that people see. */
export const hasVisible = (text: string): boolean => !ONLY_UNSEEN.test(text);

/** Replaces each segment of a path that nobody sees by `_`. */
export const replaceUnseenSegments = (path: string): string => path.replace(UNSEEN_SEGMENT, "_");
