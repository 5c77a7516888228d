import type { RecipientView } from "../../src/service/recipients/contract.ts";
import { BlockedIcon, CheckIcon, InfoIcon, WaitIcon } from "../site/icons.tsx";
import type { SendByMailTexts } from "./texts/en.ts";

/** Returns the state of a mail to a recipient: its icon, its words, and since when. */
export function describeRecipient(texts: SendByMailTexts, recipient: RecipientView) {
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
