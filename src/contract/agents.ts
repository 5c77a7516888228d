import { z } from "zod";
import { defineOperation } from "./operation.ts";
import { dateTime, described, PART_SIZE, text } from "./scalars.ts";

/** Proof of work that a registration has to bring (interface, "Challenge"). */
const challenge = z
  .object({
    challenge_id: described(z.string(), "Names the challenge", "ch_9pL2vR"),
    difficulty: described(z.int(), "Leading zero bits that SHA-256 of `challenge_id:nonce` must have", 18),
    expires_at: described(dateTime, "Until when it may be used", "2030-01-30T12:05:00Z"),
  })
  .meta({ id: "Challenge", description: "Proof of work that a registration has to bring" });

/** What a registration answers (interface, "Agent key"). */
const agentKey = z
  .object({
    key: described(z.string(), "The API key; shown once", "bc_3kT9xQ2m_8wVn"),
    owner_id: described(z.uuid(), "The agent's account", "0198c1f0-6d2e-7c3a-9b1f-2f4a5b6c7d8e"),
    key_prefix: described(z.string(), "The first characters of the key, to tell it by", "bc_3kT9xQ2m"),
    scope: described(z.enum(["files_write", "files_read", "full"]), "What the key may do", "files_write"),
    tier: described(z.enum(["bootstrap", "premium"]), "The key's tier", "bootstrap"),
    note: described(z.string(), "What to do with it, in words", "Keep the key: it is shown this once."),
  })
  .meta({ id: "AgentKey", description: "The key of an agent that has registered" });

const tierLimits = z.object({
  fileBytes: described(z.int(), "Largest file, bytes", 5_368_709_120),
  storageBytes: described(z.int(), "Storage that is included, bytes", 10_737_418_240),
  storageMaxBytes: described(z.int(), "Storage past which uploads are refused, bytes", 10_737_418_240),
  files: described(z.int(), "Files at once, uploads under way included", 100_000),
  maxTtlSeconds: described(z.int(), "Longest chosen time to keep a file", 604_800),
  defaultTtlSeconds: described(
    z.int().nullable(),
    "How long files are kept without a choice; null: they stay while the tier is active",
    604_800,
  ),
  requestsPerMinute: described(z.int(), "Requests a minute", 100),
});

const trustLevel = z.object({
  name: described(z.string(), "Name of the level", "agent"),
  description: described(z.string(), "Who has it, and how", "A registered agent, by proof of work."),
  tier: described(z.string(), "Whose limits hold", "free"),
  scope: described(z.string().nullable(), "What its key may do; null: there is no key", "files_write"),
});

const rateLimit = z.object({
  limit: described(z.int(), "How many there may be", 100),
  windowSeconds: described(z.int(), "In how many seconds", 60),
  enforced: described(z.boolean(), "Whether it holds on this server", true),
});

/** What this server is and allows (decisions, "Addresses"). */
const capabilities = z
  .object({
    service: described(z.string(), "Name of the software", "filehost"),
    version: described(z.string(), "Its version", "1.0.0"),
    apiBaseUrl: described(z.url(), "Where the API is", "https://files.example.org/api"),
    siteUrl: described(z.url(), "Where the pages are", "https://files.example.org"),
    mcpUrl: described(
      z.url().optional(),
      "Where MCP is, with a sign-in or a key; absent where `features.mcp` is false",
      "https://files.example.org/mcp",
    ),
    guestMcpUrl: described(
      z.url().optional(),
      "Where MCP is, without a key; absent where `features.mcp` is false",
      "https://files.example.org/mcp/guest",
    ),
    limits: described(
      z.object({
        anonymous: described(tierLimits, "Without a key"),
        free: described(tierLimits, "Of a free account, and of an agent"),
        pro: described(tierLimits, "Of a Pro account"),
        bootstrapPoolBytes: described(z.int(), "Storage of all agents together, bytes", 107_374_182_400),
      }),
      "What each tier has",
    ),
    features: described(z.record(z.string(), z.union([z.boolean(), z.string()])), "What this server can do, by name", {
      anonymousUploads: true,
    }),
    trustLevels: described(z.array(trustLevel), "Who may do what"),
    rateLimits: described(z.record(z.string(), rateLimit), "How often things may be done, by name", {
      free: { limit: 100, windowSeconds: 60, enforced: true },
    }),
    partSizes: described(
      z.object({
        directMaxBytes: described(z.int(), "Largest file of POST /files/upload", 4_194_304),
        minBytes: described(z.int(), "Smallest part but the last", 1_048_576),
        defaultBytes: described(z.int(), "Bytes of a part without a choice", 16_777_216),
        maxBytes: described(z.int(), "Largest part that can be chosen", 67_108_864),
        maxParts: described(z.int(), "Most parts of one upload", 10_000),
      }),
      "Sizes of uploads in parts",
    ),
    links: described(
      z.object({
        llmsTxt: described(z.url(), "How to use this server, for agents", "https://files.example.org/llms.txt"),
        openapi: described(z.url(), "The description of the API", "https://files.example.org/agent-openapi.json"),
        docs: described(z.url(), "The same for people", "https://files.example.org/llms.txt"),
      }),
      "Where more is said",
    ),
  })
  .meta({ id: "Capabilities", description: "What this server is, allows and can do" });
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
      label: described(text(120).nullish(), "What the key is called", "my agent"),
      challenge_id: text(200)
        .optional()
        .meta({ description: "Required: without it the answer is 400 `pow_required`", isNeeded: true, examples: ["ch_9pL2vR"] }),
      nonce: text(200)
        .optional()
        .meta({ description: "Required: without it the answer is 400 `pow_required`", isNeeded: true, examples: ["183042"] }),
    }),
    example: { label: "my agent", challenge_id: "ch_9pL2vR", nonce: "183042" },
    output: agentKey,
    errors: { 400: "Proof of work missing or not valid", 429: "Too many registrations from this address; see Retry-After" },
  }),
} as const;
