import type { Ctx, TxCtx } from "../../context.ts";
import { publishInput } from "../../contract/publish.ts";
import { updateOpenImport } from "../../db/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { AppError } from "../../errors.ts";
import { atMinimumPace } from "../../net/minimum-pace.ts";
import { openRemoteFile, type RemoteFile } from "../../net/remote-file.ts";
import { type BegunUpload, beginUpload } from "../uploads/begin-upload.ts";
import type { FinishedUpload } from "../uploads/finish-upload.ts";
import { receiveStream } from "../uploads/receive-stream.ts";
import { abandonArrived, completeImport } from "./end-import.ts";
import type { LiveImport } from "./live-imports.ts";
import { findArrived, PART_BYTES, partBytesFor, receiveParts } from "./receive-parts.ts";
import type { Receiving } from "./receiving.ts";

/**
 * Fetches an import's file, or the rest of it, and ends the import with it. A source that can go on in the middle is kept in parts, which
 * outlive this process; any other begins again. Throws whatever goes wrong; parts that have arrived stay.
 */
export async function receiveRemote(ctx: Ctx, receiving: Receiving): Promise<void> {
  const { row, live } = receiving;
  const arrived = await findArrived(ctx, row);
  if (!arrived) await abandonArrived(ctx, row.id);
  if (arrived && arrived.offset === arrived.session.size_bytes) {
    live.update({ phase: "saving", bytesDone: arrived.offset, bytesTotal: arrived.offset });
    return await receiveParts(ctx, { ...receiving, arrived, body: [] });
  }
  const resume = arrived && { offset: arrived.offset, sizeBytes: arrived.session.size_bytes, validator: row.validator ?? "" };
  const remote = await openRemoteFile(ctx.imports.fetch, { url: ctx.keyring.decrypt(row.url), signal: live.signal, resume });
  const stopTimer = endInTime(ctx, remote, live);
  try {
    live.update({ phase: "downloading", bytesDone: remote.offset, bytesTotal: remote.sizeBytes ?? null });
    const body = count({ ...remote, body: atMinimumPace(remote.body, ctx.config.imports.minimumPace) }, live);
    if (arrived && remote.offset > 0) return await receiveParts(ctx, { ...receiving, arrived, body });
    if (arrived) await abandonArrived(ctx, row.id);
    await receiveFromStart(ctx, receiving, { ...remote, body });
  } finally {
    stopTimer();
    remote.cancel();
  }
}

/** How long a run may take beyond what its bytes take at the slowest pace: for what this server does itself. */
const SPARE_MS = 5 * 60_000;

/** Ends a run that takes longer than its size explains; where the size is not known, the import's own time is the limit. */
function endInTime(ctx: Ctx, { sizeBytes, offset }: RemoteFile, live: LiveImport): () => void {
  if (sizeBytes === undefined) return () => {};
  const { minimumPace, totalMs } = ctx.config.imports;
  const limitMs = ((sizeBytes - offset) * 1000) / minimumPace.bytesPerSecond + SPARE_MS;
  const timer = setTimeout(() => live.abort(tookTooLong()), Math.min(limitMs, totalMs));
  return () => clearTimeout(timer);
}

async function receiveFromStart(ctx: Ctx, receiving: Receiving, remote: RemoteFile): Promise<void> {
  const { row, actor, live } = receiving;
  const { type, sizeBytes, body, validator } = remote;
  const onBegun = (ctx: TxCtx, begun: BegunUpload): Promise<void> => attach(ctx, row, { begun, validator });
  const start = { name: row.file_name ?? remote.name, type, sizeBytes, publish: publishInput.parse(JSON.parse(row.publish)), onBegun };
  live.update({ name: start.name || null });
  if (sizeBytes === undefined || validator === undefined || sizeBytes <= PART_BYTES) {
    const onFinished = (ctx: TxCtx, finished: FinishedUpload): Promise<void> => completeImport(ctx, row, finished);
    await receiveStream(ctx, { actor }, { ...start, body, onFinished });
    return;
  }
  const partBytes = partBytesFor(sizeBytes);
  const begun = await beginUpload(ctx, actor, { ...start, parts: { sizeBytes: partBytes, total: Math.ceil(sizeBytes / partBytes) } });
  const arrived = await findArrived(ctx, { session_id: begun.sessionId, validator });
  if (!arrived) throw new AppError("UPLOAD_CLOSED", "This import was cancelled.");
  await receiveParts(ctx, { ...receiving, arrived, body });
}

/** Remembers where an import's bytes go, in the transaction that makes room for them. */
async function attach(
  ctx: TxCtx,
  row: ImportRow,
  { begun, validator }: { begun: BegunUpload; validator: string | undefined },
): Promise<void> {
  const open = await updateOpenImport(ctx.db, row.id, { session_id: begun.sessionId, validator: validator ?? null, name: begun.name });
  if (!open) throw new AppError("UPLOAD_CLOSED", "This import was cancelled.");
}

async function* count({ body, offset }: RemoteFile, live: LiveImport): AsyncGenerator<Uint8Array> {
  let bytesDone = offset;
  for await (const chunk of body) {
    live.signal.throwIfAborted();
    bytesDone += chunk.length;
    live.update({ bytesDone });
    yield chunk;
  }
  live.update({ phase: "saving" });
}

/** What an import ends with whose time is over. */
export const tookTooLong = (): AppError => new AppError("REMOTE_TIMEOUT", "The import took too long and was ended. Use a faster source.");
