import type { ShareRow } from "../../db/tables/shares.ts";
import { invalidField } from "../../errors.ts";
import type { Input } from "../contract.ts";
import {
  checkDirect,
  checkForever,
  checkVisibility,
  type ForeverAdvice,
  type PublishRules,
  resolveExpiry,
  toTitle,
} from "./publish-settings.ts";

/** The columns of a share that a change of settings sets. */
export type ShareChange = Partial<
  Pick<
    ShareRow,
    | "visibility"
    | "direct"
    | "retention"
    | "expires_at"
    | "is_expiry_chosen"
    | "once"
    | "max_downloads"
    | "handoff_message"
    | "title"
    | "message"
    | "price_cents"
    | "price_thumbnails"
    | "notify"
  >
>;

/** A requested change, with the rules for it. */
export interface ShareChangeRequest extends PublishRules {
  readonly input: Input<"updateShareSettings">;
  readonly share: ShareRow;
}

/**
 * Returns the columns that a change of settings sets, checked against the tier and the current share. Throws PRO_REQUIRED, USERNAME_REQUIRED,
 * EXPIRY_TOO_LONG or VALIDATION_FAILED.
 */
export function resolveShareChange(request: ShareChangeRequest): ShareChange {
  const { input, share, actor } = request;
  if (input.visibility) checkVisibility(input.visibility, actor);
  if (input.direct) checkDirect(actor);
  return {
    ...(input.visibility && { visibility: input.visibility }),
    ...(typeof input.direct === "boolean" && { direct: input.direct ? 1 : 0 }),
    ...(input.handoffMessage !== undefined && { handoff_message: input.handoffMessage }),
    ...(input.notify !== undefined && { notify: input.notify === null ? null : Number(input.notify) }),
    ...(input.title !== undefined && { title: toTitle(input.title) }),
    ...(input.message !== undefined && { message: input.message || null }),
    ...(input.priceCents !== undefined && { price_cents: input.priceCents || null }),
    ...(input.priceThumbnails !== undefined && { price_thumbnails: Number(input.priceThumbnails) }),
    ...resolveLimit(request),
    ...resolveRetention(request, input.visibility ?? share.visibility),
  };
}

/**
 * Returns the new download limit. `once` applies before `maxDownloads`, as in the publish fields; without `maxDownloads`, `once: false` clears only a
 * limit that `once` set.
 */
function resolveLimit({ input, share }: ShareChangeRequest): Pick<ShareChange, "once" | "max_downloads"> {
  if (input.once) return { once: 1, max_downloads: 1 };
  if (input.maxDownloads !== undefined) return { once: 0, max_downloads: input.maxDownloads };
  return input.once === false && share.once === 1 ? { once: 0, max_downloads: null } : {};
}

const FOREVER_ADVICE: ForeverAdvice = {
  withoutPro: "Send expiresAt or extendTtl instead.",
  unlisted: "Set visibility to public as well.",
  hasExpiry: "Omit expiresAt and extendTtl.",
};

/** Returns the new expiry. A share that becomes unlisted gets the expiry of its tier. */
function resolveRetention(request: ShareChangeRequest, visibility: ShareRow["visibility"]): ShareChange {
  const { input, share, actor } = request;
  const retention = input.retention ?? (visibility === "public" ? share.retention : "ttl");
  if (input.retention === "forever") {
    checkForever({ actor, visibility, hasExpiry: Boolean(input.expiresAt || input.extendTtl) }, FOREVER_ADVICE);
    return { retention: "forever", expires_at: null, is_expiry_chosen: 0 };
  }
  const expiry = resolveNewExpiry(request);
  const leavesForever = share.retention === "forever" && retention === "ttl";
  if (!expiry && !leavesForever) return input.retention ? { retention } : {};
  return { retention: "ttl", ...(expiry ?? toColumns(resolveExpiry({}, request))) };
}

function resolveNewExpiry({ input, share, ...rules }: ShareChangeRequest): ShareChange | undefined {
  if (input.expiresAt && input.extendTtl) throw invalidField("extendTtl", "Send either expiresAt or extendTtl, not both.");
  // Any future time is valid, because an owner may end a share early (sharing, "Changing a share").
  if (input.expiresAt) return toColumns(resolveExpiry({ expiresAt: input.expiresAt }, { ...rules, minTtlMs: 0 }));
  if (!input.extendTtl) return undefined;
  const extended = toColumns(resolveExpiry({ ttl: input.extendTtl }, { ...rules, ttlField: "extendTtl" }));
  // The share never expires, so there is nothing to extend.
  if (share.expires_at === null) return undefined;
  return { ...extended, expires_at: Math.max(extended.expires_at ?? 0, share.expires_at) };
}

const toColumns = (expiry: { expiresAtMs: number | null; expiryChosen: boolean }): Pick<ShareRow, "expires_at" | "is_expiry_chosen"> => ({
  expires_at: expiry.expiresAtMs,
  is_expiry_chosen: expiry.expiryChosen ? 1 : 0,
});
