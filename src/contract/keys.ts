import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { listOf } from "./paging.ts";
import { dateTime, text } from "./scalars.ts";

const scope = z.enum(["files_read", "files_write", "full"]);
const keyId = text(64).min(1).meta({ description: "The key's id, a UUID" });

/** A key as its owner sees it: never the key itself. */
const apiKey = z
  .object({
    id: z.string(),
    prefix: z.string(),
    label: z.string().nullable(),
    scope,
    createdAt: dateTime,
    lastUsedAt: dateTime.nullable(),
  })
  .meta({ id: "ApiKey" });

const shownOnce = apiKey.extend({ key: z.string().meta({ description: "The key itself; shown once" }) });

const me = z
  .object({
    owner: z.object({
      id: z.string(),
      name: z.string(),
      email: z.string().nullable(),
      username: z.string().nullable(),
      role: z.enum(["user", "admin", "agent"]),
    }),
    tier: z.enum(["free", "pro"]),
    proUntil: dateTime.nullable(),
    scope,
    key: apiKey.extend({ tier: z.enum(["bootstrap", "free", "premium"]) }),
    storage: z.object({
      usedBytes: z.int(),
      reservedBytes: z.int().meta({ description: "Set aside for uploads under way" }),
      includedBytes: z.int(),
      allowedBytes: z.int(),
      leftBytes: z.int(),
      isPastIncluded: z.boolean(),
      isShared: z.boolean().meta({ description: "Whether other agents of the same address use the same storage" }),
    }),
    limits: z.object({
      fileBytes: z.int(),
      maxTtlSeconds: z.int(),
      requestsPerMinute: z.int(),
      importsPerHour: z.int().nullable().meta({ description: "null: no more than the requests" }),
      importsLeft: z.int().nullable(),
      files: z.int().meta({ description: "Files at once, uploads under way included" }),
      filesLeft: z.int(),
      openUploads: z.int(),
      openUploadsLeft: z.int(),
    }),
  })
  .meta({ id: "Me" });

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
      label: text(120).nullish().meta({ description: "What it is for, to tell it from others" }),
      scope: scope.nullish().meta({ description: "What it may do; full by default" }),
    }),
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
    output: z.object({ success: z.literal(true), data: z.object({ id: z.string() }) }),
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
