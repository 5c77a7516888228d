import type { Ctx } from "../../context.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { isSponsored } from "./share-state.ts";

/** The sponsor on a share's page, and the wait of recipients. */
export interface Sponsoring {
  readonly sponsored: boolean;
  readonly wait?: DownloadWait;
}

/** A wait before the downloads of a share. */
export interface DownloadWait {
  /** The token by which the next request names the wait. */
  readonly token: string;
  /** Remaining seconds; 0 when the wait has ended. */
  readonly seconds: number;
}

/** Time for which a finished wait allows downloads before a new one starts. */
const FINISHED_WAIT_VALID_MS = DAY_MS;

/** Finds the sponsoring of a share's page. `waitToken` is the token of a wait that has started; without a valid token, a wait starts now. */
export async function getSponsoring(
  ctx: Ctx,
  share: Pick<ShareRow, "short_id" | "owner_id">,
  waitToken: string | undefined,
): Promise<Sponsoring> {
  const { html, waitMs } = ctx.config.sponsoring;
  if (!(await isSponsored(ctx, share))) return { sponsored: false };
  return { sponsored: html !== undefined, ...(waitMs > 0 && { wait: toWait(ctx, share.short_id, waitToken) }) };
}

function toWait(ctx: Ctx, shortId: string, waitToken: string | undefined): DownloadWait {
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
