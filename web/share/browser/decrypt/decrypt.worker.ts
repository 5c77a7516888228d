/**
 * Decrypts in a worker, because a passphrase occupies a thread for seconds. The worker gets bytes from the page and returns them; the policy of its
 * script allows no connection.
 */
import { createFileCipher, openChunks } from "../../../../src/transfer/encryption/chunks.ts";
import { decryptStream, openHeaderWith, readEnteredKey } from "../../../../src/transfer/encryption/decrypt.ts";
import { useOwnFunctions } from "../../../site/browser/without-subtle.ts";
import { problemOf, receiveStream, sendOverPort } from "./port-stream.ts";
import type { WorkerOperation, WorkerOperations, WorkerRequest, WorkerResponse } from "./worker-messages.ts";

useOwnFunctions();

type Operations = { [Kind in WorkerOperation]: (input: WorkerOperations[Kind]["input"]) => Promise<WorkerOperations[Kind]["result"]> };

const operations: Operations = {
  load: async () => true,
  open: ({ header, key }) => openHeaderWith(header, readEnteredKey(key)),
  chunks: async (chunks) => await openChunks(await createFileCipher(chunks), chunks),
  async stream({ key, input, output }) {
    sendOverPort(await decryptStream(receiveStream(input), readEnteredKey(key)), output);
    return true;
  },
};

addEventListener("message", async ({ data }: MessageEvent<WorkerRequest>) => {
  try {
    const result = await run(data);
    const isBytes = data.kind === "chunks" && result instanceof Uint8Array;
    postMessage({ result } satisfies WorkerResponse, { transfer: isBytes ? [result.buffer] : [] });
  } catch (error) {
    postMessage({ problem: problemOf(error) } satisfies WorkerResponse);
  }
});

const run = <Kind extends WorkerOperation>({
  kind,
  input,
}: {
  kind: Kind;
  input: WorkerOperations[Kind]["input"];
}): Promise<WorkerOperations[Kind]["result"]> => operations[kind](input);
