import { DAY_MS } from "../../domain/ttl.ts";
import { AppError } from "../../errors.ts";
import type { Operation } from "../operation.ts";
import { checkPartsOfFile } from "./part-again.ts";
import { signPartUrl } from "./part-url.ts";
import { checkOpen, getSession, partSpan } from "./session.ts";

const PART_URL_MS = DAY_MS;

/** `POST /files/multipart/batch-urls`: addresses to PUT parts to, each bound to the part's SHA-256. */
export const batchPartUrls: Operation<"batchPartUrls"> = async (ctx, { actor }, input) => {
  const { session } = await getSession(ctx.db, actor, input);
  if (session.state === "completed") await checkPartsOfFile(ctx.db, session.id, input.partDigests);
  else checkOpen(ctx, session);
  const untilMs = ctx.now() + PART_URL_MS;
  const urls: Record<string, string> = {};
  for (const [number, sha256] of Object.entries(input.partDigests)) {
    const partNumber = /^[1-9]\d{0,4}$/.test(number) ? Number(number) : 0;
    if (!partSpan(session, partNumber)) throw outOfRange(number, session.total_parts);
    urls[number] = signPartUrl(ctx, { sessionKey: session.key, partNumber, sha256, untilMs });
  }
  return { success: true, urls, expiresAt: new Date(untilMs).toISOString() };
};

function outOfRange(number: string, totalParts: number): AppError {
  const message = `Part ${number.slice(0, 20)} is not one of this upload's parts, which are 1 to ${totalParts}.`;
  return new AppError("VALIDATION_FAILED", message, { fields: { issues: [{ path: `partDigests.${number.slice(0, 20)}`, message }] } });
}
