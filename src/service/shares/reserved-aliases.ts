/** Words that could make a link look like one of the site's own pages or of its operator. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "admin administrator dmca filehost helpdesk hostmaster login logoff logon logout noreply official operator passwort password passwords " +
    "postmaster security signin signout signup support verification verify webmaster"
  ).split(" "),
);

/**
 * Returns whether nobody can choose an alias (sharing, "Aliases"): it contains a reserved word, also with a hyphen in the word, as in `sign-in`.
 */
export function isReservedAlias(alias: string): boolean {
  const parts = alias.split("-");
  return parts.some((part, index) => RESERVED.has(part) || RESERVED.has(part + (parts[index + 1] ?? "")));
}
