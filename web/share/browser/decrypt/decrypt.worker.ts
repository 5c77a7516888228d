/**
 * Decrypts in a worker, because a passphrase occupies a thread for seconds. The worker gets bytes from the page and returns them; the policy of its
 * script allows no connection.
 */
import { decryptStream, readEnteredKey } from "../../../../src/transfer/encryption/decrypt.ts";
import { unwrapName } from "../../../../src/transfer/encryption/wrapped-name.ts";
import { useOwnFunctions } from "../../../site/browser/without-subtle.ts";
import { problemOf, receiveStream, sendOverPort } from "./port-stream.ts";
import type { Begin, Opened, Ready } from "./worker-messages.ts";

useOwnFunctions();

addEventListener("message", async ({ data: { key, input, output } }: MessageEvent<Begin>) => {
  const say = (opened: Opened): void => postMessage(opened);
  try {
    const { name, body } = await unwrapName(await decryptStream(receiveStream(input), readEnteredKey(key)));
    sendOverPort(body, output);
    say({ name });
  } catch (error) {
    say({ problem: problemOf(error) });
  }
});
postMessage({ isReady: true } satisfies Ready);
