import { AppError } from "../../errors.ts";
import { openRemoteFile } from "../../net/remote-file.ts";
import type { Operation } from "../operation.ts";
import { receiveStream } from "../uploads/receive-stream.ts";
import { acceptSource } from "./accept-source.ts";

/** `POST /files/remote-upload`: fetches the file while the caller waits; what fails leaves nothing behind. */
export const importFile: Operation<"importFile"> = async (ctx, call, input) => {
  const { url, fileName, publish } = await acceptSource(ctx, call, input);
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(tookTooLong()), ctx.config.imports.waitMs);
  try {
    const remote = await openRemoteFile(ctx.imports.fetch, { url, signal: giveUp.signal });
    try {
      const { type, sizeBytes, body } = remote;
      const data = await receiveStream(ctx, call, { name: fileName ?? remote.name, type, sizeBytes, body, publish });
      return { success: true, data };
    } finally {
      remote.cancel();
    }
  } finally {
    clearTimeout(timer);
  }
};

const tookTooLong = (): AppError =>
  new AppError("REMOTE_TIMEOUT", "The import took too long to wait for. Begin a job instead, with POST /files/remote-multipart/init.");
