import type { Ctx } from "../../context.ts";
import type { ErrorBody } from "../../contract/error-fields.ts";
import type { BatchFile } from "../../contract/scalars.ts";
import { AppError } from "../../errors.ts";
import { toRelativePath } from "../../lib/text/file-name.ts";
import { type Actor, ownerId } from "../accounts/actor.ts";
import { checkFolder } from "../files/folders.ts";
import type { Operation } from "../operation.ts";
import { prepareSubmission, resolveUploader } from "../requests/uploader.ts";
import { getOpenShipment } from "../shares/shipment.ts";
import type { BatchEntry, BatchUpload } from "./contract.ts";
import { checkUpload } from "./create-upload.ts";
import { type GroupTarget, storeGroup } from "./upload-group.ts";

/** Number of files that are stored together, and of groups that one request stores concurrently. */
const GROUP_FILES = 32;
const MAX_GROUPS = 3;
/** Maximum number of characters of a refused file's path in its error. */
const MAX_SHOWN_PATH = 1024;

/**
 * `POST /files/batch`: stores each file of a form in a shipment, unless the shipment already has it (uploads, "Many small files"). If reading the
 * form fails, the files that have arrived are stored first.
 */
export const uploadBatch: Operation<"uploadBatch"> = async (ctx, call, { file: files, ...fields }) => {
  const { actor, publish, submission } = await resolveUploader(ctx, call, fields);
  const settings = checkUpload(ctx, actor, { name: "", type: undefined, sizeBytes: 0, publish });
  await ctx.transaction(async (ctx) => {
    if (settings.folderId) await checkFolder(ctx, settings.folderId, ownerId(actor));
    if (submission) await prepareSubmission(ctx, actor, submission);
    await getOpenShipment(ctx, actor, { shortId: publish.shareShortId ?? "", token: publish.shareToken ?? null });
  });
  return await ctx.uploadBodyLimiter.run({ quotaOwner: call.actor.quotaOwner }, async () => ({
    files: await storeFiles(ctx, actor, { publish, submission }, files),
  }));
};

interface Queued {
  readonly index: number;
  readonly file: BatchFile;
}

/** Stores files in groups. While groups are stored, arriving files form the next one. */
async function storeFiles(
  ctx: Ctx,
  actor: Actor,
  target: GroupTarget,
  files: Iterable<BatchFile> | AsyncIterable<BatchFile>,
): Promise<BatchEntry[]> {
  const entries: BatchEntry[] = [];
  const waiting: Queued[] = [];
  const running = new Set<Promise<void>>();

  async function store(group: readonly Queued[]): Promise<void> {
    const files = group.map(({ file }) => file);
    const stored = await storeGroup(ctx, actor, target, files);
    for (const [n, { index, file }] of group.entries()) entries[index] = toEntry(file, stored[n]);
    for (const file of files) file[Symbol.dispose]?.();
  }

  function startGroups(): void {
    while (running.size < MAX_GROUPS && waiting.length > 0) {
      const storing: Promise<void> = store(waiting.splice(0, GROUP_FILES)).finally(() => {
        running.delete(storing);
        startGroups();
      });
      running.add(storing);
    }
  }

  let count = 0;
  try {
    for await (const file of files) {
      waiting.push({ index: count++, file });
      startGroups();
      if (waiting.length >= GROUP_FILES) await Promise.race(running);
    }
  } finally {
    while (running.size > 0) await Promise.all(running);
  }
  return entries;
}

function toEntry({ relativePath }: BatchFile, outcome: BatchUpload | AppError | undefined): BatchEntry {
  if (outcome === undefined) throw new Error("A file of a batch has no result");
  if (!(outcome instanceof AppError)) return { ...outcome, relativePath: toRelativePath(relativePath) ?? relativePath };
  const { success: _, ...error } = outcome.toBody();
  return { ...(error as Omit<ErrorBody, "success">), relativePath: relativePath.slice(0, MAX_SHOWN_PATH) };
}
