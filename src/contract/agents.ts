import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { dateTime, PART_SIZE, text } from "./scalars.ts";

/** Proof of work that a registration has to bring (interface, "Challenge"). */
const challenge = z
  .object({
    challenge_id: z.string(),
    difficulty: z.int().meta({ description: "Leading zero bits that SHA-256 of `challenge_id:nonce` must have" }),
    expires_at: dateTime,
  })
  .meta({ id: "Challenge" });

/** What a registration answers (interface, "Agent key"). */
const agentKey = z
  .object({
    key: z.string().meta({ description: "The API key; shown once" }),
    owner_id: z.uuid(),
    key_prefix: z.string(),
    scope: z.enum(["files_write", "files_read", "full"]),
    tier: z.enum(["bootstrap", "premium"]),
    note: z.string(),
  })
  .meta({ id: "AgentKey" });

const tierLimits = z.object({
  fileBytes: z.int(),
  storageBytes: z.int(),
  storageMaxBytes: z.int(),
  files: z.int().meta({ description: "Files at once, uploads under way included" }),
  maxTtlSeconds: z.int(),
  defaultTtlSeconds: z.int().nullable().meta({ description: "null: files stay while the tier is active" }),
  requestsPerMinute: z.int(),
});

const trustLevel = z.object({ name: z.string(), description: z.string(), tier: z.string(), scope: z.string().nullable() });

/** What this server is and allows (decisions, "Addresses"). */
const capabilities = z
  .object({
    service: z.string(),
    version: z.string(),
    apiBaseUrl: z.url(),
    siteUrl: z.url(),
    mcpUrl: z.url(),
    guestMcpUrl: z.url(),
    limits: z.object({ anonymous: tierLimits, free: tierLimits, pro: tierLimits, bootstrapPoolBytes: z.int() }),
    features: z.record(z.string(), z.union([z.boolean(), z.string()])),
    trustLevels: z.array(trustLevel),
    rateLimits: z.record(z.string(), z.object({ limit: z.int(), windowSeconds: z.int(), enforced: z.boolean() })),
    partSizes: z.object({ directMaxBytes: z.int(), minBytes: z.int(), defaultBytes: z.int(), maxBytes: z.int(), maxParts: z.int() }),
    links: z.object({ llmsTxt: z.url(), openapi: z.url(), docs: z.url() }),
  })
  .meta({ id: "Capabilities" });
export type Capabilities = z.infer<typeof capabilities>;
/** Part sizes as capabilities tell them. */
export const partSizes = (directMaxBytes: number): Capabilities["partSizes"] => ({ directMaxBytes, ...PART_SIZE });

export const agentsContract = {
  getCapabilities: defineOperation({
    summary: "What this server is, allows and can do",
    tag: "Agents",
    method: "GET",
    path: "/agent/capabilities",
    access: "public",
    input: z.object({}),
    output: capabilities,
    errors: {},
  }),
  requestChallenge: defineOperation({
    summary: "Get a challenge for the registration of an agent",
    description: "Bound to the address that asks, and valid for five minutes. No body.",
    tag: "Agents",
    method: "POST",
    path: "/agent/register/challenge",
    access: "public",
    body: "query",
    input: z.object({}),
    output: challenge,
    errors: { 429: "Too many challenges for this address; see Retry-After" },
  }),
  registerAgent: defineOperation({
    summary: "Register an agent: proof of work for an API key",
    description:
      "Find a nonce for which SHA-256 of the text `challenge_id:nonce` has at least `difficulty` leading zero bits. The key is shown once. " +
      "A refusal names what is wrong in `error_code`: pow_required, invalid_challenge, expired_challenge, insufficient_work, pow_reused or ip_mismatch.",
    tag: "Agents",
    method: "POST",
    path: "/agent/register",
    access: "public",
    input: z.object({
      label: text(120).nullish().meta({ description: "What the key is called" }),
      challenge_id: text(200).optional().meta({ description: "Required: without it the answer is 400 `pow_required`", isNeeded: true }),
      nonce: text(200).optional().meta({ description: "Required: without it the answer is 400 `pow_required`", isNeeded: true }),
    }),
    output: agentKey,
    errors: { 400: "Proof of work missing or not valid", 429: "Too many registrations from this address; see Retry-After" },
  }),
} as const;
