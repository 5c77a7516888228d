import type { ShareWait } from "../../web/share-view.ts";
import { renderSponsor } from "../../web/sponsor.tsx";
import type { Ctx } from "../context.ts";
import { DAY_MS } from "../lib/duration.ts";
import { signToken, verifyToken } from "../lib/signed-token.ts";
import { isSponsored } from "../service/shares/share-state.ts";
import type { OpenView } from "./share-view-model.ts";

/** Serves the sponsor's document, which share pages show in a frame. */
export function sponsorDocument(html: string): () => Response {
  const body = renderSponsor(html);
  return () => new Response(body, { headers: SPONSOR_HEADERS });
}

/** A sandbox wherever the document is opened: no origin, scripts or forms. Allows inline styles, external images and links in new windows. */
const SPONSOR_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "public, max-age=300",
  "Content-Security-Policy":
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  "Referrer-Policy": "no-referrer",
};

/** Whether a share's page shows the sponsor, and how long recipients wait. */
export interface Sponsoring {
  readonly sponsored: boolean;
  readonly wait?: ShareWait;
}

/** How long a finished wait allows downloads before a new one starts. */
const FINISHED_WAIT_VALID_MS = DAY_MS;

/** Finds the sponsoring of a share's page. `waitToken` is the token of a wait that has started; without a valid one, a wait starts now. */
export async function findSponsoring(ctx: Ctx, share: OpenView["share"], waitToken: string | undefined): Promise<Sponsoring> {
  const { html, waitMs } = ctx.config.sponsoring;
  if (!(await isSponsored(ctx, share))) return { sponsored: false };
  return { sponsored: html !== undefined, ...(waitMs > 0 && { wait: toWait(ctx, share.short_id, waitToken) }) };
}

function toWait(ctx: Ctx, shortId: string, waitToken: string | undefined): ShareWait {
  const nowMs = ctx.now();
  const readyMs = readWaitToken(ctx, shortId, waitToken);
  if (waitToken === undefined || readyMs === undefined || nowMs > readyMs + FINISHED_WAIT_VALID_MS) {
    const { waitMs } = ctx.config.sponsoring;
    return { token: signWaitToken(ctx, shortId, nowMs + waitMs), seconds: Math.ceil(waitMs / 1000) };
  }
  return { token: waitToken, seconds: Math.max(0, Math.ceil((readyMs - nowMs) / 1000)) };
}

/** Signs the time from which a share can be downloaded, so that nothing is stored. */
function signWaitToken(ctx: Ctx, shortId: string, readyMs: number): string {
  const { expiry, signature } = signToken(ctx.keyring, "download-wait", [shortId], readyMs);
  return `${expiry}.${signature}`;
}

function readWaitToken(ctx: Ctx, shortId: string, token: string | undefined): number | undefined {
  const [, expiry = "", signature = ""] = /^(\w+)\.([\w-]+)$/.exec(token ?? "") ?? [];
  return verifyToken(ctx.keyring, "download-wait", [shortId], { expiry, signature });
}
