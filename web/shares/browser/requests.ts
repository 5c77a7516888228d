/** The requests of an account's owner about a share. Each throws an error whose message is a sentence. */
import { shares as texts } from "#texts/shares";
import { type ErrorJson, toSentence } from "../../site/browser/upload/api.ts";

/** Closes a share, also while the page is being left. */
export const closeShare = (shortId: string, force = false): Promise<unknown> =>
  send("POST", `/api/shares/${encodeURIComponent(shortId)}/close`, force ? { force } : {});

type ExpiryChange = ({ readonly extendTtl: string } | { readonly expiresAt: string }) & { readonly force?: true };

/** Whether the server refuses because buyers would lose what they paid for, which `force` allows (selling, "What buyers keep"). */
export const hasBuyers = (error: unknown): boolean => error instanceof Sold;

class Sold extends Error {}

/** Resolves to when the share expires now. */
export async function changeExpiry(shortId: string, change: ExpiryChange): Promise<string | null> {
  const { data } = await send<{ data: { expiresAt: string | null } }>("PATCH", "/api/files/share-settings", { shortId, ...change });
  return data.expiresAt;
}

async function send<Answer>(method: string, path: string, json: object): Promise<Answer> {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  const response = await fetch(path, { method, headers, body: JSON.stringify(json), keepalive: true }).catch(() => undefined);
  if (!response) throw new Error(texts.offline);
  const answer = (await response.json().catch(() => ({}))) as Answer & ErrorJson;
  if (response.ok) return answer;
  throw new (answer.errorCode === "HAS_BUYERS" ? Sold : Error)(toSentence(answer) ?? texts.failed);
}
