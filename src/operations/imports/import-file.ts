import { fairKey } from "../../domain/actor.ts";
import { AppError } from "../../errors.ts";
import { atMinimumPace } from "../../net/minimum-pace.ts";
import { openRemoteFile } from "../../net/remote-file.ts";
import type { Operation } from "../operation.ts";
import { receiveStream } from "../uploads/receive-stream.ts";
import { acceptSource } from "./accept-source.ts";
import type { AwaitedImport } from "./awaited-imports.ts";

/** `POST /files/remote-upload`: fetches the file while the caller waits; what fails leaves nothing behind. */
export const importFile: Operation<"importFile"> = async (ctx, call, input) => {
  using slot = ctx.imports.awaited.start(fairKey(call.actor.quotaOwner));
  const { url, fileName, publish } = await acceptSource(ctx, call, input);
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(tookTooLong()), ctx.config.imports.waitMs);
  try {
    const signal = AbortSignal.any([giveUp.signal, slot.signal]);
    const remote = await openRemoteFile(ctx.imports.fetch, { url, signal });
    try {
      const { type, sizeBytes } = remote;
      const body = count(atMinimumPace(remote.body, ctx.config.imports.minimumPace), slot);
      const data = await receiveStream(ctx, call, { name: fileName ?? remote.name, type, sizeBytes, body, publish });
      return { success: true, data };
    } finally {
      remote.cancel();
    }
  } finally {
    clearTimeout(timer);
  }
};

async function* count(body: AsyncIterable<Uint8Array>, slot: AwaitedImport): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    slot.add(chunk.length);
    yield chunk;
  }
}

const tookTooLong = (): AppError =>
  new AppError("REMOTE_TIMEOUT", "The import took too long to wait for. Begin a job instead, with POST /files/remote-multipart/init.");
