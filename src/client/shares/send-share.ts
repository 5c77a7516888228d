import { AppError } from "../../errors.ts";
import { findNamedShare, type SharingCaller } from "./named-share.ts";

/** Finds the short ID of the share that an ID or a link names. Rejects with the server's error. */
export async function findShortId(caller: SharingCaller, text: string): Promise<string> {
  const { name, remembered } = await findNamedShare(caller, text);
  if (remembered) return remembered.shortId;
  return "shortId" in name ? name.shortId : (await caller.api.call("getFile", name)).shortId;
}

/** Ends the private links of a recipient, named by the address. Throws NOT_FOUND. */
export async function removeRecipient({ api }: SharingCaller, shortId: string, address: string): Promise<void> {
  const { recipients } = await api.call("listRecipients", { shortId });
  const found = recipients.find((recipient) => recipient.address === address.trim().toLowerCase());
  if (!found) throw new AppError("NOT_FOUND", `The share was not sent to ${address}.`);
  await api.call("removeRecipient", { shortId, recipientId: found.id });
}
