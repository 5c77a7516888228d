import type { Ctx, TransactionCtx } from "../../context.ts";
import type { BatchFile } from "../../contract/scalars.ts";
import type { ShareRow } from "../../db/tables/shares.ts";
import { AppError, toAppError } from "../../errors.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { toUploadResult } from "../files/file-view.ts";
import { foldersOfActor } from "../files/folder-tree.ts";
import { prepareSubmission, type Uploader } from "../requests/uploader.ts";
import type { JoinedShipment } from "../shares/publish-settings.ts";
import { getJoinedShipment, getOpenShipment, getShipment } from "../shares/shipment.ts";
import { type AbortInput, abortOnError, abortUploads, insertOrAbort } from "./abort-upload.ts";
import { type CheckedFile, checkBatchFile } from "./check-batch-file.ts";
import { SNIFF_BYTES } from "./content-type.ts";
import type { BatchUpload } from "./contract.ts";
import { type CreatedUpload, checkUpload, insertUpload, stageUpload } from "./create-upload.ts";
import { inspectBytes } from "./inspect-bytes.ts";
import { listStoredFiles } from "./queries.ts";
import { finalizeStream, type StagedStream } from "./upload-stream.ts";

/** The destination of the files of a batch. */
export type GroupTarget = Pick<Uploader, "publish" | "submission">;

/** The outcome of a step for a file: its result or error, or the input of the next step. */
type Outcome<T> = { readonly done: BatchUpload | AppError } | { readonly next: T };

interface Created {
  readonly file: CheckedFile;
  readonly upload: CreatedUpload;
}

interface Staged {
  readonly file: CheckedFile;
  readonly stream: StagedStream;
}

/**
 * Stores files in the shipment that `publish` names: their rows in one transaction, then their bytes concurrently, then all published in one
 * transaction. Does not store a file again that the shipment has, by path and digest. Resolves to a result or an error for each file, in order, and
 * never rejects.
 */
export async function storeGroup(
  ctx: Ctx,
  actor: Actor,
  { publish, submission }: GroupTarget,
  files: readonly BatchFile[],
): Promise<readonly (BatchUpload | AppError)[]> {
  const joined = { shortId: publish.shareShortId ?? "", token: publish.shareToken ?? null };
  const checked = files.map((file) => attempt(() => checkBatchFile(file, publish, submission)));
  const created = await together(ctx, checked, (files) =>
    insertOrAbort(ctx, (ctx, inserted) => insertFiles(ctx, actor, { joined, submission, files, inserted })),
  );
  const staged = await Promise.all(created.map(async (outcome) => ("next" in outcome ? await writeBytes(ctx, outcome.next) : outcome)));
  const published = await together(ctx, staged, (files) => ctx.transaction((ctx) => publishFiles(ctx, actor, joined.shortId, files)));
  await abortUploads(
    ctx,
    staged.flatMap((outcome, n) => ("next" in outcome && !isPublished(outcome.next, published[n]) ? [outcome.next.stream.upload] : [])),
  );
  ctx.wakeJobs();
  return published.map((outcome) => ("done" in outcome ? outcome.done : toAppError(undefined)));
}

function attempt<T>(work: () => T): Outcome<T> {
  try {
    return { next: work() };
  } catch (error) {
    return { done: toAppError(error) };
  }
}

/** Runs a transaction on all files that have no result yet and, if that fails, on each of them separately. */
async function together<T, R>(
  ctx: Ctx,
  outcomes: readonly Outcome<T>[],
  step: (files: readonly T[]) => Promise<readonly Outcome<R>[]>,
): Promise<readonly Outcome<R>[]> {
  const files = outcomes.flatMap((outcome) => ("next" in outcome ? [outcome.next] : []));
  const attemptAll = async (files: readonly T[]): Promise<readonly Outcome<R>[]> => {
    if (files.length === 0) return [];
    try {
      return await step(files);
    } catch (error) {
      if (files.length === 1) return [{ done: logged(ctx, error) }];
      return (await Promise.all(files.map((file) => attemptAll([file])))).flat();
    }
  };
  const worked = (await attemptAll(files)).values();
  return outcomes.map((outcome) => ("next" in outcome ? (worked.next().value ?? { done: toAppError(undefined) }) : outcome));
}

function logged(ctx: Ctx, thrown: unknown): AppError {
  const error = toAppError(thrown);
  if (error.code === "INTERNAL") ctx.log.error({ err: error.cause }, "storing a file of a batch failed");
  return error;
}

interface InsertInput extends Pick<GroupTarget, "submission"> {
  readonly joined: JoinedShipment;
  readonly files: readonly CheckedFile[];
  readonly inserted: AbortInput[];
}

async function insertFiles(
  ctx: TransactionCtx,
  actor: Actor,
  { joined, submission, files, inserted }: InsertInput,
): Promise<Outcome<Created>[]> {
  if (submission) await prepareSubmission(ctx, actor, submission);
  const stored = await findStored(ctx, actor, await getOpenShipment(ctx, actor, joined), files);
  const missing = files.filter((file) => !stored.has(keyOf(file)));
  const shipment = missing.length > 0 ? await getShipment(ctx, actor, joined, missing.length) : undefined;
  const outcomes: Outcome<Created>[] = [];
  for (const file of files) {
    const done = stored.get(keyOf(file));
    if (done) {
      outcomes.push({ done });
      continue;
    }
    const destination = { publish: checkUpload(ctx, actor, file.input), joined: shipment };
    const upload = await insertUpload(ctx, actor, file.input, destination);
    inserted.push(upload);
    outcomes.push({ next: { file, upload } });
  }
  return outcomes;
}

async function writeBytes(ctx: Ctx, { file, upload }: Created): Promise<Outcome<Staged>> {
  const { input, bytes, sha256, crc32 } = file;
  try {
    const staged = await stageUpload(ctx, upload, input);
    return await abortOnError(ctx, staged, async () => {
      const hints = { declared: input.type, name: staged.name, isEncryptedOnly: input.submission?.isEncrypted };
      const inspected = await inspectBytes(ctx, bytes.subarray(0, SNIFF_BYTES), hints);
      await ctx.blobs.writeAll(staged.staged, input.body);
      await ctx.blobs.commit(staged.staged);
      return { next: { file, stream: { input, upload: staged, sizeBytes: bytes.length, sha256, crc32, ...inspected } } };
    });
  } catch (error) {
    return { done: logged(ctx, error) };
  }
}

/** Publishes files. If another request, or another part of this one, has stored the same file meanwhile, returns that file. */
async function publishFiles(ctx: TransactionCtx, actor: Actor, shortId: string, files: readonly Staged[]): Promise<Outcome<never>[]> {
  const shipment = await getJoinedShipment(ctx, shortId);
  const stored = await findStored(
    ctx,
    actor,
    shipment,
    files.map(({ file }) => file),
  );
  const outcomes: Outcome<never>[] = [];
  const folders = foldersOfActor(ctx, actor);
  for (const { file, stream } of files) {
    const done = stored.get(keyOf(file)) ?? (await finalizeStream(ctx, actor, stream, file.input.publish, folders));
    stored.set(keyOf(file), done);
    outcomes.push({ done });
  }
  return outcomes;
}

const isPublished = ({ stream }: Staged, outcome: Outcome<never> | undefined): boolean =>
  outcome !== undefined && "done" in outcome && !(outcome.done instanceof AppError) && outcome.done.id === stream.upload.fileId;

const keyOf = ({ relativePath, sha256 }: Pick<CheckedFile, "relativePath" | "sha256">): string => `${sha256}/${relativePath}`;

/**
 * Finds the results of the files that are in the shipment, by `keyOf`. Only its owner gets new signed URLs, because they need no unlock code and each
 * is another download.
 */
async function findStored(
  ctx: TransactionCtx,
  actor: Actor,
  share: ShareRow,
  files: readonly CheckedFile[],
): Promise<Map<string, BatchUpload>> {
  const isOwner = share.owner_id !== null && share.owner_id === ownerId(actor);
  const rows = await listStoredFiles(ctx.db, share.short_id, files);
  return new Map(
    rows.map((file) => [
      keyOf({ relativePath: file.relative_path ?? "", sha256: file.sha256 ?? "" }),
      { ...toUploadResult(ctx, { file, share, tokens: {} }), ...(!isOwner && { url: null }) },
    ]),
  );
}
