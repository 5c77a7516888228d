import type { Ctx } from "../../context.ts";
import { hasAnnounced, saveAnnounced } from "../../db/announced-parts.ts";
import { touchOpenSession } from "../../db/upload-sessions.ts";
import { DAY_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { checkPartsOfFile } from "./part-again.ts";
import { signPartUrl } from "./part-url.ts";
import { checkOpen, getSession, type OwnedSession, partSpan, stagedBlob } from "./session.ts";

const PART_URL_MS = DAY_MS;

/** `POST /files/multipart/batch-urls`: addresses to PUT parts to, each bound to the part's SHA-256; of this server, or of the store itself. */
export const batchPartUrls: Operation<"batchPartUrls"> = async (ctx, { actor }, input) => {
  const owned = await getSession(ctx.db, actor, input);
  const { session } = owned;
  const isOver = session.state === "completed";
  if (isOver) await checkPartsOfFile(ctx.db, session.id, input.partDigests);
  else checkOpen(ctx, session);
  const untilMs = ctx.now() + PART_URL_MS;
  const parts = Object.entries(input.partDigests).map(([number, sha256]) => toPart(session, number, sha256));
  const direct = isOver ? undefined : await ctx.blobs.presignParts?.(stagedBlob(session), parts, PART_URL_MS);
  if (direct || (!isOver && (await hasAnnounced(ctx.db, owned.file.id)))) await announce(ctx, owned, parts);
  const toUrl = ({ partNumber, sha256 }: Part, index: number): string =>
    direct?.[index] ?? signPartUrl(ctx, { sessionKey: session.key, partNumber, sha256, untilMs });
  const urls = Object.fromEntries(parts.map((part, index) => [String(part.partNumber), toUrl(part, index)]));
  return { success: true, urls, expiresAt: new Date(untilMs).toISOString() };
};

type Part = ReturnType<typeof toPart>;

function toPart(session: OwnedSession["session"], number: string, sha256: string) {
  const partNumber = Number(number);
  const span = partSpan(session, partNumber);
  if (!span) throw outOfRange(number, session.total_parts);
  return { partNumber, sha256, ...span };
}

/**
 * Kept before an address is given out that this server does not see used: what comes there is held against it. That addresses are asked for
 * is then the only sign of a sender who goes on.
 */
async function announce(ctx: Ctx, { session, file }: OwnedSession, parts: readonly Part[]): Promise<void> {
  await ctx.tx(async (ctx) => {
    if (!(await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() })))
      throw new AppError("UPLOAD_CLOSED", "This upload was completed or aborted at this moment.");
    await saveAnnounced(
      ctx.db,
      parts.map(({ partNumber, sha256, offset, sizeBytes }) => ({
        file_id: file.id,
        part_number: partNumber,
        start_byte: offset,
        size_bytes: sizeBytes,
        sha256,
      })),
    );
  });
}

function outOfRange(number: string, totalParts: number): AppError {
  const message = `Part ${number.slice(0, 20)} is not one of this upload's parts, which are 1 to ${totalParts}.`;
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: `partDigests.${number.slice(0, 20)}`, message }] } });
}
