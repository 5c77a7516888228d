/** Sends a large file in one request through the server: for a browser that cannot reach the store of the parts. */
import { sendThenCheckSource } from "../../../../src/transfer/failures.ts";
import { newRandomId, type Retry } from "../../../../src/transfer/retry.ts";
import { checkReadable } from "./failures.ts";
import type { LargeFile } from "./send-parts.ts";
import { sendRequest } from "./transport.ts";
import { readSent, toTargetFields, type UploadTarget } from "./upload-api.ts";

export async function sendWhole(
  { path, file, folderId }: Pick<LargeFile, "path" | "file" | "folderId">,
  { target, retry, onSent }: { readonly target: UploadTarget; readonly retry: Retry; onSent(bytes: number): void },
): Promise<void> {
  const key = newRandomId();
  await retry(async ({ signal, onAlive }) => {
    const form = new FormData();
    for (const [name, value] of [...toTargetFields(target, folderId), ["relativePath", path] as const]) form.append(name, value);
    form.append("file", file, file.name);
    const onProgress = (bytes: number) => {
      onAlive();
      onSent(bytes);
    };
    const headers = { Accept: "application/json", "Idempotency-Key": key };
    try {
      const source = { tries: 0, sizeBytes: file.size, canShrink: false, signal, check: () => checkReadable(file) };
      await sendThenCheckSource(source, async () =>
        readSent(await sendRequest({ method: "POST", url: "/", headers, body: form, signal, onProgress })),
      );
    } catch (error) {
      onSent(0);
      throw error;
    }
  });
}
