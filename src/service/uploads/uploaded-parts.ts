import type { UploadedPart } from "../../blobs/store.ts";
import type { Ctx } from "../../context.ts";
import type { UploadPartRow } from "../../db/tables/uploads.ts";
import type { Operation } from "../operation.ts";
import { listExpectedParts, listParts, saveParts } from "./queries.ts";
import { checkStoreUnchanged, findPartSpan, getSession, type OwnedSession, toSessionFields, toStagedBlob } from "./session.ts";

/** `GET /files/multipart/{uploadId}`: lists the uploaded parts, so that any client can resume the upload. */
export const getMultipart: Operation<"getMultipart"> = async (ctx, { actor }, { uploadId }) => {
  const owned = await getSession(ctx.db, actor, { uploadId });
  checkStoreUnchanged(ctx, owned.session);
  const { parts } = await listUploadedParts(ctx, owned);
  return {
    ...(await toSessionFields(ctx, uploadId, owned)),
    parts: parts.map((part) => ({ partNumber: part.part_number, size: part.size_bytes, sha256: part.sha256, etag: part.etag })),
  };
};

export interface UploadedParts {
  /** The parts, in order. Each has its expected size. */
  readonly parts: readonly UploadPartRow[];
  /** Whether some parts may have been sent directly to the store. */
  readonly bypassedServer: boolean;
}

/**
 * Lists the uploaded parts: the recorded ones or, if presigned URLs were issued for the upload, the parts in the store. Parts in the store count with
 * their expected digest, which the store or the scan job verifies.
 */
export async function listUploadedParts(ctx: Ctx, { session, file }: OwnedSession): Promise<UploadedParts> {
  const recorded = await listParts(ctx.db, session.id);
  const expected = await listExpectedParts(ctx.db, file.id);
  if (expected.length === 0) return { parts: recorded, bypassedServer: false };
  const stored = await ctx.blobs.listParts?.(toStagedBlob(session));
  // The store does not know a completed upload, whose parts `saveUploadedParts` has recorded.
  if (!stored) return { parts: recorded, bypassedServer: true };
  const recordedByNumber = new Map(recorded.map((part) => [part.part_number, part]));
  const expectedByNumber = new Map(expected.map((part) => [part.part_number, part.sha256]));
  const parts = stored.flatMap((part) => {
    if (findPartSpan(session, part.partNumber)?.sizeBytes !== part.sizeBytes) return [];
    const sha256 = findDigest(part, recordedByNumber.get(part.partNumber), expectedByNumber.get(part.partNumber));
    if (sha256 === undefined) return [];
    return [{ session_id: session.id, part_number: part.partNumber, size_bytes: part.sizeBytes, sha256, etag: part.etag, crc32: null }];
  });
  return { parts, bypassedServer: true };
}

/** Finds the digest of a part; undefined if the stored part differs from the expected or recorded one. */
function findDigest(part: UploadedPart, recorded: UploadPartRow | undefined, expected: string | undefined): string | undefined {
  const sha256 = expected ?? (recorded && bareEtag(recorded.etag) === bareEtag(part.etag) ? recorded.sha256 : undefined);
  return part.sha256 === undefined || part.sha256 === sha256 ? sha256 : undefined;
}

/** Records the parts of an upload before it is completed, because the store cannot list them afterwards. */
export async function saveUploadedParts(ctx: Ctx, { parts, bypassedServer }: UploadedParts): Promise<void> {
  if (bypassedServer) await ctx.transaction(async (ctx) => await saveParts(ctx.db, parts));
}

/** Removes the quotes and the weak prefix that some stores and clients add to an entity tag. */
export const bareEtag = (etag: string): string => etag.replace(/^W\//, "").replaceAll('"', "");
