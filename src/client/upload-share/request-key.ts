import { readRecipientFragment } from "../../contract/age-recipient.ts";
import { AppError } from "../../errors.ts";
import type { RemoteApi } from "../server/remote-api.ts";

/** A link of a request: its token, and the text after `#`. */
interface RequestLink {
  readonly token: string;
  readonly fragment: string;
}

/**
 * Returns the public key to which files of a request are encrypted; undefined if they are sent as they are. Throws VALIDATION_FAILED if the key in the
 * link is damaged, or the server names another key.
 */
export async function findRequestKey(api: Pick<RemoteApi, "call">, { token, fragment }: RequestLink): Promise<string | undefined> {
  const linkKey = readRecipientFragment(fragment);
  if (linkKey === null) throw new AppError("VALIDATION_FAILED", "The key in the link is damaged. Copy the whole link again.");
  const { encryptTo } = await api.call("getRequestByToken", { requestToken: token });
  if (linkKey !== undefined && linkKey !== encryptTo)
    throw new AppError("VALIDATION_FAILED", "The server names another key than the link. Nothing was sent. Ask the owner for a new link.");
  return encryptTo ?? undefined;
}
