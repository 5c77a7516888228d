/** The names of encrypted files that this device has sent. The server has only hidden names, which follow from the key and the own names. */
import { toHiddenName } from "../../../../src/transfer/encryption/hidden-name.ts";
import { mayKnowShares } from "./may-know-shares.ts";
import { findSentShare, type SentFile } from "./shares.ts";

/** Finds the files that this device has sent encrypted in a share or a submission, by their hidden names; empty if it does not know them. */
export async function findSentNames(shortId: string): Promise<ReadonlyMap<string, SentFile>> {
  const sent = (await mayKnowShares()) ? await findSentShare(shortId).catch(() => undefined) : undefined;
  const { fileKey } = sent ?? {};
  return new Map(fileKey === undefined ? [] : sent?.files.map((file) => [toHiddenName(fileKey, file.path), file]));
}
