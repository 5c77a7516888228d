/** Words that could make a link look like one of the site's own pages or of its operator. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "abmelden account admin administrator anmelden billing compte connexion dmca filehost helpdesk hostmaster kennwort konto login logoff logon logout " +
    "motdepasse noreply official operator passwort password passwords postmaster security signin signout signup support verification verify webmaster"
  ).split(" "),
);
/** The length of reserved words that other words do not contain by chance. */
const LONG_WORD = 8;
const LONG_WORDS = [...RESERVED].filter(({ length }) => length >= LONG_WORD);

/**
 * Returns whether nobody can choose an alias (sharing, "Aliases"): it contains a reserved word between hyphens, also with a hyphen in the word,
 * as in `sign-in`, or a long reserved word anywhere.
 */
export function isReservedAlias(alias: string): boolean {
  const parts = alias.split("-");
  return (
    parts.some((part, index) => RESERVED.has(part) || RESERVED.has(part + (parts[index + 1] ?? ""))) ||
    LONG_WORDS.some((word) => parts.join("").includes(word))
  );
}
