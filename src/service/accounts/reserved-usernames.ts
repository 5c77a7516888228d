/** Usernames that could be mistaken for the site or its operator. Only an administrator can assign them. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "abuse account accounts admin administrator all anonymous anyone api app billing blog bot contact copyright dmca docs download downloads " +
    "everyone file filehost files guest help host hostmaster info invite legal login mail me moderator news nobody none noreply no-reply null " +
    "official operator owner postmaster privacy public root security send server service settings share shares signin signout signup site staff " +
    "status support system team terms test undefined upload uploads user users webmaster welcome www you"
  ).split(" "),
);

/** Returns whether only an administrator can assign a username (accounts, "Usernames"). */
export const isReservedUsername = (username: string): boolean => RESERVED.has(username);
