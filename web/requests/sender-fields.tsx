/** @jsxImportSource preact */
import type { ReceiveTexts } from "./texts/en.ts";

/** Renders the fields in which senders name themselves. They precede the files of a form, because fields are read in order. */
export function SenderFields({ texts, optional }: { readonly texts: ReceiveTexts; readonly optional: string }) {
  return (
    <div class="send-fields request-fields">
      <label class="field" for="sender-name">
        <span>
          {texts.name} <span class="quiet">{optional}</span>
        </span>
        <input id="sender-name" name="senderName" type="text" maxLength={100} autoComplete="name" dir="auto" />
      </label>
      <label class="field" for="sender-note">
        <span>
          {texts.note} <span class="quiet">{optional}</span>
        </span>
        <input id="sender-note" name="senderNote" type="text" maxLength={480} autoComplete="off" dir="auto" />
      </label>
    </div>
  );
}
