import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, text } from "../../contract/scalars.ts";
import { accountOwner } from "../accounts/contract.ts";

/** accounts, "Profile". */
export const accountContract = {
  updateMe: defineOperation({
    summary: "Change the account's name or username",
    description: "Without a username, `username: null`, public shares become unlisted.",
    tag: "Accounts",
    method: "PATCH",
    path: "/me",
    access: "full",
    input: z.object({
      name: described(text(100).optional(), "The account's name", "Ada"),
      username: described(
        text(30).nullable().optional(),
        "The public name: 3 to 30 of a-z, 0-9, - and _; null removes it. Upper case is accepted and stored as lower case",
        "ada",
      ),
    }),
    example: { name: "Ada" },
    needsOneOf: ["name", "username"],
    envelope: "data",
    output: accountOwner.meta({ id: "Owner", description: "An account as its owner sees it" }),
    errors: {
      400: "The name or the username is not valid",
      409: "The username is taken or reserved",
      429: "Too many changes; see Retry-After",
    },
  }),
} as const;
