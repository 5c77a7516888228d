import type { PublishInput } from "../contract/publish.ts";
import { AppError } from "../errors.ts";
import type { Actor } from "./actor.ts";
import { toRelativePath } from "./filename.ts";
import type { TierLimits } from "./tiers.ts";
import { describeDuration, MIN_TTL_MS, parseTtl } from "./ttl.ts";

/** How a share will be published: the sent fields, checked and with their defaults. */
export interface PublishSettings {
  readonly visibility: "unlisted" | "public";
  readonly retention: "ttl" | "forever";
  /** Milliseconds since 1970; null where the share stays. */
  readonly expiresAtMs: number | null;
  /** Whether the caller chose the expiry; a claim keeps a chosen one. */
  readonly expiryChosen: boolean;
  readonly once: boolean;
  readonly maxDownloads: number | null;
  readonly direct: boolean;
  /** Null where the share stays as protected as it is. */
  readonly protect: boolean | null;
  readonly handoffMessage: string | null;
  /** `own`: a share of its own; `open`: a new shipment; otherwise the shipment that it joins, whose settings hold. */
  readonly shipment: "own" | "open" | { readonly shortId: string };
  readonly runId: string | null;
  readonly folderId: string | null;
  readonly relativePath: string | null;
}

export interface PublishRules {
  readonly actor: Actor;
  readonly limits: TierLimits;
  readonly nowMs: number;
  /** An expiry that was long enough when the upload began; how long the bytes took does not make it wrong. */
  readonly acceptedExpiresAt?: string | null;
  /** The shortest time from now, that of an upload by default. */
  readonly minTtlMs?: number;
  /** What the caller knows `ttl` as, `ttl` itself by default. */
  readonly ttlField?: "extendTtl";
}

/**
 * Checks publish fields against each other and the caller's tier (interface, "Publish fields"; decisions, "Expiry and removal").
 * Throws PRO_REQUIRED, USERNAME_REQUIRED, EXPIRY_TOO_LONG, VALIDATION_FAILED or UNAUTHENTICATED.
 */
export function resolvePublish(input: PublishInput, rules: PublishRules): PublishSettings {
  checkRights(input, rules.actor);
  if (input.openShare && input.shareShortId)
    throw invalid("shareShortId", "Send openShare to begin a shipment, or shareShortId to join one, not both.");
  if (input.shareShortId) return { ...resolveOwn(onlyOfFile(input), rules), shipment: { shortId: input.shareShortId } };
  return { ...resolveOwn(input, rules), shipment: input.openShare ? "open" : "own" };
}

/** Settings of the share that are sent while joining a shipment are ignored: the shipment's own hold. */
const onlyOfFile = ({ runId, folderId, relativePath }: PublishInput): PublishInput => ({ runId, folderId, relativePath });

function resolveOwn(input: PublishInput, rules: PublishRules): Omit<PublishSettings, "shipment"> {
  const visibility = input.visibility ?? "unlisted";
  const retention = input.retention ?? "ttl";
  checkVisibility(visibility, rules.actor);
  checkForever(input, retention, visibility, rules.actor);
  const expiry = retention === "forever" ? { expiresAtMs: null, expiryChosen: false } : resolveExpiry(input, rules);
  return {
    visibility,
    retention,
    ...expiry,
    once: input.once ?? false,
    maxDownloads: input.once ? null : (input.maxDownloads ?? null),
    direct: input.direct ?? false,
    protect: input.protect ?? null,
    handoffMessage: input.handoffMessage ?? null,
    runId: input.runId || null,
    folderId: input.folderId ?? null,
    relativePath: input.relativePath ? toRelativePath(input.relativePath) : null,
  };
}

function checkRights(input: PublishInput, actor: Actor): void {
  const asked = (["openShare", "shareShortId", "folderId"] as const).find((name) => input[name]);
  if (asked && actor.kind === "anonymous") {
    throw new AppError("UNAUTHENTICATED", `Shipments and folders belong to accounts. Send an API key, or leave ${asked} out.`);
  }
  if (input.direct && !input.shareShortId && actor.tier !== "pro") {
    throw new AppError("PRO_REQUIRED", "Only Pro accounts can share with direct download. Leave direct out.");
  }
}

/** Throws USERNAME_REQUIRED where the actor cannot publish that. */
export function checkVisibility(visibility: PublishSettings["visibility"], actor: Actor): void {
  if (visibility !== "public" || (actor.kind === "user" && actor.username !== null)) return;
  throw new AppError("USERNAME_REQUIRED", "A public share needs an account with a username. Choose one first, or share it unlisted.");
}

function checkForever(input: PublishInput, retention: string, visibility: string, actor: Actor): void {
  if (retention !== "forever") return;
  if (actor.tier !== "pro") throw new AppError("PRO_REQUIRED", "Only Pro accounts can keep a share forever. Choose a ttl instead.");
  if (visibility !== "public")
    throw invalid("retention", "Only a public share can be kept forever. Set visibility to public, or choose a ttl.");
  if (input.ttl || input.expiresAt) throw invalid("retention", "A share that is kept forever has no expiry. Leave out ttl and expiresAt.");
}

/** When a share will expire: as chosen, within the tier's bounds, or its default. Throws EXPIRY_TOO_LONG or VALIDATION_FAILED. */
export function resolveExpiry(
  input: Pick<PublishInput, "ttl" | "expiresAt">,
  { actor, limits, nowMs, acceptedExpiresAt, minTtlMs = MIN_TTL_MS, ttlField }: PublishRules,
): Pick<PublishSettings, "expiresAtMs" | "expiryChosen"> {
  if (input.ttl && input.expiresAt) throw invalid("expiresAt", "Send either ttl or expiresAt, not both.");
  const keptMs = chosenMs(input, nowMs);
  if (keptMs === undefined) {
    return { expiresAtMs: actor.tier === "pro" ? null : nowMs + limits.retentionMs, expiryChosen: false };
  }
  const field = input.ttl ? (ttlField ?? "ttl") : "expiresAt";
  const wasAccepted = input.expiresAt != null && input.expiresAt === acceptedExpiresAt;
  if (keptMs <= 0 && !wasAccepted) throw invalid(field, "The expiry must be in the future.");
  if (keptMs < minTtlMs && !wasAccepted) throw invalid(field, `The expiry must be at least ${describeDuration(minTtlMs)} from now.`);
  if (keptMs > limits.retentionMs) {
    throw new AppError(
      "EXPIRY_TOO_LONG",
      `Files can be kept for ${describeDuration(limits.retentionMs)} at most here. Choose a shorter time.`,
      {
        fields: { maxTtlSeconds: limits.retentionMs / 1000 },
      },
    );
  }
  return { expiresAtMs: nowMs + keptMs, expiryChosen: true };
}

function chosenMs(input: Pick<PublishInput, "ttl" | "expiresAt">, nowMs: number): number | undefined {
  if (input.ttl) return parseTtl(input.ttl);
  return input.expiresAt ? Date.parse(input.expiresAt) - nowMs : undefined;
}

const invalid = (field: string, message: string): AppError =>
  new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: field, message }] } });
