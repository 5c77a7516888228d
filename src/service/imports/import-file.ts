import { AppError } from "../../errors.ts";
import { requireMinimumPace } from "../../net/minimum-pace.ts";
import { openSourceFile } from "../../net/source-file.ts";
import { fairKey } from "../accounts/actor.ts";
import type { Operation } from "../operation.ts";
import { uploadStream } from "../uploads/upload-stream.ts";
import type { AwaitedImport } from "./awaited-imports.ts";
import { validateSource } from "./init-import.ts";

/** `POST /files/remote-upload`: imports a file while the caller waits. A failed import leaves nothing in the store. */
export const importFile: Operation<"importFile"> = async (ctx, call, input) => {
  using slot = ctx.imports.awaited.start(fairKey(call.actor.quotaOwner));
  const { url, fileName, uploader } = await validateSource(ctx, call, input);
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(awaitedImportTimeout()), ctx.config.imports.waitMs);
  try {
    const signal = AbortSignal.any([timeout.signal, slot.signal]);
    const remote = await openSourceFile(ctx.imports.fetch, { url, signal });
    try {
      const { type, sizeBytes } = remote;
      const body = countBytes(requireMinimumPace(remote.body, ctx.config.imports.minimumPace), slot);
      const { actor, ...destination } = uploader;
      return await uploadStream(ctx, { ...call, actor }, { name: fileName ?? remote.name, type, sizeBytes, body, ...destination });
    } finally {
      remote.cancel();
    }
  } finally {
    clearTimeout(timer);
  }
};

async function* countBytes(body: AsyncIterable<Uint8Array>, slot: AwaitedImport): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    slot.add(chunk.length);
    yield chunk;
  }
}

const awaitedImportTimeout = (): AppError =>
  new AppError("REMOTE_TIMEOUT", "The import took too long. Create a job with POST /files/remote-multipart/init instead.");
