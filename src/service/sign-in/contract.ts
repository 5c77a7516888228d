import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, PASSWORD, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";

const ID = "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e";
const sessionId = described(text(64).min(1), "The session's ID, a UUID", ID);
const password = described(z.string().min(PASSWORD.minLength).max(PASSWORD.maxLength), "The password", "correct horse battery staple");

/** A password for comparison, of any length up to the maximum. */
const triedPassword = described(z.string().max(PASSWORD.maxLength), "The password", "correct horse battery staple");

export const address = described(z.email().max(254), "The account's email address", "ada@example.org");
export const linkToken = (example: string) => described(text(100).min(1), "The token of the link", example);
const anyCode = z.string().max(50);
const CODE = "The code that the authenticator app shows, or a recovery code";

/** A code of the second step (accounts, "Two-step sign-in"). */
export const code = described(anyCode, CODE, "492039");

export const TOO_MANY = "Too many attempts for this address or account; see Retry-After";

/** A new session (accounts, "Sessions"). */
export const startedSession = z
  .object({
    sessionToken: described(secret(z.string()), "Send it as `Authorization: Bearer`; shown once", "session_3kT9xQ2m8wVn"),
    expiresAt: described(dateTime, "When the session ends unless it is used before", "2030-03-01T12:00:00Z"),
    owner: described(
      z.object({
        id: described(z.string(), "The account's ID, a UUID", ID),
        name: described(z.string(), "The account's name", "Ada"),
        email: described(z.string(), "The account's email address", "ada@example.org"),
      }),
      "The account",
    ),
  })
  .meta({ id: "StartedSession", description: "A new session of an account" });

const session = z
  .object({
    id: sessionId,
    userAgent: described(z.string(), "The program that signed in, by its `User-Agent`", "Mozilla/5.0"),
    createdAt: described(dateTime, "When it began", "2030-01-30T12:00:00Z"),
    lastUsedAt: described(dateTime, "When it was last used, exact to an hour", "2030-01-30T12:00:00Z"),
    expiresAt: described(dateTime, "When it ends unless it is used before", "2030-03-01T12:00:00Z"),
    isCurrent: described(z.boolean(), "Whether this request was sent with it", true),
  })
  .meta({ id: "Session", description: "A session of an account, without its token" });

/** The proof of a session (accounts, "Proof"). */
export const proved = z.object({ provedUntil: described(dateTime, "Until when no other proof is needed", "2030-01-30T12:15:00Z") });

/** accounts, "Signing in" and "Sessions". */
export const signInContract = {
  signUp: defineOperation({
    summary: "Create an account and sign in",
    description: "The server's administrator may have closed sign-up, or ask for an invite.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-up",
    access: "public",
    input: () =>
      z.object({
        email: address,
        password,
        name: described(text(100).min(1), "The account's name, which recipients of its shares see; `PATCH /me` hides it", "Ada"),
        invite: described(text(100).nullish(), "The token of an invite", "invite_8wVn"),
      }),
    envelope: "data",
    output: () => startedSession,
    errors: {
      403: "Sign-up is closed, or the invite is not valid",
      409: "The address has an account, on a server that sends no mail or with an invite that was mailed to it",
      429: TOO_MANY,
    },
  }),
  signIn: defineOperation({
    summary: "Sign in",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-in",
    access: "public",
    input: () =>
      z.object({
        login: described(text(254).min(1), "The account's email address, username or ID", "ada@example.org"),
        password: triedPassword,
      }),
    envelope: "data",
    output: () => startedSession,
    errors: {
      401: "The account is unknown, disabled, has another password, or its address is not verified",
      403: "The password is right, and the account needs a code as well",
      429: TOO_MANY,
    },
  }),
  signInWithCode: defineOperation({
    summary: "Sign in with the code of the second step",
    description: "After signing in was refused with SECOND_FACTOR_REQUIRED, within 5 minutes.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-in/code",
    access: "public",
    input: () =>
      z.object({
        signInToken: described(text(100).min(1), "The token of that response", "signin_8wVn3kT9xQ2m"),
        code,
      }),
    envelope: "data",
    output: () => startedSession,
    errors: { 401: "The token has expired, was used, or the account has changed", 403: "The code is wrong or was used", 429: TOO_MANY },
  }),
  signOut: defineOperation({
    summary: "End the session of this request",
    description: "Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/sign-out",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.object({ id: sessionId }),
    errors: { 409: "The request was sent with a key" },
  }),
  changePassword: defineOperation({
    summary: "Change the password, or set the first one",
    description: "Ends all other sessions of the account. Without a password, the session needs a recent proof instead of the current one.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/password",
    access: "full",
    input: () =>
      z.object({
        currentPassword: described(
          triedPassword.nullish(),
          "The password until now; not for an account that has none",
          "correct horse battery staple",
        ),
        newPassword: password,
      }),
    envelope: "data",
    output: () => z.object({ endedSessions: described(z.int(), "Other sessions that were ended", 2) }),
    errors: {
      403: "The current password is wrong, or the account has none and the session has not proved itself within 15 minutes",
      409: "The request was sent with a key",
      429: TOO_MANY,
    },
  }),
  prove: defineOperation({
    summary: "Prove the password again",
    description: "What needs a proof is allowed to this session for 15 minutes.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/prove",
    access: "full",
    input: () => z.object({ password: triedPassword, code: described(anyCode.nullish(), CODE, "492039") }),
    envelope: "data",
    output: () => proved,
    errors: {
      403: "The password or the code is wrong, or the account needs a code as well",
      409: "The request was sent with a key",
      429: TOO_MANY,
    },
  }),
  requestPasswordReset: defineOperation({
    summary: "Mail a link that sets a new password",
    description: "The response is the same whether the address has an account or not.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/forgot",
    access: "public",
    input: () => z.object({ email: address }),
    envelope: "data",
    output: () => z.object({ email: address }),
    errors: { 409: "This server sends no mail", 429: TOO_MANY },
  }),
  resetPassword: defineOperation({
    summary: "Set a new password with the token of a link",
    description: "Ends all sessions of the account, and starts none.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/reset",
    access: "public",
    input: () => z.object({ token: linkToken("reset_8wVn"), newPassword: password }),
    envelope: "data",
    output: () => z.object({ endedSessions: described(z.int(), "Sessions that were ended", 2) }),
    errors: { 403: "The link was used or has expired" },
  }),
  verifyEmail: defineOperation({
    summary: "Verify the account's email address with the token of a link",
    description: "Needs a session of the account that the link was sent for: who reads the mail may be a stranger to it.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/verify",
    access: "full",
    input: () => z.object({ token: linkToken("verify_8wVn") }),
    envelope: "data",
    output: () => z.object({ email: described(z.string(), "The address that is verified now", "ada@example.org") }),
    errors: { 403: "The link was used, has expired, or is of another account" },
  }),
  resendVerification: defineOperation({
    summary: "Mail the link that verifies or proves the account's address again",
    description: "An earlier link ends. Send no body.",
    tag: "Accounts",
    method: "POST",
    path: "/auth/verify/resend",
    access: "full",
    body: "query",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.object({ email: described(z.string(), "Where it is mailed to", "ada@example.org") }),
    errors: { 409: "The address is already verified, or this server sends no mail", 429: TOO_MANY },
  }),
  listSessions: defineOperation({
    summary: "List the sessions of the account",
    tag: "Accounts",
    method: "GET",
    path: "/sessions",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(session),
    errors: {},
  }),
  revokeOtherSessions: defineOperation({
    summary: "End all other sessions of the account",
    description: "All but that of the request; with a key, all. They end with their next request.",
    tag: "Accounts",
    method: "DELETE",
    path: "/sessions",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.object({ endedSessions: described(z.int(), "Sessions that were ended", 2) }),
    errors: {},
  }),
  revokeSession: defineOperation({
    summary: "End a session",
    description: "It ends with its next request.",
    tag: "Accounts",
    method: "DELETE",
    path: "/sessions/{id}",
    access: "full",
    input: () => z.object({ id: sessionId }),
    envelope: "data",
    output: () => z.object({ id: sessionId }),
    errors: { 404: "Unknown, ended or not yours" },
  }),
} as const;
