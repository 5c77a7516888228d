import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { dateTime, described, text } from "../../contract/scalars.ts";
import { secret } from "../../contract/secret.ts";

const scope = described(z.enum(["files_read", "files_write", "full"]), "What the key can do", "full");
const keyId = described(text(64).min(1), "The key's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");

/** A key as its owner sees it, without its secret. */
const apiKey = z
  .object({
    id: keyId,
    prefix: described(z.string(), "The first characters of the key, to identify it", "bc_3kT9xQ2m"),
    label: described(z.string().nullable(), "What the key is used for", "laptop"),
    scope,
    createdAt: described(dateTime, "When it was created", "2030-01-30T12:00:00Z"),
    lastUsedAt: described(dateTime.nullable(), "When it was last used; null: never", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "ApiKey", description: "A key as its owner sees it" });

const shownOnce = apiKey.extend({ key: described(secret(z.string()), "The key; shown once", "bc_3kT9xQ2m_8wVn") });

/** An account as its owner sees it. */
export const accountOwner = z.object({
  id: described(z.string(), "The account's ID, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
  name: described(z.string(), "The account's name", "Ada"),
  showName: described(z.boolean(), "Whether recipients of the account's shares see its name", true),
  email: described(z.string().nullable(), "The account's email address", "ada@example.org"),
  emailVerified: described(
    z.boolean(),
    "Whether the address was verified; where mail is set, other accounts have the limits of anonymous callers",
    true,
  ),
  username: described(z.string().nullable(), "The account's public name, which public shares require", "ada"),
  role: described(z.enum(["user", "admin", "agent"]), "A person, an administrator, or a registered agent", "user"),
});

const me = z
  .object({
    owner: described(accountOwner, "The account of the key"),
    tier: described(
      z.enum(["anonymous", "free", "pro"]),
      "The tier whose limits apply: `anonymous` until the email address is verified",
      "free",
    ),
    proUntil: described(dateTime.nullable(), "When Pro ends; null: never, or the tier is not pro"),
    scope,
    key: described(
      apiKey
        .extend({ tier: described(z.enum(["bootstrap", "free", "premium"]), "The key's tier; premium: the owner has Pro", "free") })
        .nullable(),
      "The key that was sent; null: a session",
    ),
    storage: described(
      z.object({
        usedBytes: described(z.int(), "Bytes that files use", 48_213),
        reservedBytes: described(z.int(), "Bytes reserved for unfinished uploads", 0),
        includedBytes: described(z.int(), "Bytes that the tier includes", 10_737_418_240),
        allowedBytes: described(z.int(), "Bytes above which uploads are rejected", 10_737_418_240),
        leftBytes: described(z.int(), "Bytes left of allowedBytes", 10_737_370_027),
        isPastIncluded: described(z.boolean(), "Whether usage exceeds includedBytes", false),
        isShared: described(z.boolean(), "Whether other agents from the same IP address share this storage", false),
      }),
      "Storage used, and what is left",
    ),
    limits: described(
      z.object({
        fileBytes: described(z.int(), "Largest file, bytes", 5_368_709_120),
        maxTtlSeconds: described(z.int(), "Longest time to expiry that can be chosen, seconds", 604_800),
        requestsPerMinute: described(z.int(), "Requests a minute", 100),
        importsPerHour: described(z.int().nullable(), "Imports an hour; null: only limited by the request rate"),
        importsLeft: described(z.int().nullable(), "Imports left in this hour"),
        files: described(z.int(), "Largest number of files, including unfinished uploads", 100_000),
        filesLeft: described(z.int(), "Files left of files", 99_958),
        openUploads: described(z.int(), "Largest number of open uploads in parts", 20),
        openUploadsLeft: described(z.int(), "Uploads left of openUploads", 20),
      }),
      "The tier's limits and what is left",
    ),
  })
  .meta({ id: "Me", description: "The account of a key, its limits and its usage" });

export const keysContract = {
  getMe: defineOperation({
    summary: "Get the account of the key, its limits and its usage",
    tag: "Keys",
    method: "GET",
    path: "/me",
    access: "files_read",
    input: () => z.object({}),
    envelope: "data",
    output: () => me,
    errors: {},
  }),
  listKeys: defineOperation({
    summary: "List the account's keys",
    tag: "Keys",
    method: "GET",
    path: "/keys",
    access: "full",
    input: () => z.object({}),
    envelope: "data",
    output: () => z.array(apiKey),
    errors: {},
  }),
  createKey: defineOperation({
    summary: "Create a key",
    description: "The key is shown once.",
    tag: "Keys",
    method: "POST",
    path: "/keys",
    access: "full",
    requires: ["verified", "proof"],
    input: () =>
      z.object({
        label: described(text(120).nullish(), "What the key is used for", "laptop"),
        scope: described(scope.nullish(), "What the key can do; default: full", "files_write"),
      }),
    example: { label: "laptop", scope: "files_write" },
    envelope: "data",
    output: () => shownOnce,
    errors: { 409: "The account has the largest number of keys" },
  }),
  revokeKey: defineOperation({
    summary: "Revoke a key",
    description: "The key stops working with the next request.",
    tag: "Keys",
    method: "DELETE",
    path: "/keys/{id}",
    access: "full",
    input: () => z.object({ id: keyId }),
    envelope: "data",
    output: () => z.object({ id: keyId }),
    errors: { 404: "Unknown, revoked or not yours" },
  }),
  rotateKey: defineOperation({
    summary: "Replace a key with a new one with the same scope",
    description: "The new key is shown once; the old key stops working with the next request. Send no body.",
    tag: "Keys",
    method: "POST",
    path: "/keys/{id}/rotate",
    access: "full",
    requires: ["proof"],
    body: "query",
    input: () => z.object({ id: keyId }),
    envelope: "data",
    output: () => shownOnce,
    errors: { 404: "Unknown, revoked or not yours" },
  }),
} as const;

/** The proof of work that a registration requires (agents, "Challenge"). */
const challenge = z
  .object({
    challenge_id: described(secret(z.string()), "Identifies the challenge", "ch_9pL2vR"),
    difficulty: described(z.int(), "Leading zero bits that SHA-256 of `challenge_id:nonce` must have", 18),
    expires_at: described(dateTime, "When the challenge expires", "2030-01-30T12:05:00Z"),
  })
  .meta({ id: "Challenge", description: "Proof of work that a registration requires" });

/** The response to a registration (agents, "Registration"). */
const agentKey = z
  .object({
    key: described(secret(z.string()), "The API key; shown once", "bc_3kT9xQ2m_8wVn"),
    owner_id: described(z.uuid(), "The agent's account", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
    key_prefix: described(z.string(), "The first characters of the key, to identify it", "bc_3kT9xQ2m"),
    scope: described(z.enum(["files_write", "files_read", "full"]), "What the key can do", "files_write"),
    tier: described(z.enum(["bootstrap", "premium"]), "The key's tier", "bootstrap"),
    note: described(z.string(), "What to do with the key", "Save this key: it is shown once."),
  })
  .meta({ id: "AgentKey", description: "The key of a registered agent" });

export const agentsContract = {
  requestChallenge: defineOperation({
    summary: "Request a challenge to register an agent",
    description: "The challenge is bound to the caller's IP address and valid for five minutes. Send no body.",
    tag: "Agents",
    method: "POST",
    path: "/agent/register/challenge",
    access: "public",
    body: "query",
    input: () => z.object({}),
    output: () => challenge,
    errors: { 429: "Too many challenges for this IP address; see Retry-After" },
  }),
  registerAgent: defineOperation({
    summary: "Register an agent with a proof of work",
    description:
      "Find a nonce for which SHA-256 of the text `challenge_id:nonce` has at least `difficulty` leading zero bits. The key is shown once. " +
      "On an error, `error_code` is pow_required, invalid_challenge, expired_challenge, insufficient_work, pow_reused or ip_mismatch.",
    tag: "Agents",
    method: "POST",
    path: "/agent/register",
    access: "public",
    input: () =>
      z.object({
        label: described(text(120).nullish(), "The key's label", "my agent"),
        challenge_id: text(200)
          .optional()
          .meta({ description: "Required; without it, the response is 400 `pow_required`", isNeeded: true, examples: ["ch_9pL2vR"] }),
        nonce: text(200)
          .optional()
          .meta({ description: "Required; without it, the response is 400 `pow_required`", isNeeded: true, examples: ["183042"] }),
      }),
    example: { label: "my agent", challenge_id: "ch_9pL2vR", nonce: "183042" },
    output: () => agentKey,
    errors: { 400: "Proof of work missing or not valid", 429: "Too many registrations from this IP address; see Retry-After" },
  }),
} as const;
