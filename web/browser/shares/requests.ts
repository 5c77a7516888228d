/** The requests of an account's owner about a share. Each throws an error whose message is a sentence. */
import { shares as texts } from "#texts/shares.ts";
import { type ErrorJson, toSentence } from "../upload/api.ts";

/** Closes a share, also while the page is being left. */
export const closeShare = (shortId: string): Promise<unknown> => send("POST", `/api/shares/${encodeURIComponent(shortId)}/close`, {});

/** Resolves to when the share expires now. */
export async function changeExpiry(
  shortId: string,
  change: { readonly extendTtl: string } | { readonly expiresAt: string },
): Promise<string | null> {
  const { data } = await send<{ data: { expiresAt: string | null } }>("PATCH", "/api/files/share-settings", { shortId, ...change });
  return data.expiresAt;
}

async function send<Answer>(method: string, path: string, json: object): Promise<Answer> {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  const response = await fetch(path, { method, headers, body: JSON.stringify(json), keepalive: true }).catch(() => undefined);
  if (!response) throw new Error(texts.offline);
  const answer = (await response.json().catch(() => ({}))) as Answer & ErrorJson;
  if (response.ok) return answer;
  throw new Error(toSentence(answer) ?? texts.failed);
}
