import { z } from "zod";
import { defineOperation } from "../../contract/operation.ts";
import { described, PART_SIZE } from "../../contract/scalars.ts";
import { webUrl } from "../../contract/web-url.ts";

const check = z.object({
  ok: described(z.boolean(), "Whether it works", true),
  reason: described(z.string().optional(), "What is wrong, if it does not work"),
});

/** State of the server and its parts (addresses, "Health"). */
export const health = z
  .object({
    status: described(z.enum(["ok", "degraded"]), "degraded if a check fails", "ok"),
    version: described(z.string(), "Version of the server", "1.0.0"),
    uptimeSeconds: described(z.int(), "Seconds since the server started", 3600),
    checks: described(
      z.object({
        database: described(check, "The database"),
        storage: described(
          check.extend({
            unknownBlobs: described(z.int(), "Stored blobs that no file has, and unfinished uploads that no session has", 0),
            damagedFiles: described(z.int(), "Files whose stored bytes are not those that were received", 0),
          }),
          "The file store",
        ),
        scanner: described(
          check.extend({
            mode: described(z.enum(["off", "none", "clamd"]), "off: disabled; none: no clamd found; clamd: in use", "clamd"),
            version: described(z.string().optional(), "Version of the scanner", "ClamAV 1.4.2"),
            signatures: described(z.string().optional(), "Version of its signatures", "27500"),
            signaturesAgeSeconds: described(z.int().optional(), "Age of the signatures, seconds", 7200),
            selfTest: described(z.boolean().optional(), "Whether the scanner found the test pattern", true),
          }),
          "The malware scanner",
        ),
        clock: described(
          check.extend({
            doubt: described(
              z
                .object({
                  kind: described(
                    z.enum(["start", "jump", "differs"]),
                    "start: the server was stopped; jump: the clock was set while it ran; differs: another machine's clock differs",
                    "start",
                  ),
                  aheadSeconds: described(z.int(), "Seconds by which the clock is ahead; negative if it is behind", 3600),
                  until: described(
                    z.iso.datetime().nullable(),
                    "When the clock is trusted at the latest; null: when the clocks agree",
                    "2030-01-31T13:00:00.000Z",
                  ),
                })
                .optional(),
              "Why the clock is not trusted yet; absent if it is",
            ),
          }),
          "This server's clock. With a reason: what happens because a time has passed waits",
        ),
        jobs: described(
          check.extend({ waiting: described(z.int(), "Waiting jobs", 0), running: described(z.int(), "Running jobs", 0) }),
          "Background jobs",
        ),
      }),
      "The server's parts",
    ),
  })
  .meta({ id: "Health", description: "State of the server and its parts" });
export type Health = z.infer<typeof health>;

const tierLimits = z.object({
  fileBytes: described(z.int(), "Largest file, bytes", 5_368_709_120),
  storageBytes: described(z.int(), "Included storage, bytes", 10_737_418_240),
  storageMaxBytes: described(z.int(), "Storage above which uploads are rejected, bytes", 10_737_418_240),
  files: described(z.int(), "Largest number of files, including unfinished uploads", 100_000),
  maxTtlSeconds: described(z.int(), "Longest time to expiry that can be chosen, seconds", 604_800),
  defaultTtlSeconds: described(z.int().nullable(), "Default time to expiry, seconds; null: files stay while the tier is active", 604_800),
  requestsPerMinute: described(z.int(), "Requests a minute", 100),
});

const trustLevel = z.object({
  name: described(z.string(), "Name of the trust level", "agent"),
  description: described(z.string(), "Who has this level", "A registered agent, by proof of work."),
  tier: described(z.string(), "The tier whose limits apply", "free"),
  scope: described(z.string().nullable(), "The scope of its key; null: it has no key", "files_write"),
});

const rateLimit = z.object({
  limit: described(z.int(), "Most requests in the window", 100),
  windowSeconds: described(z.int(), "Length of the window, seconds", 60),
  enforced: described(z.boolean(), "Whether this server enforces the limit", true),
});

/** The server's limits, features and URLs (agents, "Capabilities"). */
const capabilities = z
  .object({
    service: described(z.string(), "Name of the software", "filehost"),
    version: described(z.string(), "Version of the software", "1.0.0"),
    apiBaseUrl: described(webUrl, "URL of the API", "https://files.example.org/api"),
    siteUrl: described(webUrl, "URL of the pages", "https://files.example.org"),
    mcpUrl: described(webUrl, "URL of the MCP endpoint, with OAuth or a key", "https://files.example.org/mcp"),
    guestMcpUrl: described(webUrl, "URL of the MCP endpoint without a key", "https://files.example.org/mcp/guest"),
    limits: described(
      z.object({
        anonymous: described(tierLimits, "Limits without a key"),
        free: described(tierLimits, "Limits of a free account and of an agent"),
        pro: described(tierLimits, "Limits of a Pro account"),
        bootstrapPoolBytes: described(z.int(), "Storage of all agents together, bytes", 107_374_182_400),
      }),
      "Limits of each tier",
    ),
    features: described(z.record(z.string(), z.union([z.boolean(), z.string()])), "Features of this server, by name", {
      anonymousUploads: true,
    }),
    trustLevels: described(z.array(trustLevel), "Kinds of callers, and their rights"),
    rateLimits: described(z.record(z.string(), rateLimit), "Rate limits, by name", {
      free: { limit: 100, windowSeconds: 60, enforced: true },
    }),
    partSizes: described(
      z.object({
        directMaxBytes: described(z.int(), "Largest file of POST /files/upload, bytes", 4_194_304),
        minBytes: described(z.int(), "Smallest part, except the last, bytes", 1_048_576),
        defaultBytes: described(z.int(), "Default size of a part, bytes", 16_777_216),
        maxBytes: described(z.int(), "Largest part that can be chosen, bytes", 67_108_864),
        maxParts: described(z.int(), "Most parts of one upload", 10_000),
      }),
      "Sizes of uploads in parts",
    ),
    links: described(
      z.object({
        llmsTxt: described(webUrl, "How to use this server, for agents", "https://files.example.org/llms.txt"),
        openapi: described(webUrl, "The description of the API", "https://files.example.org/agent-openapi.json"),
        docs: described(webUrl, "The API reference for people", "https://files.example.org/docs"),
      }),
      "Links to documentation",
    ),
  })
  .meta({ id: "Capabilities", description: "Limits and features of a server" });
export type Capabilities = z.infer<typeof capabilities>;

/** Returns the part sizes of the capabilities. */
export const partSizes = (directMaxBytes: number): Capabilities["partSizes"] => ({ directMaxBytes, ...PART_SIZE });

export const systemContract = {
  getCapabilities: defineOperation({
    summary: "Get the server's limits and features",
    tag: "Agents",
    method: "GET",
    isCompressed: true,
    path: "/agent/capabilities",
    access: "public",
    input: () => z.object({}),
    output: () => capabilities,
    errors: {},
  }),
  getHealth: defineOperation({
    summary: "Get the state of the server and its parts",
    tag: "System",
    method: "GET",
    path: "/health",
    access: "public",
    requests: 0,
    input: () => z.object({}),
    output: () => health,
    status: (output) => (output.status === "ok" ? 200 : 503),
    errors: { 503: "A part does not work; the body is the same, with `status` `degraded`" },
  }),
} as const;
