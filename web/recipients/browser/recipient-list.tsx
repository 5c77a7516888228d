/** @jsxImportSource preact */
import { sendByMail as texts } from "#texts/recipients";
import { date } from "../../site/browser/components/format.ts";
import { describeRecipient } from "../describe-recipient.ts";
import type { Recipient } from "./use-recipients.ts";

export interface RecipientListProps {
  readonly recipients: readonly Recipient[];
  readonly canSend: boolean;
  onAgain(recipient: Recipient): void;
  onRemove(recipient: Recipient): void;
}

/** Renders the recipients of a share, with the state of each mail. */
export function RecipientList({ recipients, canSend, onAgain, onRemove }: RecipientListProps) {
  if (recipients.length === 0) return null;
  return (
    <>
      <h4 id="recipients-title">{texts.recipients}</h4>
      <ul class="recipients" aria-labelledby="recipients-title">
        {recipients.map((recipient) => {
          const { Icon, tone, text, at } = describeRecipient(texts, recipient);
          const { address } = recipient;
          return (
            <li key={recipient.id} data-state={recipient.state}>
              <p>
                <strong>
                  <bdi>{address}</bdi>
                </strong>
                <span class={`recipient-state ${tone}`}>
                  <Icon />
                  <span>
                    {text}
                    {at === null ? null : (
                      <>
                        {" · "}
                        <time dateTime={at}>{date(at)}</time>
                      </>
                    )}
                  </span>
                </span>
              </p>
              <span class="sender-tools">
                <button
                  class="button small"
                  type="button"
                  disabled={!canSend || recipient.state === "waiting" || recipient.state === "sending"}
                  aria-label={texts.againLabel(address)}
                  onClick={() => onAgain(recipient)}
                >
                  {texts.again}
                </button>
                <button class="button small" type="button" aria-label={texts.removeLabel(address)} onClick={() => onRemove(recipient)}>
                  {texts.remove}
                </button>
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
