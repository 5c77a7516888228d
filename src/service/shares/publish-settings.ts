import type { TierLimits } from "../../config/tiers.ts";
import { AppError, invalidField } from "../../errors.ts";
import { describeDuration, MIN_TTL_MS, parseTtl } from "../../lib/duration.ts";
import { toRelativePath } from "../../lib/file-name.ts";
import type { Actor } from "../accounts/actor.ts";
import type { PublishInput } from "./contract.ts";

/** How a share is published: the publish fields, checked and with their defaults. */
export interface PublishSettings {
  readonly visibility: "unlisted" | "public";
  readonly retention: "ttl" | "forever";
  /** Milliseconds since 1970; null if the share does not expire. */
  readonly expiresAtMs: number | null;
  /** Whether the caller chose the expiry; a claim does not change a chosen one. */
  readonly expiryChosen: boolean;
  readonly once: boolean;
  readonly maxDownloads: number | null;
  readonly direct: boolean;
  /** Null leaves the protection as it is. */
  readonly protect: boolean | null;
  readonly handoffMessage: string | null;
  /** `own`: a share for this file alone; `open`: a new shipment; otherwise the shipment to join, whose settings apply. */
  readonly shipment: "own" | "open" | { readonly shortId: string };
  readonly runId: string | null;
  readonly folderId: string | null;
  readonly relativePath: string | null;
}

/** What publish fields are checked against. */
export interface PublishRules {
  readonly actor: Actor;
  readonly limits: TierLimits;
  readonly nowMs: number;
  /** An `expiresAt` accepted when the upload started: it stays valid however long the upload took. */
  readonly acceptedExpiresAt?: string | null;
  /** Shortest time from now; default: `MIN_TTL_MS`. */
  readonly minTtlMs?: number;
  /** The field that errors name; default: `ttl`. */
  readonly ttlField?: "extendTtl";
}

/**
 * Checks publish fields against each other and the caller's tier (sharing, "Publish fields"; expiry, "How long a share is kept").
 * Throws PRO_REQUIRED, USERNAME_REQUIRED, EXPIRY_TOO_LONG, VALIDATION_FAILED or UNAUTHENTICATED.
 */
export function resolvePublish(input: PublishInput, rules: PublishRules): PublishSettings {
  checkRights(input, rules.actor);
  if (input.openShare && input.shareShortId)
    throw invalidField("shareShortId", "Send openShare to start a shipment, or shareShortId to join one, not both.");
  if (input.shareShortId) return { ...resolveOwn(pickFileFields(input), rules), shipment: { shortId: input.shareShortId } };
  return { ...resolveOwn(input, rules), shipment: input.openShare ? "open" : "own" };
}

/** Drops the settings of a share, which are ignored when a file joins a shipment. */
const pickFileFields = ({ runId, folderId, relativePath }: PublishInput): PublishInput => ({ runId, folderId, relativePath });

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
  const field = (["openShare", "shareShortId", "folderId"] as const).find((name) => input[name]);
  if (field && actor.kind === "anonymous") {
    throw new AppError("UNAUTHENTICATED", `Shipments and folders require an account. Send an API key, or omit ${field}.`);
  }
  if (input.direct && !input.shareShortId && actor.tier !== "pro") {
    throw new AppError("PRO_REQUIRED", "Direct download requires a Pro account. Omit direct.");
  }
}

/** Throws USERNAME_REQUIRED for a public share of an actor without a username. */
export function checkVisibility(visibility: PublishSettings["visibility"], actor: Actor): void {
  if (visibility !== "public" || (actor.kind === "user" && actor.username !== null)) return;
  throw new AppError("USERNAME_REQUIRED", "A public share requires a username. Choose one, or share the file unlisted.");
}

function checkForever(input: PublishInput, retention: string, visibility: string, actor: Actor): void {
  if (retention !== "forever") return;
  if (actor.tier !== "pro") throw new AppError("PRO_REQUIRED", "Keeping a share forever requires a Pro account. Send a ttl instead.");
  if (visibility !== "public")
    throw invalidField("retention", "Only a public share can be kept forever. Set visibility to public, or send a ttl.");
  if (input.ttl || input.expiresAt) throw invalidField("retention", "A share that is kept forever has no expiry. Omit ttl and expiresAt.");
}

/** The expiry of a share: the chosen one, within the tier's limits, or the tier's default. Throws EXPIRY_TOO_LONG or VALIDATION_FAILED. */
export function resolveExpiry(
  input: Pick<PublishInput, "ttl" | "expiresAt">,
  { actor, limits, nowMs, acceptedExpiresAt, minTtlMs = MIN_TTL_MS, ttlField }: PublishRules,
): Pick<PublishSettings, "expiresAtMs" | "expiryChosen"> {
  if (input.ttl && input.expiresAt) throw invalidField("expiresAt", "Send either ttl or expiresAt, not both.");
  const ttlMs = chosenTtlMs(input, nowMs);
  if (ttlMs === undefined) {
    return { expiresAtMs: actor.tier === "pro" ? null : nowMs + limits.retentionMs, expiryChosen: false };
  }
  const field = input.ttl ? (ttlField ?? "ttl") : "expiresAt";
  const wasAccepted = input.expiresAt != null && input.expiresAt === acceptedExpiresAt;
  if (ttlMs <= 0 && !wasAccepted) throw invalidField(field, "The expiry is in the past. Send a time in the future.");
  if (ttlMs < minTtlMs && !wasAccepted) throw invalidField(field, `The expiry must be at least ${describeDuration(minTtlMs)} from now.`);
  if (ttlMs > limits.retentionMs) {
    throw new AppError("EXPIRY_TOO_LONG", `Files can be kept for at most ${describeDuration(limits.retentionMs)}. Choose a shorter time.`, {
      fields: { maxTtlSeconds: limits.retentionMs / 1000 },
    });
  }
  return { expiresAtMs: nowMs + ttlMs, expiryChosen: true };
}

function chosenTtlMs(input: Pick<PublishInput, "ttl" | "expiresAt">, nowMs: number): number | undefined {
  if (input.ttl) return parseTtl(input.ttl);
  return input.expiresAt ? Date.parse(input.expiresAt) - nowMs : undefined;
}
