/** The recipients of a share, with the server's data. */
import { useCallback, useEffect, useState } from "preact/hooks";
import type { ResponseOf } from "../../../src/service/contract.ts";
import { callApi } from "../../site/browser/api.ts";
import type { Language } from "../../texts/languages.ts";

export type Recipient = ResponseOf<"listRecipients">["data"]["recipients"][number];
export type Obstacle = ResponseOf<"listRecipients">["data"]["obstacle"];

/** Pause between two requests for the states while mails are on their way. */
const POLL_MS = 3000;

export interface NewMails {
  readonly recipients: readonly string[];
  readonly message?: string;
  readonly language?: Language;
  readonly remind?: boolean;
}

export interface RecipientsState {
  /** Undefined until the server has responded. */
  readonly listed: { readonly obstacle: Obstacle; readonly recipients: readonly Recipient[] } | undefined;
  /** Sends mails. Rejects with an error whose message is a sentence. */
  send(mails: NewMails): Promise<void>;
  remove(recipient: Recipient): Promise<void>;
}

/** Reads the recipients unless `isOwners` is false: only accounts have any. */
export function useRecipients(shortId: string, { isOwners }: { readonly isOwners: boolean }): RecipientsState {
  const [listed, setListed] = useState<RecipientsState["listed"]>();

  const reload = useCallback(async (): Promise<void> => {
    const response = await callApi("GET /shares/{shortId}/recipients", { shortId }).catch(() => undefined);
    if (response) setListed(response.data);
  }, [shortId]);

  useEffect(() => {
    if (!isOwners) return;
    void reload();
    const onVisible = () => void (document.hidden || reload());
    document.addEventListener("visibilitychange", onVisible);
    return () => document.removeEventListener("visibilitychange", onVisible);
  }, [reload, isOwners]);

  useEffect(() => {
    if (!listed?.recipients.some(({ state }) => state === "waiting" || state === "sending")) return;
    const timer = setTimeout(() => void reload(), POLL_MS);
    return () => clearTimeout(timer);
  }, [listed, reload]);

  return {
    listed,
    async send(mails) {
      await callApi("POST /shares/{shortId}/recipients", { shortId, ...mails });
      await reload();
    },
    async remove({ id }) {
      await callApi("DELETE /shares/{shortId}/recipients/{recipientId}", { shortId, recipientId: id });
      await reload();
    },
  };
}
