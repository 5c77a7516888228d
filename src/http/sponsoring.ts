import type { Hono } from "hono";
import type { ShareWait } from "../../web/share-view.ts";
import { renderSponsor, SPONSOR_PATH } from "../../web/sponsor.tsx";
import type { Ctx } from "../context.ts";
import { DAY_MS } from "../domain/ttl.ts";
import { isSponsored } from "../operations/shares/sponsored.ts";
import type { HttpEnv } from "./env.ts";
import { COMMON_HEADERS } from "./security.ts";
import type { OpenView } from "./to-share-page.ts";

/** The sponsor's own document, where there is one: framed by the pages of shares, never a part of them. */
export function mountSponsor(app: Hono<HttpEnv>, ctx: Ctx): void {
  const { html } = ctx.config.sponsoring;
  if (html === undefined) return;
  const body = renderSponsor(html);
  app.get(SPONSOR_PATH, () => new Response(body, { headers: SPONSOR_HEADERS }));
}

/**
 * In a sandbox wherever it is opened: of no origin, without scripts and forms. What it may do is look as it likes, show pictures of others,
 * and open their sites in windows of their own.
 */
const SPONSOR_HEADERS: Readonly<Record<string, string>> = {
  ...COMMON_HEADERS,
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "public, max-age=300",
  "Content-Security-Policy":
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "Referrer-Policy": "no-referrer",
};

/** What recipients of a share see, and wait for, on its pages. */
export interface Sponsoring {
  readonly sponsored: boolean;
  readonly wait?: ShareWait;
}

/** How long a wait that is over holds: who comes back to an open page later than that waits again. */
const WAIT_HOLDS_MS = DAY_MS;

/** What a share's recipient sees, and has to wait for: `ready` is the token of a wait that has begun, if it was sent; else one begins now. */
export async function findSponsoring(ctx: Ctx, share: OpenView["share"], ready: string | undefined): Promise<Sponsoring> {
  const { html, waitMs } = ctx.config.sponsoring;
  if (!(await isSponsored(ctx, share))) return { sponsored: false };
  return { sponsored: html !== undefined, ...(waitMs > 0 && { wait: toWait(ctx, share.short_id, ready) }) };
}

function toWait(ctx: Ctx, shortId: string, ready: string | undefined): ShareWait {
  const nowMs = ctx.now();
  const readyMs = readReady(ctx, shortId, ready);
  if (ready === undefined || readyMs === undefined || nowMs > readyMs + WAIT_HOLDS_MS) {
    const { waitMs } = ctx.config.sponsoring;
    return { token: signReady(ctx, shortId, nowMs + waitMs), seconds: Math.ceil(waitMs / 1000) };
  }
  return { token: ready, seconds: Math.max(0, Math.ceil((readyMs - nowMs) / 1000)) };
}

/** When a download may begin, signed, so that nothing has to be kept; of one share, whoever carries it. */
function signReady(ctx: Ctx, shortId: string, readyMs: number): string {
  const at = readyMs.toString(36);
  return `${at}.${ctx.keyring.sign(signedText(shortId, at))}`;
}

function readReady(ctx: Ctx, shortId: string, token: string | undefined): number | undefined {
  const [, at = "", signature = ""] = /^([0-9a-z]{1,10})\.([\w-]+)$/.exec(token ?? "") ?? [];
  return ctx.keyring.verify(signedText(shortId, at), signature) ? Number.parseInt(at, 36) : undefined;
}

const signedText = (shortId: string, at: string): string => ["download-wait", shortId, at].join("\n");
