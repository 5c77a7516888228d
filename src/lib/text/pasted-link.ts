/** Invisible characters: zero-width ones, soft hyphens, marks of direction. */
const UNSEEN = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;
/** Characters that surround a link in a text: white space, the end of a sentence, brackets, quotes, Markdown. */
const BEFORE = /^[\s([{<'"`*“‘«‹„‚「『【（]+/u;
const AFTER = /[\s\\.,;:!?…)\]}>'"`*|”’»›“‘」』】）。，、！？；：]+$/u;

/** Removes the characters that surrounded a copied link or its end: `7kXq9Zab).` → `7kXq9Zab`. No ID, token or key contains them. */
export const trimPasted = (text: string): string => text.replace(UNSEEN, "").replace(BEFORE, "").replace(AFTER, "");
