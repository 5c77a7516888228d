/** @jsxImportSource preact */
import { sendByMail as texts } from "#texts/recipients";
import { date } from "../../site/browser/components/format.ts";
import { BlockedIcon, CheckIcon, InfoIcon, WaitIcon } from "../../site/icons.tsx";
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
          const { Icon, tone, text, at } = describe(recipient);
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

function describe(recipient: Recipient) {
  const { state, failure, failureDetail, sentAt, openedAt, downloads, downloadedAt, remindedAt } = recipient;
  const reminded = remindedAt === null ? "" : ` (${texts.states.reminded})`;
  if (downloads > 0) return { Icon: CheckIcon, tone: "good", text: texts.states.downloaded(downloads), at: downloadedAt };
  if (failure !== null) {
    const detail = failureDetail === null ? "" : `: ${failureDetail}`;
    return { Icon: BlockedIcon, tone: "bad", text: texts.failures[failure] + detail, at: null };
  }
  if (state === "ended") return { Icon: InfoIcon, tone: "", text: texts.states.ended, at: null };
  if (state === "waiting" || state === "sending") return { Icon: WaitIcon, tone: "", text: texts.states[state], at: null };
  if (openedAt !== null) return { Icon: InfoIcon, tone: "", text: texts.states.opened + reminded, at: openedAt };
  return { Icon: InfoIcon, tone: "", text: texts.states.sent + reminded, at: sentAt };
}
