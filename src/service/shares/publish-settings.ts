import { AppError, invalidField } from "../../errors.ts";
import { toRelativePath, toSingleLine } from "../../lib/text/file-name.ts";
import { type Actor, unverified } from "../accounts/actor.ts";
import type { PasswordHash, PublishInput, SentPublish } from "./contract.ts";
import type { Protection } from "./credentials.ts";
import { checkForever, type Expiry, type ExpiryRules, type ForeverAdvice, resolveExpiry } from "./expiry.ts";

/** The settings of a published share: the publish fields, checked and with their defaults. */
export interface PublishSettings extends Expiry, Protection {
  readonly visibility: "unlisted" | "public";
  readonly retention: "ttl" | "forever";
  readonly once: boolean;
  readonly maxDownloads: number | null;
  readonly direct: boolean;
  /** Whether the share is protected; null leaves the protection unchanged. */
  readonly protect: boolean | null;
  /** The hash of the password that protects it; null: a code does. */
  readonly passwordHash: PasswordHash | null;
  readonly handoffMessage: string | null;
  /** Whether its owner gets notices; null: the account's settings apply. */
  readonly notify: boolean | null;
  /** The alias that the share gets; null: none, or the one that it has. */
  readonly alias: string | null;
  readonly title: string | null;
  readonly message: string | null;
  /** The share of the file. `own`: a share for this file alone; `open`: a new shipment; otherwise the shipment to join, whose settings apply. */
  readonly shipment: "own" | "open" | JoinedShipment;
  readonly runId: string | null;
  /** The folder of the file; null: the root; undefined: the folder of its path. */
  readonly folderId: string | null | undefined;
  readonly relativePath: string | null;
  /** The time of the last change, in milliseconds since 1970; null if it was not sent. */
  readonly modifiedAtMs: number | null;
  readonly isExecutable: boolean;
}

/** Returns the name of the first publish field that is set; undefined if none is. */
export const findSentField = (fields: PublishInput | SentPublish): string | undefined =>
  Object.entries(fields).find(([, value]) => value !== undefined && value !== null && value !== false)?.[0];

/** The shipment that a file joins. `token` adds files to another account's shipment. */
export interface JoinedShipment {
  readonly shortId: string;
  readonly token: string | null;
}

/** The rules for publish fields. */
export interface PublishRules extends ExpiryRules {
  /** The shipment that the file joined when its upload started. Its token is not required again. */
  readonly joinedShortId?: string | null;
}

/**
 * Checks publish fields against each other and the caller's tier (sharing, "Publish fields"; expiry, "How long a share is kept").
 * Throws PRO_REQUIRED, USERNAME_REQUIRED, EXPIRY_TOO_LONG, VALIDATION_FAILED or UNAUTHENTICATED.
 */
export function resolvePublishSettings(input: PublishInput, rules: PublishRules): PublishSettings {
  if (input.requestToken) throw invalidField("requestToken", "Files for a request cannot be sent this way. Open its link, or see its API.");
  checkRights(input, rules);
  if (input.shareToken) checkTokenFields(input);
  if (input.openShare && input.shareShortId)
    throw invalidField("shareShortId", "Send openShare to start a shipment, or shareShortId to join one, not both.");
  if (input.shareShortId) {
    const shipment = { shortId: input.shareShortId, token: input.shareToken ?? null };
    return { ...resolveOwn(pickFileFields(input), rules), shipment };
  }
  return { ...resolveOwn(input, rules), shipment: input.openShare ? "open" : "own" };
}

/** Removes the settings of a share, which do not apply when a file joins a shipment. */
const pickFileFields = ({ runId, folderId, relativePath, modifiedAt, executable }: PublishInput): PublishInput => ({
  runId,
  folderId,
  relativePath,
  modifiedAt,
  executable,
});

function resolveOwn(input: PublishInput, rules: PublishRules): Omit<PublishSettings, "shipment"> {
  const visibility = input.visibility ?? "unlisted";
  const retention = input.retention ?? "ttl";
  checkVisibility(visibility, rules.actor);
  if (retention === "forever") {
    checkForever({ actor: rules.actor, visibility, hasExpiry: Boolean(input.ttl || input.expiresAt) }, FOREVER_ADVICE);
  }
  return {
    visibility,
    retention,
    ...resolveExpiry(input, rules),
    once: input.once ?? false,
    maxDownloads: resolveMaxDownloads(input),
    direct: input.direct ?? false,
    protect: input.protect ?? null,
    passwordHash: input.passwordHash ?? null,
    handoffMessage: input.handoffMessage ?? null,
    notify: input.notify ?? null,
    alias: input.alias ?? null,
    title: toTitle(input.title),
    message: input.message || null,
    runId: input.runId || null,
    folderId: input.folderId,
    relativePath: input.relativePath ? toRelativePath(input.relativePath) : null,
    modifiedAtMs: input.modifiedAt ? Date.parse(input.modifiedAt) : null,
    isExecutable: input.executable ?? false,
  };
}

/** Returns a title in its stored form; null for none. */
export const toTitle = (title: string | null | undefined): string | null => toSingleLine(title ?? "") || null;

/** Returns the download limit. `once` means 1, whatever `maxDownloads` is. */
export const resolveMaxDownloads = ({ once, maxDownloads }: Pick<PublishInput, "once" | "maxDownloads">): number | null =>
  once ? 1 : (maxDownloads ?? null);

function checkRights(input: PublishInput, { actor, joinedShortId }: PublishRules): void {
  const field = (["openShare", "folderId", "notify", "alias"] as const).find((name) => input[name]);
  if (field && actor.kind === "anonymous")
    throw new AppError("UNAUTHENTICATED", `An API key is required for \`${field}\`. ${KEYLESS[field]}`);
  const joins = input.shareShortId && input.shareShortId !== joinedShortId;
  if (joins && actor.kind === "anonymous" && !input.shareToken)
    throw new AppError("UNAUTHENTICATED", "Joining a shipment requires its shareToken or its owner's API key. Send one of them.");
  if (input.direct && !input.shareShortId) checkDirect(actor);
}

const KEYLESS = {
  openShare: "Without one, open a shipment with POST /shares.",
  folderId: "Send one, or omit folderId.",
  notify: "Send one, or omit notify.",
  alias: "Send one, or omit alias.",
} as const;

/** Throws if a share token is used for the owner's folders or runs: it only adds files to its shipment. */
function checkTokenFields(input: PublishInput): void {
  if (!input.shareShortId) throw invalidField("shareToken", "A shareToken belongs to a shipment. Send its shareShortId too.");
  const field = (["folderId", "runId"] as const).find((name) => input[name]);
  if (field) throw invalidField(field, `A file that joins by shareToken has no folder and no run. Omit ${field}.`);
}

/** Throws PRO_REQUIRED for a direct share of an actor without Pro. */
export function checkDirect(actor: Actor): void {
  if (actor.tier !== "pro") throw new AppError("PRO_REQUIRED", "Direct download requires a Pro account. Omit direct.");
}

/** Throws USERNAME_REQUIRED for a public share of an actor without a username, FORBIDDEN for an actor with an unverified address. */
export function checkVisibility(visibility: PublishSettings["visibility"], actor: Actor): void {
  if (visibility !== "public") return;
  if (actor.kind === "user" && actor.tier === "anonymous") throw unverified();
  if (actor.kind === "user" && actor.username !== null) return;
  const advice = actor.kind === "user" ? "Choose one" : "Sign in to an account that has one";
  throw new AppError("USERNAME_REQUIRED", `A public share requires a username. ${advice}, or share the file unlisted.`);
}

const FOREVER_ADVICE: ForeverAdvice = {
  withoutPro: "Send a ttl instead.",
  unlisted: "Set visibility to public, or send a ttl.",
  hasExpiry: "Omit ttl and expiresAt.",
};
