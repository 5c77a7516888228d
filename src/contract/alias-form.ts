/** Letters and digits with single hyphens between them. At least one hyphen distinguishes an alias from a short ID, which has none. */
export const ALIAS_FORM = /^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)+$/;
export const ALIAS_LENGTH = { min: 4, max: 16 } as const;

/** Returns an alias in lower case, as it is stored; undefined for other text, such as a short ID (sharing, "Aliases"). */
export function readAlias(text: string): string | undefined {
  if (!text.includes("-") || text.length < ALIAS_LENGTH.min || text.length > ALIAS_LENGTH.max) return undefined;
  return ALIAS_FORM.test(text) ? text.toLowerCase() : undefined;
}
