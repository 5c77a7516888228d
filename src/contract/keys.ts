import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { listOf } from "./paging.ts";
import { dateTime, described, text } from "./scalars.ts";

const scope = described(z.enum(["files_read", "files_write", "full"]), "What the key may do", "full");
const keyId = described(text(64).min(1), "The key's id, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e");

/** A key as its owner sees it: never the key itself. */
const apiKey = z
  .object({
    id: keyId,
    prefix: described(z.string(), "The first characters of the key, to tell it by", "bc_3kT9xQ2m"),
    label: described(z.string().nullable(), "What it is for", "laptop"),
    scope,
    createdAt: described(dateTime, "When it was made", "2030-01-30T12:00:00Z"),
    lastUsedAt: described(dateTime.nullable(), "When it was used last; null: never", "2030-01-30T12:00:00Z"),
  })
  .meta({ id: "ApiKey", description: "A key as its owner sees it" });

const shownOnce = apiKey.extend({ key: described(z.string(), "The key itself; shown once", "bc_3kT9xQ2m_8wVn") });

const me = z
  .object({
    owner: described(
      z.object({
        id: described(z.string(), "The account's id, a UUID", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
        name: described(z.string(), "The account's name", "Ada"),
        email: described(z.string().nullable(), "Its mail address", "ada@example.org"),
        username: described(z.string().nullable(), "Its public name, which public shares need", "ada"),
        role: described(z.enum(["user", "admin", "agent"]), "A person, an administrator, or a registered agent", "user"),
      }),
      "Whose key this is",
    ),
    tier: described(z.enum(["free", "pro"]), "The account's tier", "free"),
    proUntil: described(dateTime.nullable(), "When Pro ends; null: it does not, or there is none"),
    scope,
    key: described(
      apiKey.extend({ tier: described(z.enum(["bootstrap", "free", "premium"]), "The key's tier; premium: its owner is Pro", "free") }),
      "The key that was sent",
    ),
    storage: described(
      z.object({
        usedBytes: described(z.int(), "Bytes that files use", 48_213),
        reservedBytes: described(z.int(), "Set aside for uploads under way", 0),
        includedBytes: described(z.int(), "Bytes that the tier includes", 10_737_418_240),
        allowedBytes: described(z.int(), "Bytes past which uploads are refused", 10_737_418_240),
        leftBytes: described(z.int(), "Bytes that are left of those", 10_737_370_027),
        isPastIncluded: described(z.boolean(), "Whether more is used than the tier includes", false),
        isShared: described(z.boolean(), "Whether other agents of the same address use the same storage", false),
      }),
      "Storage used, and what is left",
    ),
    limits: described(
      z.object({
        fileBytes: described(z.int(), "Largest file, bytes", 5_368_709_120),
        maxTtlSeconds: described(z.int(), "Longest chosen time to keep a file", 604_800),
        requestsPerMinute: described(z.int(), "Requests a minute", 100),
        importsPerHour: described(z.int().nullable(), "Imports an hour; null: no more than the requests"),
        importsLeft: described(z.int().nullable(), "What is left of those"),
        files: described(z.int(), "Files at once, uploads under way included", 100_000),
        filesLeft: described(z.int(), "What is left of those", 99_958),
        openUploads: described(z.int(), "Most uploads in parts at a time", 20),
        openUploadsLeft: described(z.int(), "What is left of those", 20),
      }),
      "The tier's limits, and what is left of them",
    ),
  })
  .meta({ id: "Me", description: "Whose key this is, and what is left of its limits" });

export const keysContract = {
  getMe: defineOperation({
    summary: "Whose key this is, and what is left of its limits",
    tag: "Keys",
    method: "GET",
    path: "/me",
    access: "files_read",
    input: z.object({}),
    output: z.object({ success: z.literal(true), data: me }),
    errors: {},
  }),
  listKeys: defineOperation({
    summary: "List the account's keys",
    tag: "Keys",
    method: "GET",
    path: "/keys",
    access: "full",
    input: z.object({}),
    output: listOf(apiKey),
    errors: {},
  }),
  createKey: defineOperation({
    summary: "Make a key",
    description: "It is shown once.",
    tag: "Keys",
    method: "POST",
    path: "/keys",
    access: "full",
    input: z.object({
      label: described(text(120).nullish(), "What it is for, to tell it from others", "laptop"),
      scope: described(scope.nullish(), "What it may do; full by default", "files_write"),
    }),
    example: { label: "laptop", scope: "files_write" },
    output: z.object({ success: z.literal(true), data: shownOnce }),
    errors: { 409: "The account has as many keys as it may" },
  }),
  revokeKey: defineOperation({
    summary: "Revoke a key",
    description: "It stops working with the next request.",
    tag: "Keys",
    method: "DELETE",
    path: "/keys/{id}",
    access: "full",
    input: z.object({ id: keyId }),
    output: z.object({ success: z.literal(true), data: z.object({ id: keyId }) }),
    errors: { 404: "Unknown, revoked or not yours" },
  }),
  rotateKey: defineOperation({
    summary: "Replace a key by a new one with the same rights",
    description: "The new one is shown once; the old one stops working with the next request. No body.",
    tag: "Keys",
    method: "POST",
    path: "/keys/{id}/rotate",
    access: "full",
    body: "query",
    input: z.object({ id: keyId }),
    output: z.object({ success: z.literal(true), data: shownOnce }),
    errors: { 404: "Unknown, revoked or not yours" },
  }),
} as const;
