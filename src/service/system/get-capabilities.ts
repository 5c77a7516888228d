import { DEFAULT_RATES, type RateName } from "../../config/rates.ts";
import type { Tier } from "../../config/tiers.ts";
import type { Ctx } from "../../context.ts";
import { DIRECT_UPLOAD } from "../../contract/scalars.ts";
import { operationDefinitions } from "../contract.ts";
import type { Operation } from "../operation.ts";
import { type Capabilities, partSizes } from "./contract.ts";

/** `GET /agent/capabilities`: returns the capabilities, derived from the configuration and the contract. */
export const getCapabilities: Operation<"getCapabilities"> = async (ctx) => {
  const { siteUrl, apiUrl, mcpUrl } = ctx.urls;
  return {
    service: "filehost",
    version: ctx.version,
    apiBaseUrl: apiUrl,
    siteUrl,
    mcpUrl: `${mcpUrl}/mcp`,
    guestMcpUrl: `${mcpUrl}/mcp/guest`,
    limits: {
      anonymous: describeTier(ctx, "anonymous"),
      free: describeTier(ctx, "free"),
      pro: describeTier(ctx, "pro"),
      bootstrapPoolBytes: ctx.config.bootstrapPoolBytes,
    },
    features: describeFeatures(ctx),
    trustLevels: TRUST_LEVELS,
    rateLimits: describeRates(ctx),
    partSizes: partSizes(DIRECT_UPLOAD.maxFileBytes),
    links: { llmsTxt: `${siteUrl}/llms.txt`, openapi: `${siteUrl}/agent-openapi.json`, docs: `${siteUrl}/docs` },
  };
};

function describeTier(ctx: Ctx, tier: Tier): Capabilities["limits"]["free"] {
  const { fileBytes, storageBytes, storageMaxBytes, files, retentionMs } = ctx.config.tiers[tier];
  const maxTtlSeconds = retentionMs / 1000;
  return {
    fileBytes,
    storageBytes,
    storageMaxBytes,
    files,
    maxTtlSeconds,
    defaultTtlSeconds: tier === "pro" ? null : maxTtlSeconds,
    requestsPerMinute: ctx.config.rates[tier].limit,
  };
}

/** Returns the features that the contract has operations for or the configuration enables. */
function describeFeatures(ctx: Ctx): Capabilities["features"] {
  const paths = new Set(operationDefinitions.map(([, { path }]) => path));
  return {
    anonymousUploads: ctx.config.anonymousUploads,
    encryptedFiles: ctx.config.acceptsEncrypted,
    multipartUploads: paths.has("/files/multipart/init"),
    agentRegistration: paths.has("/agent/register"),
    remoteImport: paths.has("/files/remote-upload"),
    uploadDelegations: paths.has("/files/upload-delegations"),
    shipments: paths.has("/files/share/{shortId}/archive"),
    linkProtection: paths.has("/downloads/unlock"),
    folders: paths.has("/folders"),
    webhooks: paths.has("/webhooks"),
    pricedShares: ctx.config.payments !== undefined,
    mcp: true,
    malwareScan: ctx.scanner.mode === "clamd",
    scanner: ctx.scanner.mode,
  };
}

const TRUST_LEVELS: Capabilities["trustLevels"] = [
  {
    name: "anonymous",
    description: "No key. Uploads return one-time tokens to claim, protect or delete them.",
    tier: "anonymous",
    scope: null,
  },
  {
    name: "bootstrap",
    description: "An agent that registered itself by proof of work. Agents registered from one IP address share one quota.",
    tier: "free",
    scope: "files_write",
  },
  { name: "free", description: "A person's account.", tier: "free", scope: "full" },
  { name: "premium", description: "An account with Pro.", tier: "pro", scope: "full" },
];

function describeRates(ctx: Ctx): Capabilities["rateLimits"] {
  const isGeneral = (name: string): boolean => ["anonymous", "free", "pro", "mcpGuests", "oauthRequests"].includes(name);
  return Object.fromEntries(
    (Object.keys(DEFAULT_RATES) as RateName[]).map((name) => {
      const { limit, windowMs } = ctx.config.rates[name];
      return [name, { limit, windowSeconds: windowMs / 1000, enforced: !isGeneral(name) || ctx.config.limitsGeneralRate }];
    }),
  );
}
