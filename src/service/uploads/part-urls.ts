import type { Ctx } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import { AppError, invalidField } from "../../errors.ts";
import { signToken, verifyToken } from "../../lib/secrets/signed-token.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import type { Operation } from "../operation.ts";
import type { PartReference } from "./parts.ts";
import { hasExpectedParts, listParts, saveExpectedParts, touchOpenSession } from "./queries.ts";
import {
  checkSessionOpen,
  findPartSpan,
  getSession,
  type MultipartSession,
  type OwnedSession,
  toStagedBlob,
  uploadCompleted,
} from "./session.ts";

/** Validity of the signed URL of a part. */
const PART_URL_TTL_MS = DAY_MS;

/**
 * `POST /files/multipart/batch-urls`: returns signed URLs for the PUT of parts, each bound to the part's SHA-256. They are URLs of this server or of
 * the store.
 */
export const batchPartUrls: Operation<"batchPartUrls"> = async (ctx, { actor }, input) => {
  const owned = await getSession(ctx.db, actor, input);
  const { session } = owned;
  const isCompleted = session.state === "completed";
  if (isCompleted) await checkPartsOfFile(ctx.db, session.id, input.partDigests);
  else checkSessionOpen(ctx, session);
  const expiresAtMs = ctx.now() + PART_URL_TTL_MS;
  const parts = Object.entries(input.partDigests).map(([number, sha256]) => toPart(session, number, sha256));
  const presigned = isCompleted ? undefined : await ctx.blobs.presignParts?.(toStagedBlob(session), parts, PART_URL_TTL_MS);
  if (presigned || (!isCompleted && (await hasExpectedParts(ctx.db, owned.file.id)))) await saveExpected(ctx, owned, parts);
  const toUrl = ({ partNumber, sha256 }: Part, index: number): string =>
    presigned?.[index] ?? signPartUrl(ctx, { sessionKey: session.session_key, partNumber, sha256 }, expiresAtMs);
  const urls = Object.fromEntries(parts.map((part, index) => [String(part.partNumber), toUrl(part, index)]));
  return { success: true, urls, expiresAt: toIso(expiresAtMs) };
};

type Part = ReturnType<typeof toPart>;

function toPart(session: MultipartSession, number: string, sha256: string) {
  const partNumber = Number(number);
  const span = findPartSpan(session, partNumber);
  if (!span) throw outOfRange(number, session.total_parts);
  return { partNumber, sha256, ...span };
}

/**
 * Records the expected parts before presigned URLs are issued for them, because the server does not see those parts. Also records activity, because
 * requests for URLs are the only sign of a client that continues.
 */
async function saveExpected(ctx: Ctx, { session, file }: OwnedSession, parts: readonly Part[]): Promise<void> {
  await ctx.transaction(async (ctx) => {
    if (!(await touchOpenSession(ctx.db, { id: session.id, nowMs: ctx.now() })))
      throw new AppError("UPLOAD_CLOSED", "This upload was completed or aborted meanwhile. Check its status.");
    await saveExpectedParts(
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
  const shown = number.slice(0, 20);
  return invalidField(`partDigests.${shown}`, `Part ${shown} does not exist. This upload has the parts 1 to ${totalParts}.`);
}

/** Signs a URL of this server that accepts one part. */
function signPartUrl(ctx: Pick<Ctx, "urls" | "keyring">, part: PartReference, expiresAtMs: number): string {
  const { sessionKey, partNumber, sha256 } = part;
  const { expiry, signature } = signToken(ctx.keyring, "part", [sessionKey, partNumber, sha256], Math.floor(expiresAtMs / 1000));
  return `${ctx.urls.siteUrl}/up/${sessionKey}/${partNumber}?d=${sha256}&e=${expiry}&s=${signature}`;
}

/** Verifies the signed URL of a part; undefined if this server did not issue it or it has expired. */
export function verifyPartUrl(
  ctx: Pick<Ctx, "keyring" | "now">,
  { sessionKey, partNumber: digits, query }: { sessionKey: string; partNumber: string; query: URLSearchParams },
): PartReference | undefined {
  if (!/^\d{1,5}$/.test(digits)) return undefined;
  const [partNumber, sha256] = [Number(digits), query.get("d") ?? ""];
  const token = { expiry: query.get("e") ?? "", signature: query.get("s") ?? "" };
  const expiresAtSeconds = verifyToken(ctx.keyring, "part", [sessionKey, partNumber, sha256], token);
  if (expiresAtSeconds === undefined || ctx.now() >= expiresAtSeconds * 1000) return undefined;
  return { sessionKey, partNumber, sha256 };
}

/**
 * Checks that all requested parts are in the completed file, because a client that missed the response may repeat the whole upload (uploads,
 * "Completing"). Throws UPLOAD_CLOSED otherwise.
 */
async function checkPartsOfFile(db: Db, sessionId: string, digests: Readonly<Record<string, string>>): Promise<void> {
  const inFile = new Map((await listParts(db, sessionId)).map((part) => [String(part.part_number), part.sha256]));
  if (Object.entries(digests).some(([number, sha256]) => inFile.get(number) !== sha256)) throw uploadCompleted();
}
