/** The header with a key in a shell variable. */
export const KEY_HEADER = `-H "Authorization: Bearer $KEY"`;

/** Joins the parts of a command, one per line. */
export const joinCommand = (parts: readonly string[]): string => parts.join(" \\\n  ");

/** Quotes a word for a shell, unless all its characters are harmless. */
export const quote = (word: string): string => (/^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
