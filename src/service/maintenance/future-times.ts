import type { Ctx } from "../../context.ts";
import { correctFutureTimes, type TimeColumn } from "../../db/future-times.ts";
import { LEASE_MS } from "../../jobs/instances.ts";
import { CLOCK_TOLERANCE_MS } from "../../lib/system/clock-doubt.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../lib/text/duration.ts";
import { SESSION_MS } from "../accounts/sessions.ts";
import { DOWNLOAD_URL_MS } from "../downloads/download-rules.ts";
import { FLOW_MS } from "../sign-in/oidc/flows.ts";
import { CHALLENGE_MS } from "../sign-in/passkeys/challenges.ts";
import { PENDING_MS } from "../sign-in/sign-in-with-code.ts";

/** Columns with the end of rights and leases of a fixed term. A later end is corrected to the end of a term that begins now. */
const TERMS: readonly (readonly [table: TimeColumn["table"], column: string, termMs: number])[] = [
  ["server_instances", "lease_until", LEASE_MS],
  ["jobs", "lease_until", LEASE_MS],
  ["download_grants", "expires_at", DOWNLOAD_URL_MS],
  ["purchase_downloads", "ends_at", DOWNLOAD_URL_MS],
  ["owner_archives", "expires_at", DOWNLOAD_URL_MS],
  ["sessions", "expires_at", SESSION_MS],
  ["oauth_access_tokens", "expires_at", HOUR_MS],
  ["oauth_refresh_tokens", "expires_at", 30 * DAY_MS],
  ["device_codes", "expires_at", 15 * MINUTE_MS],
  ["verifications", "expires_at", DAY_MS],
  ["account_links", "expires_at", DAY_MS],
  ["invites", "expires_at", 7 * DAY_MS],
  ["provider_flows", "expires_at", FLOW_MS],
  ["pending_sign_ins", "expires_at", PENDING_MS],
  ["passkey_challenges", "expires_at", CHALLENGE_MS],
  ["challenges", "expires_at", 10 * MINUTE_MS],
];

/**
 * Columns with the time of the next attempt or check, which may safely be earlier than planned. The number is the longest pause, beyond which a time
 * cannot be right.
 */
const PAUSES: readonly (readonly [table: TimeColumn["table"], column: string, longestMs: number])[] = [
  ["jobs", "run_at", 2 * DAY_MS],
  ["webhook_deliveries", "next_attempt_at", 8 * HOUR_MS],
  ["purchases", "check_at", 2 * DAY_MS],
];

/** Columns whose age the server computes. A time in the future would never be old enough. */
const MOMENTS: readonly (readonly [table: TimeColumn["table"], column: string])[] = [
  ["job_keys", "waiting_since"],
  ["job_keys", "leased_at"],
  ["subscriptions", "checked_at"],
  ["sellers", "checked_at"],
  ["upload_sessions", "created_at"],
  ["upload_sessions", "last_byte_at"],
  ["mcp_sessions", "used_at"],
  ["sessions", "updated_at"],
  ["api_keys", "last_used_at"],
  ["oauth_consents", "used_at"],
  // Corrects the creation of files, because an archive contains the files that existed when its URL was issued.
  ["files", "created_at"],
];

/** Returns the columns with the ends of rate limit windows. Callers would have to wait for an end that is too late. */
const windows = ({ rates }: Ctx["config"]): TimeColumn[] =>
  Object.entries(rates).map(([name, { windowMs }]) => ({
    table: "rate_windows",
    column: "resets_at",
    where: { column: "name", value: name },
    longestMs: windowMs + CLOCK_TOLERANCE_MS,
    toMs: 0,
  }));

/** Tables without a fitting index, which are read completely and therefore only after the clock was ahead. */
const LARGE_TABLES = new Set<string>(["files", "api_keys"]);

/**
 * Corrects impossible times that a clock which was ahead has stored and, after it was set back, also pauses (expiry, "When the clock is wrong").
 * Times that an owner chose, such as the expiry of a share, remain.
 */
export async function correctTimes(ctx: Ctx): Promise<void> {
  const wasAhead = ctx.clock.wasAhead();
  const pauses = PAUSES.map(([table, column, longestMs]) => ({ table, column, longestMs: wasAhead === "no" ? longestMs : 0, toMs: 0 }));
  if (wasAhead === "perhaps") {
    // Corrects the times that may safely be earlier, even if only this clock is behind.
    await correct(ctx, [...pauses, ...windows(ctx.config)], ctx.now());
    return;
  }
  const terms = TERMS.map(([table, column, termMs]) => ({ table, column, longestMs: termMs + CLOCK_TOLERANCE_MS, toMs: termMs }));
  const moments = MOMENTS.filter(([table]) => wasAhead === "yes" || !LARGE_TABLES.has(table));
  const past = moments.map(([table, column]) => ({ table, column, longestMs: CLOCK_TOLERANCE_MS, toMs: 0 }));
  await correct(ctx, [...terms, ...pauses, ...past, ...windows(ctx.config)], ctx.clock.latestNow());
  if (wasAhead === "yes") ctx.clock.clear();
}

async function correct(ctx: Ctx, columns: readonly TimeColumn[], latestMs: number): Promise<void> {
  const rows = await correctFutureTimes(ctx.db, columns, latestMs);
  if (rows > 0) ctx.log.warn({ rows }, "times corrected that were later than they can be: the clock was ahead");
}
