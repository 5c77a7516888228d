import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { limit, listOf } from "../../contract/paging.ts";
import { dateTime, described, emailVerified, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const TIME = "2030-01-30T12:00:00Z";

/** Filters of the list of accounts. */
export const USER_FILTERS = ["people", "administrators", "agents", "disabled"] as const;

const userId = described(text(254).min(1), "The account's ID, a UUID", ID);
const version = described(
  z.int().optional(),
  "The account's `version` as the caller knows it; 412 if it is another one now. Default: change it anyway",
  171_832_944_101_562,
);
const tier = z.enum(["free", "pro"]);
const role = z.enum(["user", "admin"]);
const until = text(40).min(1).nullish();
const username = text(30, "give 3 to 30 of a-z, 0-9, - and _").min(1).nullish();
const UNTIL = "When Pro ends: a date, a time, or a duration from now such as 30d; null: never";

const user = z.object({
  id: userId,
  email: described(z.string(), "The account's email address", "ada@example.org"),
  emailVerified,
  name: described(z.string(), "The account's name", "Ada"),
  username: described(z.string().nullable(), "The public name", "ada"),
  role: described(z.enum(["user", "admin", "agent"]), "A person, an administrator, or a registered agent", "user"),
  tier: described(tier, "The current tier", "free"),
  proUntil: described(dateTime.nullable(), "When Pro ends; null: never, or the tier is not pro"),
  disabledAt: described(dateTime.nullable(), "When the account was disabled; null: it is not"),
  createdAt: described(dateTime, "When the account was created", TIME),
  version: described(z.int(), "Differs for another tier, role, username, or state of being disabled", 171_832_944_101_562),
});

const listedUser = user
  .extend({ usedBytes: described(z.int(), "Bytes that its files use", 48_213) })
  .meta({ id: "ListedUser", description: "An account in the administrator's list" });

const userDetails = user
  .extend({
    storage: described(
      z.object({
        usedBytes: described(z.int(), "Bytes that its files use", 48_213),
        allowedBytes: described(z.int(), "Bytes above which its uploads are rejected", 10_737_418_240),
        files: described(z.int(), "Its files, including unfinished uploads", 12),
      }),
      "Its storage",
    ),
    shares: described(z.int(), "Its active shares", 9),
    webhooks: described(z.int(), "Its webhook endpoints", 1),
    sessions: described(
      z.array(
        z.object({
          id: described(z.string(), "The session's ID", ID),
          userAgent: described(z.string(), "The program that signed in, by its `User-Agent`", "Mozilla/5.0"),
          createdAt: described(dateTime, "When it began", TIME),
          lastUsedAt: described(dateTime, "When it was last used, exact to an hour", TIME),
        }),
      ),
      "Its sessions, the last used first",
    ),
    hasTwoFactor: described(z.boolean(), "Whether signing in with the password needs a code", false),
    keys: described(
      z.array(
        z.object({
          id: described(z.string(), "The key's ID", ID),
          prefix: described(z.string(), "The first characters of the key", "bc_3kT9xQ2m"),
          label: described(z.string().nullable(), "What the key is used for", "laptop"),
          scope: described(z.enum(["files_read", "files_write", "full"]), "What the key can do", "full"),
          isAdminKey: described(z.boolean(), "Whether it may administer the server", false),
          createdAt: described(dateTime, "When it was created", TIME),
          lastUsedAt: described(dateTime.nullable(), "When it was last used; null: never"),
        }),
      ),
      "Its keys that are not revoked",
    ),
  })
  .meta({ id: "UserDetails", description: "An account as an administrator sees it" });

const UNKNOWN = "There is no such account";

/** administration, "Accounts". */
export const usersContract = {
  searchUsers: defineOperation({
    summary: "List the accounts",
    description: "Newest first; of a search, those with a verified address first.",
    tag: "Administration",
    method: "GET",
    path: "/admin/users",
    access: "admin",
    isCompressed: true,
    input: () =>
      z.object({
        search: described(text(254).optional(), "Part of an email address, a name or a username, or an ID", "ada"),
        filter: described(
          z.enum(USER_FILTERS).optional(),
          "Which accounts: people and administrators, only administrators, registered agents, or disabled accounts; default: all",
          "people",
        ),
        limit: limit("Items on a page: 1 to 200; default: 50"),
        cursor: described(text(64).min(1).optional(), "The `nextCursor` of the previous page", ID),
      }),
    output: () =>
      listOf(listedUser).extend({
        nextCursor: described(z.string().nullable(), "Cursor of the next page; null: this is the last page"),
      }),
    errors: {},
  }),
  addUser: defineOperation({
    summary: "Create an account",
    description: "It has no password yet. Create an invite to let a person choose their own.",
    tag: "Administration",
    method: "POST",
    path: "/admin/users",
    access: "admin",
    input: () =>
      z.object({
        email: described(text(254).min(1), "The email address, unique on this server", "ada@example.org"),
        name: described(text(100).min(1), "The account's name", "Ada"),
        username: described(username, "The public name: 3 to 30 of a-z, 0-9, - and _", "ada"),
        tier: described(tier.optional(), "The tier; default: free", "free"),
        proEnd: described(until, UNTIL),
        role: described(role.optional(), "admin: an administrator; default: user", "user"),
      }),
    example: { email: "ada@example.org", name: "Ada" },
    envelope: "data",
    output: () => user,
    errors: { 400: "A field is not valid", 409: "The address or the username is taken" },
  }),
  getUserDetails: defineOperation({
    summary: "Get an account with its usage, sessions and keys",
    tag: "Administration",
    method: "GET",
    path: "/admin/users/{id}",
    access: "admin",
    input: () => z.object({ id: userId }),
    envelope: "data",
    output: () => userDetails,
    errors: { 404: UNKNOWN },
  }),
  changeUser: defineOperation({
    summary: "Change an account",
    description:
      "Its tier, role, username, or whether it is disabled. An account that is no longer an administrator's loses its keys that may administer.",
    tag: "Administration",
    method: "PATCH",
    path: "/admin/users/{id}",
    access: "admin",
    input: () =>
      z.object({
        id: userId,
        version,
        tier: described(tier.optional(), "The tier", "pro"),
        proEnd: described(until, `${UNTIL}. Only together with the tier pro`),
        role: described(role.optional(), "admin: an administrator", "user"),
        username: described(username, "The public name; null removes it and unlists public shares", "ada"),
        isDisabled: described(z.boolean().optional(), "Whether the account is disabled", false),
      }),
    example: { id: ID, tier: "pro", proEnd: "30d" },
    needsOneOf: ["tier", "role", "username", "isDisabled"],
    envelope: "data",
    output: () => user,
    errors: {
      400: "A field is not valid",
      404: UNKNOWN,
      409: "It is the last administrator's account, or the username is taken",
      412: "It was changed since `version`",
    },
  }),
  deleteUser: defineOperation({
    summary: "Delete an account with its files",
    description:
      "As `DELETE /me` deletes the caller's: links, keys, sessions and webhooks stop working immediately; its files are then removed. " +
      "This cannot be undone.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/users/{id}",
    access: "admin",
    body: "json",
    input: () => z.object({ id: userId, confirm: described(text(254), "The account's email address", "ada@example.org") }),
    envelope: "data",
    output: () => z.object({ id: userId }),
    errors: { 400: "`confirm` is not the account's address", 404: UNKNOWN, 409: "It is the only administrator's account" },
  }),
  signOutUser: defineOperation({
    summary: "Sign an account out everywhere",
    description: "Ends all its sessions; its keys stay.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/users/{id}/sessions",
    access: "admin",
    input: () => z.object({ id: userId }),
    envelope: "data",
    output: () => z.object({ endedSessions: described(z.int(), "Sessions that were ended", 2) }),
    errors: { 404: UNKNOWN },
  }),
  resetUserTwoFactor: defineOperation({
    summary: "Turn an account's two-step sign-in off",
    description: "For a person who lost the app and the recovery codes: from then on the password alone signs in. Sessions and keys stay.",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/users/{id}/two-factor",
    access: "admin",
    input: () => z.object({ id: userId }),
    envelope: "data",
    output: () => z.object({ id: userId, email: described(z.string(), "The account's email address", "ada@example.org") }),
    errors: { 404: UNKNOWN, 409: "It is off" },
  }),
  createUserResetLink: defineOperation({
    summary: "Create a link with which a person sets their password",
    description: "The link is shown once, works once and for 24 hours. Send no body.",
    tag: "Administration",
    method: "POST",
    path: "/admin/users/{id}/reset-link",
    access: "admin",
    body: "query",
    input: () => z.object({ id: userId }),
    envelope: "data",
    output: () =>
      z.object({
        url: described(secret(z.string()), "The link; shown once", "https://files.example.org/reset/reset_8wVn"),
        expiresAt: described(dateTime, "Until when it can be used", TIME),
      }),
    errors: { 404: UNKNOWN },
  }),
  revokeUserKey: defineOperation({
    summary: "Revoke a key of any account",
    tag: "Administration",
    method: "DELETE",
    path: "/admin/keys/{id}",
    access: "admin",
    input: () => z.object({ id: described(text(64).min(1), "The key's ID or prefix", ID) }),
    envelope: "data",
    output: () => z.object({ id: described(z.string(), "The key's ID", ID) }),
    errors: { 404: "There is no such key" },
  }),
} as const;
