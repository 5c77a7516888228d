import type { Operation } from "../operation.ts";
import { receiveStream } from "../uploads/receive-stream.ts";

/** `POST /files/upload`: a file of up to 4 MB, sent as a form. */
export const uploadFile: Operation<"uploadFile"> = async (ctx, call, { file, ...publish }) => {
  const data = await receiveStream(ctx, call, {
    name: file.name,
    type: file.type,
    sizeBytes: file.bytes.length,
    body: once(file.bytes),
    publish,
  });
  return { success: true, data };
};

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}
