import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described } from "../../contract/scalars.ts";
import { address, linkToken, TOO_MANY } from "./contract.ts";

const accountEmail = z
  .object({
    email: described(z.string(), "The account's email address", "ada@example.org"),
    isProved: described(z.boolean(), "Whether its owner has proved that it is theirs; a verified address may not be", true),
    pending: described(
      z
        .object({
          email: described(z.string(), "The new address, which a link was mailed to", "lovelace@example.org"),
          expiresAt: described(dateTime, "Until when the link works", "2030-01-31T12:00:00Z"),
        })
        .nullable(),
      "The change that waits for its confirmation",
    ),
  })
  .meta({ id: "AccountEmail", description: "The email address of an account" });

const KEY = "the request was sent with a key";

/** sign in, "Changing the email address". */
export const emailContract = {
  getEmail: defineOperation({
    summary: "Get the account's email address and its pending change",
    tag: "Accounts",
    method: "GET",
    path: "/auth/email",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => accountEmail,
    errors: {},
  }),
  changeEmail: defineOperation({
    summary: "Change the account's email address",
    description:
      "Mails a link to the new address, which changes it; the response does not tell whether an account has it. Replaces an earlier change. " +
      "On a server that sends no mail the address changes immediately.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/email",
    access: "full",
    input: () => z.object({ newEmail: address }),
    envelope: "data",
    output: () => accountEmail,
    errors: {
      403: "The session has not proved its password within 15 minutes, or the request was sent with a key",
      409: "It is the account's address; or, without mail, another account has it",
      429: TOO_MANY,
    },
  }),
  confirmEmail: defineOperation({
    summary: "Confirm the new email address with the token of a link",
    description: "Needs a session of the account that asked for the change.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/email/confirm",
    access: "full",
    input: () => z.object({ token: linkToken("email_8wVn") }),
    envelope: "data",
    output: () => accountEmail,
    errors: {
      403: "The link was used, has expired, or is of another account",
      409: `Another account has the address by now, or ${KEY}`,
    },
  }),
  cancelEmailChange: defineOperation({
    summary: "Cancel the pending change of the email address",
    tag: "Accounts",
    method: "DELETE",
    path: "/auth/email",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => accountEmail,
    errors: { 409: "No change is pending" },
  }),
} as const;
