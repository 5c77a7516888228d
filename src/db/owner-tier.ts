import { keptQuery } from "./kept-query.ts";

/** What an account's tier is reckoned from; asked for at each look at a share. */
export const ownerTierQuery = keptQuery((db, { userId }: { userId: string }) =>
  db.selectFrom("users").select(["tier", "pro_until"]).where("id", "=", userId),
);
